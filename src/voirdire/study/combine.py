"""A study and a file of verdicts as one study: items matched by name, new ones added as they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import compress, repeat

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from voirdire.errors import UserError
from voirdire.study.column import Column
from voirdire.study.combined_labels import Codes, joined_labels, taken
from voirdire.study.items import Items
from voirdire.study.rater import Rater
from voirdire.study.ratings import OK, STATUSES, Ratings
from voirdire.study.scale import Scale
from voirdire.study.study import Study

__all__ = ["check_matched", "combine", "judged_metrics"]

Positions = NDArray[np.intp]
INVALID = STATUSES.index("invalid")
UNNAMED = "label"
"""What a metric is called in a file without a column for it."""
EXAMPLES = 3


def combine(study: Study, verdicts: Study) -> Study:
    """``study`` with the ratings of ``verdicts``, a judge's verdicts on the same and on further items.

    Items and metrics are matched by name, raters by id: what the study declares of them stands. A rating
    that both hold is kept once; two different ones are a user's error, as is a file without a verdict, one
    without a metric of the study, a judge the study does not have where it has others, and an item attribute
    with two values.
    """
    names = _metric_names(study, verdicts)
    raters, rater = _raters(study, verdicts)
    items, item = _items(study, verdicts)
    place = np.array([study.metric_index(name) if name else -1 for name in names], dtype=np.intp)
    theirs = taken(verdicts.ratings, np.flatnonzero(place[verdicts.ratings.metric] >= 0))
    codes = Codes(item[theirs.item], place[theirs.metric], rater[theirs.rater])
    metrics, label = joined_labels(study, verdicts, theirs, codes)
    ratings = _ratings(study.ratings, theirs, codes, label, len(study.sources))
    left = [metric.name for metric, name in zip(verdicts.metrics, names, strict=True) if not name]
    notes = [f"{verdicts.name}: metrics that the study does not have are left out: {', '.join(left)}."]
    both = replace(
        study,
        items=items,
        metrics=metrics,
        raters=raters,
        ratings=ratings,
        sources=(*study.sources, *verdicts.sources),
        assumptions=tuple(
            dict.fromkeys((*study.assumptions, *verdicts.assumptions, *(notes if left else ())))
        ),
    )
    return _without_repeats(both, len(study.ratings), verdicts.name)


def judged_metrics(study: Study, metrics: Sequence[str] = ()) -> list[tuple[str, ...]]:
    """The metrics (all unless named) that people and a judge rated; those that can share a scale together."""
    groups: list[list[str]] = []
    names = list(metrics) or [metric.name for metric in study.metrics]
    both = [name for name in names if _rated(study, name)]
    for name in sorted(both, key=lambda name: -len(study.metric(name).scale.labels)):
        mine = study.metric(name).scale
        home = next((group for group in groups if _shares(mine, study.metric(group[0]).scale)), None)
        if home is None:
            groups.append([name])
        else:
            home.append(name)
    return [
        tuple(sorted(group, key=names.index)) for group in sorted(groups, key=lambda g: names.index(g[0]))
    ]


def check_matched(study: Study, *, metrics: Sequence[str] = ()) -> None:
    """Refuse a study in which no item has both a human label and a verdict, with the counts of either."""
    names = list(metrics) or [metric.name for metric in study.metrics]
    people = {name: _items_at(study, study.rows(name, kind="human")) for name in names}
    judges = {name: _items_at(study, study.rows(name, kind="judge", usable=False)) for name in names}
    if not any(found.any() for found in people.values()):
        raise UserError("no human label to correct with", where=study.name, fix="label about 50 judged items")
    if not any(found.any() for found in judges.values()):
        raise UserError(
            "no judge's verdict to correct",
            where=study.name,
            fix="name the judge with --judge, or add a file",
        )
    if any((people[name] & judges[name]).any() for name in names):
        return
    left = np.logical_or.reduce(list(people.values()))
    right = np.logical_or.reduce(list(judges.values()))
    raise UserError(
        f"no item has a human label and a verdict on one metric: {int((left & right).sum()):,} matched, "
        f"{_shown(study, np.flatnonzero(left & ~right))} with human labels only, "
        f"{_shown(study, np.flatnonzero(right & ~left))} with verdicts only",
        where=study.name,
        expected="the same item_id on both sides",
        fix="name the column with --column item_id=...",
    )


def _shown(study: Study, items: NDArray[np.integer]) -> str:
    names = ", ".join(f"'{study.items.ids[item]}'" for item in items[:EXAMPLES].tolist())
    more = ", ..." if len(items) > EXAMPLES else ""
    return f"{len(items):,}" + (f" ({names}{more})" if names else "")


def _items_at(study: Study, rows: Positions) -> NDArray[np.bool_]:
    """Which items the ratings at ``rows`` are of (n_items,)."""
    rated = np.zeros(len(study.items), dtype=np.bool_)
    rated[study.ratings.item[rows]] = True
    return rated


def _rated(study: Study, metric: str) -> bool:
    """Whether people labelled ``metric`` and a judge was asked about it."""
    kinds = (study.rows(metric, kind="human"), study.rows(metric, kind="judge", usable=False))
    return all(len(rows) > 0 for rows in kinds)


def _shares(one: Scale, other: Scale) -> bool:
    alike = (one.kind, one.ordered) == (other.kind, other.ordered)
    return alike and set(one.labels) <= set(other.labels)


def _metric_names(study: Study, verdicts: Study) -> list[str]:
    """For each metric of ``verdicts`` its name in ``study``, '' where there is none."""
    own = [metric.name for metric in study.metrics]
    theirs = [metric.name for metric in verdicts.metrics]
    if len(own) == 1 and theirs == [UNNAMED]:
        return own
    if not set(own) & set(theirs):
        raise UserError(
            f"no metric is one of the study's: {', '.join(theirs[:5])}",
            where=verdicts.name,
            expected=f"one of {', '.join(own[:10])}",
            fix="name the column with --column metric=...",
        )
    return [name if name in own else "" for name in theirs]


def _raters(study: Study, verdicts: Study) -> tuple[tuple[Rater, ...], Positions]:
    """All raters, and where each rater of ``verdicts`` stands among them."""
    place = {rater.id: k for k, rater in enumerate(study.raters)}
    judges = [rater.id for rater in study.raters if rater.kind == "judge"]
    new = [rater for rater in verdicts.raters if rater.id not in place]
    known = any(
        study.raters[place[rater.id]].kind == "judge" for rater in verdicts.raters if rater.id in place
    )
    if not known and not any(rater.kind == "judge" for rater in new):
        raise UserError(
            f"no rater is known to be a judge: {', '.join(rater.id for rater in verdicts.raters[:5])}",
            where=verdicts.name,
            expected=f"a verdict of {', '.join(judges)}" if judges else "a column rater_kind, or --judge",
        )
    other = next((rater.id for rater in new if rater.kind == "judge" and judges), None)
    if other is not None:
        raise UserError(
            f"judge '{other}' gave no verdict in the study",
            where=verdicts.name,
            expected=f"one of {', '.join(judges)}, whose verdicts people's labels can correct",
        )
    place |= {rater.id: len(study.raters) + k for k, rater in enumerate(new)}
    codes = np.array([place[rater.id] for rater in verdicts.raters], dtype=np.intp)
    return (*study.raters, *new), codes


def _items(study: Study, verdicts: Study) -> tuple[Items, Positions]:
    """All items, and where each item of ``verdicts`` stands among them."""
    own, theirs = study.items, verdicts.items
    n = len(own)
    place = {name: k for k, name in enumerate(own.ids)}
    code = np.fromiter(map(place.get, theirs.ids, repeat(-1)), dtype=np.intp, count=len(theirs))
    new = code < 0
    code[new] = n + np.arange(np.count_nonzero(new))
    ids = (*own.ids, *compress(theirs.ids, new.tolist()))
    attributes = _joined(own.attributes, theirs.attributes, code, ids, verdicts.name)
    texts = _joined(own.texts, theirs.texts, code, ids, verdicts.name)
    return Items(ids, attributes, texts, _clusters(own, theirs, code, len(ids), n)), code


def _joined(
    own: Mapping[str, Column], theirs: Mapping[str, Column], code: Positions, ids: Sequence[str], where: str
) -> dict[str, Column]:
    """The columns of both sides, one value an item; two values of one item are a user's error."""
    found = {}
    for name in dict.fromkeys((*own, *theirs)):
        first = own.get(name, Column.missing(0))
        second = theirs.get(name, Column.missing(len(code)))
        both = Column.concatenate([first, second])
        mine = np.full(len(ids), -1, dtype=np.int32)
        mine[: len(first)] = both.codes[: len(first)]
        said = both.codes[len(first) :]
        differ = np.flatnonzero((mine[code] >= 0) & (said >= 0) & (mine[code] != said))
        if len(differ):
            at = differ[0]
            raise UserError(
                f"item '{ids[code[at]]}' has {name} '{both.values[said[at]]}' here and "
                f"'{both.values[mine[code[at]]]}' in the study",
                where=where,
                expected="one value an item",
            )
        mine[code] = np.where(said >= 0, said, mine[code])
        found[name] = Column(mine, both.values)
    return found


