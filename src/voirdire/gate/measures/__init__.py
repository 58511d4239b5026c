"""Measures: each module is one figure, or family of figures, that a policy may set a threshold on."""
