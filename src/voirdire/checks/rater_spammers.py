"""Whose labels hardly depend on the item? Dawid and Skene's model, as a diagnostic of people only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from voirdire.checks.context import Context
from voirdire.checks.finding import Cell, Column, Evidence, Row, Table
from voirdire.checks.panels import subset
from voirdire.checks.words import percent
from voirdire.stats import THESE_RATERS, Coded, DawidSkene, Estimate, dawid_skene, undefined
from voirdire.stats.dawid_skene import separation

__all__ = ["spammer_table"]

Floats = NDArray[np.float64]

FEWEST_RATERS = 3
"""People an item must have to say anything about one of them: two cannot outvote each other."""
FEWEST_ITEMS = 30
"""Items with so many people below which nobody is accused."""
SEPARATION = 0.1
"""A person is shown where the upper bound of how far their labels tell classes apart lies below this."""
RESTARTS = 4
DRAWS = 400
MOST_METRICS = 12
MOST_CATEGORIES = 8


def spammer_table(context: Context, metrics: Sequence[str]) -> Table:
    """One row a person and metric whose labels hardly depend on what the others see in the item."""
    rows = [row for name in metrics[:MOST_METRICS] for row in _rows(context, name)]
    columns = (
        Column("rater", "Person"),
        Column("metric", "Metric"),
        Column("labels", "Labels", "count"),
        Column("separation", "Tells classes apart", "coefficient"),
        Column("commonest", "Commonest label"),
        Column("maxima", "Maxima of the likelihood"),
    )
    caption = (
        "People whose labels hardly depend on the item (0 not at all, 1 without error), by Dawid and Skene's "
        "model. It takes every disagreement for somebody's error and so explains disagreement away: a person "
        "who sees the matter otherwise can stand here. Read their labels; leave nobody out for this figure"
    )
    return Table("spammers", caption, columns, tuple(rows), folded=len(rows) > 6)


def _rows(context: Context, name: str) -> Iterator[Row]:
    panel = context.people(name, context.policies(name)[0])
    shared = (panel.coded.ratings_per_item() >= FEWEST_RATERS)[panel.coded.item]
    coded, _, raters = subset(panel.coded, shared)
    if coded.n_items < FEWEST_ITEMS or coded.q > MOST_CATEGORIES:
        return
    rng = context.rng(f"spammers {name}")
    fitted = _fitted(coded, 0, rng)
    flagged = [
        (code, found)
        for code in range(coded.n_raters)
        if (found := _separation(coded, code, fitted, rng, context.options.level)).high < SEPARATION
    ]
    if not flagged:
        return
    modes = len(_fitted(coded, RESTARTS, rng).modes)
    for code, found in flagged:
        labels = np.bincount(coded.label[coded.rater == code], minlength=coded.q)
        person = context.study.raters[panel.raters[raters[code]]].id
        cells: dict[str, Cell] = {
            "rater": person,
            "metric": panel.metric.label,
            "labels": found.n_ratings,
            "separation": found,
            "commonest": f"{panel.scale.labels[labels.argmax()]}, {percent(labels.max() / labels.sum())}",
            "maxima": f"{modes:,} from {1 + RESTARTS} starts",
        }
        yield Row(cells, Evidence(name, (person,)))


def _fitted(coded: Coded, restarts: int, rng: np.random.Generator) -> DawidSkene:
    return dawid_skene(coded.item, coded.rater, coded.label, n_labels=coded.q, restarts=restarts, rng=rng)


def _separation(
    coded: Coded, rater: int, fitted: DawidSkene, rng: np.random.Generator, level: float
) -> Estimate:
    """How far one person's labels tell classes apart, with its interval; undefined on few labels."""
    mine = coded.rater == rater
    value, n = float(fitted.separation[rater]), int(mine.sum())
    if n < FEWEST_ITEMS or np.isnan(value):
        return undefined("insufficient_items", n_ratings=n)
    low, high = _interval(coded, mine, fitted.posterior, rng, level)
    return Estimate(
        value,
        low,
        high,
        level,
        n_ratings=n,
        method="percentile, classes held",
        target=THESE_RATERS,
        resamples=DRAWS,
    )


def _interval(
    coded: Coded, mine: NDArray[np.bool_], posterior: Floats, rng: np.random.Generator, level: float
) -> tuple[float, float]:
    """Quantiles of one rater's separation over draws of clusters, the items' classes held as they are."""
    item, q = coded.item[mine], coded.q
    _, unit = np.unique(item if coded.cluster is None else coded.cluster[item], return_inverse=True)
    cells = posterior[item][:, :, None] * np.eye(q)[coded.label[mine]][:, None, :]
    sums = np.zeros((int(unit.max()) + 1, q * q))
    np.add.at(sums, unit, cells.reshape(-1, q * q))
    n = len(sums)
    drawn = (rng.multinomial(n, np.full(n, 1 / n), size=DRAWS) @ sums).reshape(DRAWS, q, q)
    with np.errstate(invalid="ignore"):
        values = separation(drawn / drawn.sum(axis=2, keepdims=True))
    low, high = np.nanquantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
