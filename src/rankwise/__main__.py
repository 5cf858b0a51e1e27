"""Entry point of `python -m rankwise`, which is the same as the command `rankwise`."""

from rankwise.cli import script

script()
