"""The commands, one per file, with the name of the command."""
