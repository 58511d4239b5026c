"""Scott's pi: agreement of two raters who are taken to share one distribution of labels."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from voirdire.registry import register
from voirdire.stats.two_rater import TwoRaterKappa, disagreement_weights, kappa_of, square_shares

__all__ = ["scott_pi"]

Floats = NDArray[np.float64]


@register("statistic", "scott_pi")
def scott_pi(
    table: ArrayLike,
    *,
    weights: str | ArrayLike = "identity",
    values: ArrayLike | None = None,
    interval: str = "adjusted",
    level: float = 0.95,
) -> TwoRaterKappa:
    """Agreement of two raters beyond what the label shares of both together would give by chance.

    Arguments, interval and undefined cases are those of :func:`~voirdire.stats.cohen.cohen_kappa`; the chance
    term pools both raters, so a difference between their shares counts as disagreement.

    Source: Scott 1955; standard error by the delta method on the multinomial table.

    >>> print(scott_pi([[20, 5], [10, 15]]).estimate)
    0.39 [0.10, 0.62]
    """
    v = disagreement_weights(weights, len(square_shares(table)[0]), values=values)
    v = (v + v.T) / 2

    def chance(p: Floats) -> tuple[Floats, Floats]:
        pooled = (p.sum(0) + p.sum(1)) / 2
        pull = v @ pooled
        return pooled[:, None] * pooled[None, :], pull[:, None] + pull[None, :]

    return kappa_of(table, v, chance, interval=interval, level=level)
