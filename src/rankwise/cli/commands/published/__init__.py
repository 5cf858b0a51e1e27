"""The commands of `rankwise published`, one per file."""
