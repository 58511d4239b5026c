"""Aligning a judge: from its outputs to the distribution of labels that people would give."""
