"""One module a guarantee, each with ``run(runs: int) -> None``; started by ``benchmarks/guarantees.py``."""
