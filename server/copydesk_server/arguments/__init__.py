"""The command line's arguments, by what the commands are for. Nothing of their work is imported here."""
