"""Readers: one file a format; each turns a source into a RawTable and knows nothing of studies."""
