"""Did the items change? Whether new items can be told from old ones by what the judge says and they carry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from voirdire.decide.change_cells import Both, Cells, Scoring
from voirdire.decide.change_options import CompareOptions
from voirdire.stats.estimate import THESE_RATERS, Estimate, undefined
from voirdire.study.scales import as_number

__all__ = ["ItemChange", "Stability", "item_change"]

Floats = NDArray[np.float64]
MOST_ITEMS = 1000
MOST_VALUES = 20
FOLDS = 5
FEWEST = 30
RIDGE = 1.0
LARGE_PSI, LARGE_OUTSIDE = 0.25, 0.05
CELLS = 0.5
"""Added to each label's count, so that a label that one side lacks has no infinite index."""


@dataclass(frozen=True)
class Stability:
    """One metric's population stability index between verdicts then and now.

    ``by_chance`` is about what it would be, were the items alike.
    """

    metric: str
    psi: float
    by_chance: float


@dataclass(frozen=True)
class ItemChange:
    """Which items are new, and whether they are of another kind than the old ones.

    ``auc`` is how well a classifier that did not see an item tells new from old (0.5: not at all), ``p`` of
    a permutation test of that. ``outside`` is the share of new items with a verdict or an attribute that no
    old item has. ``edited`` items have the same id and another text.
    """

    n_shared: int
    n_removed: int
    n_added: int
    edited: tuple[str, ...]
    auc: Estimate
    p: float
    stability: tuple[Stability, ...]
    outside: float
    features: tuple[str, ...]

    @property
    def shifted(self) -> bool:
        """Whether the new items are told apart beyond chance at 5 %."""
        return self.p <= 0.05 and self.auc.undefined is None

    @property
    def advice(self) -> str:
        """What to do about it; empty where nothing is."""
        large = any(one.psi - one.by_chance > LARGE_PSI for one in self.stability)
        if not (self.shifted or large or self.outside > LARGE_OUTSIDE):
            return ""
        return (
            "Label 30 to 50 of the new items, drawn at random, before the old alignment is trusted on them; "
            "until then predict with the pool, which leans on base rates."
        )


def item_change(
    both: Both, cells: Sequence[Cells], options: CompareOptions, rng: np.random.Generator
) -> ItemChange:
    """Compare the items that only the new study has with the old ones, by the new judge's verdicts if it can.

    Where verdicts on shared items flipped, old items are those that the new judge saw too: another judge
    would make alike items look different.
    """
    fresh, old = both.in_new & ~both.in_old, _reference(both, cells)
    cells = [one for one in cells if one.metric in both.metrics]
    table, names = _features(both, cells)
    edited = tuple(_edited(both))
    counts = (int(both.shared.sum()), int((both.in_old & ~both.in_new).sum()), int(fresh.sum()))
    stability = tuple(_stability(cells, old, fresh))
    outside = _outside(both, cells, fresh) if fresh.any() else 0.0
    auc, p = undefined("insufficient_items"), float("nan")
    if fresh.sum() >= 10 and old.sum() >= 10 and names:
        rows = _drawn(old, fresh, rng)
        auc, p = told_apart(table[rows], fresh[rows], both.cluster[rows], options=options, rng=rng)
    return ItemChange(*counts, edited, auc, p, stability, outside, names)


def told_apart(
    table: Floats,
    new: NDArray[np.bool_],
    cluster: NDArray[np.intp],
    *,
    options: CompareOptions,
    rng: np.random.Generator,
) -> tuple[Estimate, float]:
    """Out-of-fold AUC with which a linear discriminant tells new rows from old, and its permutation p.

    ``table`` (n, d), ``new`` (n,), ``cluster`` (n,). Fitted by ridge least squares, so that one matrix gives
    the scores of every permutation. Whole clusters change sides, single rows where a cluster has both.
    """
    n = len(new)
    groups = np.unique(cluster, return_inverse=True)[1]
    mixed = len(np.unique(groups * 2 + new)) > groups.max() + 1
    if mixed:
        groups = np.arange(n)
    side = np.zeros(groups.max() + 1, dtype=np.bool_)
    side[groups] = new
    drawn = np.stack([side, *(rng.permutation(side) for _ in range(options.permutations))], axis=1)[groups]
    score = _out_of_fold(table, rng.integers(0, FOLDS, groups.max() + 1)[groups], drawn.astype(np.float64))
    auc = _auc(score, drawn)
    p = float((1 + (auc[1:] >= auc[0] - 1e-12).sum()) / (options.permutations + 1))
    found = Estimate(
        float(auc[0]),
        n_items=n,
        method="permutation test",
        target=THESE_RATERS,
        no_interval="no_interval_method",
    )
    return found, p


def _out_of_fold(table: Floats, fold: NDArray[np.intp], side: Floats) -> Floats:
    """Scores (n, B) of rows by coefficients fitted on the other folds."""
    score = np.zeros(side.shape)
    for k in range(FOLDS):
        train, held = fold != k, fold == k
        if not held.any() or not train.any():
            continue
        centre, spread = table[train].mean(axis=0), table[train].std(axis=0)
        scaled = (table - centre) / np.where(spread > 1e-12, spread, 1.0)
        x, y = scaled[train], side[train] - side[train].mean(axis=0)
        beta = np.linalg.solve(x.T @ x + RIDGE * np.eye(x.shape[1]), x.T @ y)
        # ranked within its fold: intercepts of other folds must not tell the sides apart
        score[held] = rankdata(scaled[held] @ beta, axis=0) / (held.sum() + 1)
    return score


