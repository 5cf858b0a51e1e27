"""The commands, one per file; the file has the name of the command."""
