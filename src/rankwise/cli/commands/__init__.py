"""The commands, one file each; a file has the name of its command."""
