"""The command line: one file a command, found by its function ``command``."""
