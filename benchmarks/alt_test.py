"""Speed of the alternative annotator test: ``python benchmarks/alt_test.py [items raters]``, 10,000 x 10."""

from __future__ import annotations

import sys
import time

import numpy as np

from voirdire.stats import Coded, alternative_annotator_test

LIMIT = 2.0


def main(n_items: int = 10_000, n_raters: int = 10) -> None:
    rng = np.random.default_rng(20261129)
    truth = rng.integers(0, 5, n_items)
    said = np.where(
        rng.random((n_items, n_raters)) < 0.7, truth[:, None], rng.integers(0, 5, (n_items, n_raters))
    )
    judge = np.where(rng.random(n_items) < 0.7, truth, rng.integers(0, 5, n_items))
    people = Coded.from_matrix(said, categories=[0, 1, 2, 3, 4], cluster=(np.arange(n_items) // 4).tolist())
    for score in ("accuracy", "neg_rmse", np.eye(5)):
        for clustered in (False, True):
            started = time.perf_counter()
            found = alternative_annotator_test(people, judge, score=score, clustered=clustered)
            seconds = time.perf_counter() - started
            name = score if isinstance(score, str) else "similarity"
            print(
                f"{n_items:,} items x {n_raters} raters, {name}{', clusters' if clustered else ''}: "
                f"{seconds:.3f} s (limit {LIMIT:g}), winning rate {found.winning_rate.value:.2f}"
            )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
