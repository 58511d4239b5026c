"""What :mod:`benchmarks.judging` runs, each in a process of its own."""
