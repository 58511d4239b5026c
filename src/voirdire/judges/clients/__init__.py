"""Clients: each module is one way to reach a model."""
