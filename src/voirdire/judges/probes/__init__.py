"""Probes: each module is one set of changes to items that should, or should not, move a judge."""
