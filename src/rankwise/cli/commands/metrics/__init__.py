"""The commands of `rankwise metrics`, one per file."""
