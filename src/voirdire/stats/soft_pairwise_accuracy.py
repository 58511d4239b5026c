"""Does a judge rank systems with the confidence that people's labels give? Soft pairwise accuracy."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from voirdire.errors import UserError
from voirdire.registry import register
from voirdire.stats.estimate import Estimate, undefined
from voirdire.stats.permutation import sign_flip_p_values

__all__ = ["soft_pairwise_accuracy"]


@register("statistic", "soft_pairwise_accuracy")
def soft_pairwise_accuracy(
    human: ArrayLike, judge: ArrayLike, *, rng: np.random.Generator, resamples: int = 1000
) -> Estimate:
    """One minus the mean difference, over pairs of systems, of the p-values that people and judge give them.

    ``human`` and ``judge`` are (systems, items) scores of the same outputs, NaN where missing; items on which
    any score is missing are left out. Each p-value is that of the one-sided paired sign-flip test that the
    first system is better; people and judge see the same sign patterns. A pair that people cannot tell apart
    (p near 1/2) costs little whichever way the judge leans. Undefined below two systems
    (``insufficient_systems``) or without an item (``no_pairable_items``). It carries no interval.

    Source: Thompson et al. 2024; p-values by Phipson & Smyth 2010.

    >>> scores = [[0.8, 0.9, 0.7, 1.0, 0.6], [0.2, 0.3, 0.1, 0.4, 0.0]]
    >>> soft_pairwise_accuracy(scores, scores, rng=np.random.default_rng(1)).value
    1.0
    """
    people, machine = np.asarray(human, dtype=np.float64), np.asarray(judge, dtype=np.float64)
    if people.shape != machine.shape or people.ndim != 2:
        raise UserError(
            f"scores of shapes {people.shape}, {machine.shape}", expected="systems by items, twice"
        )
    known = ~(np.isnan(people) | np.isnan(machine)).any(0)
    n_systems, n_items = people.shape[0], int(known.sum())
    if n_systems < 2 or n_items == 0:
        return undefined("insufficient_systems" if n_systems < 2 else "no_pairable_items", n_items=n_items)
    first, second = np.triu_indices(n_systems, 1)
    both: NDArray[np.float64] = np.concatenate(
        [scores[first][:, known] - scores[second][:, known] for scores in (people, machine)]
    )
    p = sign_flip_p_values(both, rng=rng, alternative="greater", resamples=resamples)
    p_human, p_judge = np.split(p, 2)
    value = 1 - float(np.abs(p_human - p_judge).mean())
    return Estimate(value, n_items=n_items, resamples=resamples, no_interval="no_interval_method")
