"""One audit question a file, each answered in a Finding; ``audit`` runs them all."""
