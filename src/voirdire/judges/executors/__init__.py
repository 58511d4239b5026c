"""Executors, one a file: where the calls of a run are made."""
