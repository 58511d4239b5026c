"""Does a pairwise judge look at the answers or at their order? What a swap of places changes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from voirdire.errors import UserError
from voirdire.registry import register
from voirdire.stats.clustered import ratio_standard_error
from voirdire.stats.estimate import THESE_RATERS, Estimate, undefined
from voirdire.stats.proportion import proportion, wilson_interval

__all__ = ["FIRST", "SECOND", "TIE", "PositionConsistency", "first_win_share", "position_consistency"]

FIRST, SECOND, TIE = 0, 1, 2
"""Verdict codes of a pairwise judge: the answer shown first wins, the one shown second wins, neither."""


@dataclass(frozen=True, slots=True)
class PositionConsistency:
    """What became of each pair's verdict when the two answers changed places; shares of pairs judged twice.

    ``consistent`` and ``flipped`` add to 1. Of the flipped, ``favours_first`` and ``favours_second`` chose
    one place twice; the rest turned a tie into a winner or back. ``first_share`` is the share of verdicts
    with a winner, over both orders, that went to the answer shown first: 0.5 where place does not matter.
    """

    consistent: Estimate
    flipped: Estimate
    favours_first: Estimate
    favours_second: Estimate
    first_share: Estimate


@register("statistic", "position_consistency")
def position_consistency(
    shown: ArrayLike, swapped: ArrayLike, *, cluster: ArrayLike | None = None, level: float = 0.95
) -> PositionConsistency:
    """How often a judge names the same winner after the two answers change places.

    ``shown`` and ``swapped`` are (n,) verdicts of the same pairs in the two orders, each coded 0 (the answer
    shown first wins), 1 (the second) or 2 (tie), -1 where missing; pairs judged in one order only are left
    out. ``cluster`` (n,) is used for ``first_share``. Undefined without a pair judged twice
    (``no_pairable_items``).

    Source: Zheng et al. 2023 (MT-Bench), table 2: consistency, biased toward first, biased toward second.

    >>> both = position_consistency([FIRST, FIRST, SECOND, TIE], [SECOND, FIRST, FIRST, TIE])
    >>> both.consistent.value, both.favours_first.value, round(both.first_share.value, 2)
    (0.75, 0.25, 0.67)
    """
    first, second = _verdicts(shown), _verdicts(swapped)
    if first.shape != second.shape:
        raise UserError(f"{first.size} and {second.size} verdicts", expected="both orders of the same pairs")
    both = (first >= 0) & (second >= 0)
    n = int(both.sum())
    if n == 0:
        return PositionConsistency(*[undefined("no_pairable_items")] * 5)
    a, b = first[both], second[both]
    same = int(((a == TIE) & (b == TIE) | (a != TIE) & (b == 1 - a)).sum())
    groups = np.arange(n) if cluster is None else np.asarray(cluster, dtype=np.int64)[both]
    return PositionConsistency(
        proportion(same, n, level=level),
        proportion(n - same, n, level=level),
        proportion(int(((a == FIRST) & (b == FIRST)).sum()), n, level=level),
        proportion(int(((a == SECOND) & (b == SECOND)).sum()), n, level=level),
        first_win_share(np.concatenate([a, b]), cluster=np.tile(groups, 2), level=level),
    )


@register("statistic", "first_win_share")
def first_win_share(
    verdicts: ArrayLike, *, cluster: ArrayLike | None = None, level: float = 0.95
) -> Estimate:
    """Share of verdicts with a winner that went to the answer shown first; ties are left out.

    ``verdicts`` (n,) is coded as in :func:`position_consistency`; ``cluster`` (n,) ties together verdicts
    that a new sample would draw together, such as the two orders of one pair. The interval is Wilson's with
    the effective number of verdicts p (1 - p) / SE², at most their number, so that a judge whose swapped
    verdicts cancel exactly still gets an interval. Undefined without a verdict that has a winner
    (``no_labels``).

    >>> print(first_win_share([FIRST] * 60 + [SECOND] * 40))
    0.60 [0.50, 0.69]
    """
    codes = _verdicts(verdicts)
    groups = np.arange(codes.size) if cluster is None else np.asarray(cluster, dtype=np.int64)
    won = (codes == FIRST).astype(np.float64)
    decided = won + (codes == SECOND)
    n = float(decided.sum())
    if n == 0:
        return undefined("no_labels", n_ratings=codes.size)
    p = float(won.sum()) / n
    se, g = ratio_standard_error(won, decided, groups)
    effective = min(n, p * (1 - p) / se**2) if se > 0 and 0 < p < 1 else float(min(n, g))
    low, high = wilson_interval(p * effective, effective, level=level)
    return Estimate(
        p,
        float(low),
        float(high),
        level,
        n_ratings=int(n),
        n_clusters=g,
        method="Wilson, effective n",
        target=THESE_RATERS,
    )


def _verdicts(codes: ArrayLike) -> NDArray[np.int64]:
    verdicts = np.asarray(codes, dtype=np.int64)
    if verdicts.size and not (verdicts.min() >= -1 and verdicts.max() <= TIE):
        raise UserError("a verdict code outside -1 to 2", expected="0 first, 1 second, 2 tie, -1 missing")
    return verdicts
