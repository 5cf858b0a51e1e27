"""`python -m rankwise` is `rankwise`."""

from rankwise.cli import script

script()
