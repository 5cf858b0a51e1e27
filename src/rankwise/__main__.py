"""`python -m rankwise` is `rankwise`."""

from rankwise.cli import main

main()
