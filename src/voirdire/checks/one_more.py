"""One more contradiction: what a comparison says after an item on which the judge contradicts everyone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from voirdire.checks.scales import Weighing
from voirdire.stats import Coded, Estimate, JudgePerson, agreement_weights, judge_against_people

__all__ = ["cautious", "one_more"]

Judge = NDArray[np.int64] | NDArray[np.float64]


def one_more(coded: Coded, judge: Judge, weighing: Weighing, *, level: float) -> JudgePerson:
    """Judge and people with one item more: two people give the commonest label, the judge another.

    ``judge`` is as in :func:`~voirdire.stats.judge_person.judge_against_people`. The judge's label there is
    the one whose distance is nearest to the judge's mean distance where it contradicts people; the nearest
    label where it never does. Standard errors are the jackknife's.
    """
    common = int(np.bincount(coded.label, minlength=coded.q).argmax())
    v = _distance(coded, weighing, np.full(coded.q, common), np.arange(coded.q))
    other = np.flatnonzero(v > 0)
    apart = _distances(coded, judge, weighing)
    usual = float(apart[apart > 0].mean()) if (apart > 0).any() else 0.0
    far = int(other[np.abs(v[other] - usual).argmin()]) if len(other) else common
    said = np.append(judge, far) if judge.ndim == 1 else np.vstack([judge, np.eye(coded.q)[far]])
    cluster = coded.cluster
    if cluster is not None:
        cluster = np.append(cluster, cluster.max() + 1).astype(np.int32)
    more = replace(
        coded,
        item=np.append(coded.item, [coded.n_items] * 2).astype(np.int32),
        rater=np.append(coded.rater, [0, 1]).astype(np.int32),
        label=np.append(coded.label, [common] * 2).astype(np.int32),
        n_items=coded.n_items + 1,
        cluster=cluster,
    )
    # no resample is drawn, so the generator is never asked
    return judge_against_people(
        more, said, **weighing, level=level, resamples=0, rng=np.random.default_rng(0)
    )


def _distances(coded: Coded, judge: Judge, weighing: Weighing) -> NDArray[np.float64]:
    """Each label's distance from the judge's verdict on its item, over labels of items with a verdict."""
    given = judge >= 0 if judge.ndim == 1 else judge.sum(axis=1) > 0
    rows = given[coded.item]
    item, label = coded.item[rows], coded.label[rows]
    if judge.ndim == 1:
        return _distance(coded, weighing, judge[item].astype(np.intp), label)
    v = 1 - agreement_weights(coded, **weighing)
    return np.asarray((judge @ v)[item, label], dtype=np.float64)


def _distance(
    coded: Coded, weighing: Weighing, one: NDArray[np.intp], other: NDArray[np.integer]
) -> NDArray[np.float64]:
    """The disagreement of labels ``one`` and ``other`` (n,), 0 to 1, without a table of all by all."""
    if weighing["weights"] == "identity":
        return np.asarray(one != other, dtype=np.float64)
    by_value = weighing["by"] == "value" and coded.values is not None
    x = coded.values if by_value and coded.values is not None else np.arange(coded.q, dtype=np.float64)
    span = float(np.ptp(x)) or 1.0
    return np.asarray(((x[one] - x[other]) / span) ** 2, dtype=np.float64)


def cautious(pair: JudgePerson, harder: JudgePerson, level: float) -> Estimate:
    """Judge minus people at ``level``, its lower bound no higher than after one more contradiction.

    A judge that rarely errs shows few errors to build a standard error from. In simulations with the true
    difference at -0.10 an interval of 95 % lay above it in 4 to 9 % of studies of 50 items, and so in 2 to
    4 % (it should be 2.5 %). Where nothing disagreed at all, the interval is that after one more
    contradiction.
    """
    found, more = pair.difference_at(level), harder.difference_at(level)
    if found.undefined is not None or not more.has_interval or pair.n_items < 2:
        return found
    method = f"{found.method}, one more contradiction"
    if not found.has_interval:
        return replace(
            found,
            low=more.low,
            high=max(more.high, found.value),
            no_interval=None,
            method=more.method + ", one more contradiction",
        )
    return replace(found, low=min(found.low, more.low), method=method)