def _clusters(own: Items, theirs: Items, code: Positions, size: int, n: int) -> NDArray[np.int32] | None:
    """Clusters of all items: two that share an item, or a name in the column cluster, are one."""
    if own.cluster is None and theirs.cluster is None:
        return None
    first = np.arange(n) if own.cluster is None else own.cluster.astype(np.intp)
    second = np.arange(len(code)) if theirs.cluster is None else theirs.cluster.astype(np.intp)
    offset = int(first.max(initial=-1)) + 1
    node = np.zeros(size, dtype=np.intp)
    node[code] = second + offset
    node[:n] = first
    matched = code < n
    edges = [(first[code[matched]], second[matched] + offset)]
    if "cluster" in own.attributes and "cluster" in theirs.attributes:
        both = Column.concatenate([own.attributes["cluster"], theirs.attributes["cluster"]])
        named = np.concatenate([first, second + offset])
        home = np.zeros(len(both.values) + 1, dtype=np.intp)
        home[both.codes] = named
        known = ~both.is_missing
        edges.append((home[both.codes[known]], named[known]))
    one, two = (np.concatenate(side) for side in zip(*edges, strict=True))
    total = offset + int(second.max(initial=-1)) + 1
    graph = coo_array((np.ones(len(one)), (one, two)), shape=(total, total))
    _, part = connected_components(graph, directed=False)
    return np.unique(part[node], return_inverse=True)[1].astype(np.int32)


