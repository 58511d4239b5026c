"""Recipes: each module is one way to ask a judge."""