def _auc(score: Floats, side: NDArray[np.bool_]) -> Floats:
    """Mann-Whitney's share (B,) of pairs in which the new row scores higher, ties counting half."""
    rank, m = rankdata(score, axis=0), side.sum(axis=0)
    auc: Floats = ((rank * side).sum(axis=0) - m * (m + 1) / 2) / (m * (len(side) - m))
    return auc


def _reference(both: Both, cells: Sequence[Cells]) -> NDArray[np.bool_]:
    """The old items (N,) to compare new ones with."""
    flipped = any(
        (
            one.judge_old.any(axis=1)
            & one.judge_new.any(axis=1)
            & (one.judge_old.argmax(axis=1) != one.judge_new.argmax(axis=1))
        ).any()
        for one in cells
    )
    return both.shared if flipped and both.shared.sum() >= FEWEST else both.in_old


def _said(one: Cells) -> Floats:
    """The new judge's labels (N, L), the old one's where it was not asked."""
    return np.where(one.judge_new.any(axis=1, keepdims=True), one.judge_new, one.judge_old)


def _drawn(old: NDArray[np.bool_], fresh: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.intp]:
    rows = np.concatenate([np.flatnonzero(old), np.flatnonzero(fresh)])
    return rows if len(rows) <= MOST_ITEMS else np.sort(rng.choice(rows, MOST_ITEMS, replace=False))


def _features(both: Both, cells: Sequence[Cells]) -> tuple[Floats, tuple[str, ...]]:
    """The judge's verdicts by metric, as values or label shares, and attributes of both studies, (N, d)."""
    columns: list[Floats] = []
    names: list[str] = []
    for one in cells:
        scoring = Scoring.of(both.old.metric(one.metric))
        said = _said(one)
        if len(one.labels) > MOST_VALUES:
            columns.append(_filled(scoring.mean(said, one.labels)))
        else:
            columns.extend((said / np.maximum(said.sum(axis=1, keepdims=True), 1)).T)
        names.append(f"verdict on {one.metric}")
    for name in both.old.items.attributes:
        if name not in both.new.items.attributes or name == "cluster":
            continue
        values = _values(both, name)
        numbers = [as_number(value) if value else None for value in values]
        distinct = sorted({value for value in values if value})
        if distinct and all(
            number is not None for value, number in zip(values, numbers, strict=True) if value
        ):
            columns.append(_filled(np.array([np.nan if number is None else number for number in numbers])))
        elif 2 <= len(distinct) <= MOST_VALUES:
            columns.extend(
                np.array([[value == each for value in values] for each in distinct], dtype=np.float64)
            )
        else:
            continue
        names.append(name)
    return np.stack(columns, axis=1) if columns else np.zeros((len(both), 0)), tuple(names)


def _filled(column: Floats) -> Floats:
    known = np.isfinite(column)
    return np.where(known, column, column[known].mean() if known.any() else 0.0)


def _values(both: Both, name: str) -> list[str]:
    """An attribute of every item, the old study's where both have it; '' where missing."""
    found = [""] * len(both)
    for study, at in ((both.new, both.at_new), (both.old, both.at_old)):
        for place, value in zip(at.tolist(), study.items.attributes[name], strict=True):
            found[place] = value or found[place]
    return found


def _stability(
    cells: Sequence[Cells], reference: NDArray[np.bool_], fresh: NDArray[np.bool_]
) -> Iterator[Stability]:
    """sum (p - q) log(p / q) over labels, of verdicts on new items against those on old ones."""
    for one in cells:
        said = _said(one)
        old, new = said[reference].sum(axis=0), said[fresh].sum(axis=0)
        if old.sum() < 10 or new.sum() < 10 or len(one.labels) > MOST_VALUES:
            continue
        p, q = ((part + CELLS) / (part + CELLS).sum() for part in (new, old))
        used = int(((old + new) > 0).sum())
        yield Stability(
            one.metric,
            float(((p - q) * np.log(p / q)).sum()),
            (used - 1) * float(1 / old.sum() + 1 / new.sum()),
        )


def _outside(both: Both, cells: Sequence[Cells], fresh: NDArray[np.bool_]) -> float:
    """Share of new items with a verdict or a category that no old item has, or a number beyond theirs."""
    beyond = np.zeros(len(both), dtype=np.bool_)
    for one in cells:
        seen = (one.judge_old + one.judge_new)[both.in_old].any(axis=0)
        beyond |= one.judge_new[:, ~seen].any(axis=1)
    for name in both.old.items.attributes:
        if name not in both.new.items.attributes or name == "cluster":
            continue
        values = _values(both, name)
        known = {value for value, seen in zip(values, both.in_old.tolist(), strict=True) if seen}
        numbers = [number for value in known if (number := as_number(value)) is not None]
        if numbers and len(numbers) >= len(known - {""}):
            least, most = min(numbers), max(numbers)
            found = [as_number(value) if value else None for value in values]
            beyond |= np.array([n is not None and not least <= n <= most for n in found])
        elif len(known) <= MOST_VALUES:
            beyond |= np.array([bool(value) and value not in known for value in values])
    return float(beyond[fresh].mean())


def _edited(both: Both) -> Iterator[str]:
    """Shared items whose text is not what it was."""
    where = [dict(zip(at.tolist(), range(len(at)), strict=True)) for at in (both.at_old, both.at_new)]
    for k in np.flatnonzero(both.shared).tolist():
        one, two = (
            study.items.said(place[k]) for study, place in zip((both.old, both.new), where, strict=True)
        )
        if one and two and one != two:
            yield both.ids[k]