def _ratings(own: Ratings, theirs: Ratings, codes: Codes, label: NDArray[np.int32], sources: int) -> Ratings:
    """The rows of both; ``codes`` place those of ``theirs``, ``label`` (n,) is of all rows."""
    invalid = (theirs.status == OK) & (label[len(own) :] < 0)
    return Ratings(
        np.concatenate([own.item, codes.item]).astype(np.int32),
        np.concatenate([own.metric, codes.metric]).astype(np.int32),
        np.concatenate([own.rater, codes.rater]).astype(np.int32),
        Column.concatenate([own.run, theirs.run]),
        Column.concatenate([own.raw, theirs.raw]),
        label,
        np.concatenate([own.status, np.where(invalid, INVALID, theirs.status)]).astype(np.int8),
        np.concatenate([own.source, theirs.source + sources]).astype(np.int32),
        np.concatenate([own.row, theirs.row]),
        {
            name: np.concatenate(
                [side.probabilities.get(name, np.full(len(side), np.nan)) for side in (own, theirs)]
            )
            for name in dict.fromkeys((*own.probabilities, *theirs.probabilities))
        },
        {
            name: Column.concatenate(
                [side.attributes.get(name, Column.missing(len(side))) for side in (own, theirs)]
            )
            for name in dict.fromkeys((*own.attributes, *theirs.attributes))
        },
    )


def _without_repeats(both: Study, n: int, where: str) -> Study:
    """Drop verdicts, from row ``n`` on, that the study holds already with the same label."""
    ratings = both.ratings
    key = ratings.item.astype(np.int64) * len(both.raters) + ratings.rater
    key = (key * len(both.metrics) + ratings.metric) * (len(ratings.run.values) + 1) + ratings.run.codes + 1
    _, first, group = np.unique(key, return_index=True, return_inverse=True)
    if len(first) == len(key):
        return both
    again = np.flatnonzero((first[group] != np.arange(len(key))) & (np.arange(len(key)) >= n))
    before = first[group[again]]
    differ = np.flatnonzero(
        (ratings.label[again] != ratings.label[before]) | (ratings.status[again] != ratings.status[before])
    )
    if len(differ):
        one, two = again[differ[0]], before[differ[0]]
        raise UserError(
            f"{both.raters[ratings.rater[one]].id} on item '{both.items.ids[ratings.item[one]]}' says "
            f"'{ratings.raw[one]}' here and '{ratings.raw[two]}' in the study",
            where=f"{where}, row {int(ratings.row[one]):,}",
            expected="one verdict an item, metric and run",
            fix="give the second a run of its own",
        )
    kept = np.setdiff1d(np.arange(len(key)), again)
    note = f"{where}: {len(again):,} verdicts that the study holds already count once."
    return replace(both, ratings=taken(ratings, kept), assumptions=(*both.assumptions, note))
