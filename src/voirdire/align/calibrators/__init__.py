"""Ways to predict the distribution of human labels: one a file, each registered under its name."""
