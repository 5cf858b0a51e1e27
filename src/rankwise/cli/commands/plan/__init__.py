"""The commands of `rankwise plan`, one per file."""
