"""Folders that open as studies: one file a kind."""
