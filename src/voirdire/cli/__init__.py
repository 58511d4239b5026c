"""The command line: one file a command, found by its function ``command``; a package is a group of them."""
