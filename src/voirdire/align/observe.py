"""From a study to rows, one an item and metric: what judges said of it, and what people said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voirdire.align.adapters.covariates import column_values, numeric_column
from voirdire.align.encoding import Encoding, systems_of
from voirdire.align.features import Features, Target
from voirdire.align.judge_output import JudgeOutput
from voirdire.align.numerics import used_codes
from voirdire.align.output import output_of
from voirdire.align.replies import Replies, replies_of
from voirdire.study.study import Study

__all__ = ["Observed", "features_of"]

Positions = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Observed:
    """n rows, one an item and metric: ``features``, the people's ``target``, the ``encoding`` behind them.

    ``item`` (n,) are positions in the study's items, ``metric`` (n,) positions in the encoding's metrics.
    ``asked`` (n,) says where some judge was asked and replied, be the reply unparsed.
    """

    features: Features
    target: Target
    item: Positions
    metric: Positions
    encoding: Encoding
    asked: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.item)

    @property
    def labelled(self) -> Observed:
        """The rows with a human label on which some judge was asked, or all labelled rows without a judge.

        An item that no judge was asked about says nothing of a judge; which items were asked may say much of
        the people's labels.
        """
        tests = self.asked if self.asked.any() else np.ones_like(self.asked)
        return self.take(np.flatnonzero(self.target.labelled & tests))

    def at_most(self, most: int, rng: np.random.Generator) -> Observed:
        """Whole clusters at random until there are ``most`` rows; all where there are no more, or for 0."""
        if not 0 < most < len(self):
            return self
        cluster = self.target.cluster
        order = rng.permutation(int(cluster.max()) + 1)
        size = np.bincount(cluster)[order]
        return self.take(np.flatnonzero(np.isin(cluster, order[np.cumsum(size) <= most])))

    def take(self, rows: Positions) -> Observed:
        """The rows at ``rows`` (m,)."""
        return Observed(
            self.features.take(rows),
            self.target.take(rows),
            self.item[rows],
            self.metric[rows],
            self.encoding,
            self.asked[rows],
        )


def features_of(
    study: Study,
    *,
    judges: Sequence[str] | None = None,
    metrics: Sequence[str] | None = None,
    columns: Sequence[str] = (),
    systems: bool = False,
    encoding: Encoding | None = None,
) -> Observed:
    """Every item and metric with a person's label or a judge's reply, as features and label counts.

    Judges and metrics are all unless named; ``columns`` are numeric item attributes (an embedding),
    ``systems`` tells the responses of a pair apart by who wrote them. ``encoding``, from an earlier call,
    reads new items the same way: a metric it does not list is -1, and its ``aspects``, verdicts on other
    metrics, are further outputs on the rows of its only metric. Ratings given under sight of the judge
    (``anchored``) do not count, and a pair of which any rating was an example in the judge's prompt
    (``used_as_example``) is left out.
    """
    chosen = encoding or Encoding.of(study, judges=judges, metrics=metrics, columns=columns, systems=systems)
    present = [metric.name for metric in study.metrics]
    known = encoding is None or bool(encoding.aspects)
    asked = list(metrics) if metrics is not None else list(chosen.metrics) if known else present
    replies = [*_own_replies(study, chosen, asked), *(aspect.replies(study) for aspect in chosen.aspects)]
    people = [_people(study, chosen, name) for name in asked]
    place = _Place.of(_pairs(study, chosen, asked, people, replies), len(study.items))
    at = [place.rows(reply.item, reply.metric) for reply in replies]
    features = _features(study, chosen, asked, place, list(zip(replies, at, strict=True)))
    target = _target(study, chosen, asked, place, people)
    asked_of = np.zeros(len(place.item), dtype=np.bool_)
    for rows in at:
        asked_of[rows[rows >= 0]] = True
    return Observed(features, target, place.item, features.metric.astype(np.intp), chosen, asked_of)


@dataclass(frozen=True, eq=False)
class _Place:
    """The rows' ``item`` and ``metric`` (n,), and the row of every pair in a ``table`` (metrics * items,)."""

    n_items: int
    item: Positions
    metric: Positions
    table: NDArray[np.int32]

    @classmethod
    def of(cls, pairs: NDArray[np.bool_], n_items: int) -> _Place:
        """One row for each of ``pairs`` (metrics * items,) that counts, sorted by metric and item."""
        cell = np.flatnonzero(pairs)
        table = np.full(len(pairs), -1, dtype=np.int32)
        table[cell] = np.arange(len(cell))
        return cls(n_items, cell % n_items, cell // n_items, table)

    def rows(self, item: Positions, metric: Positions | int) -> Positions:
        """The row of each pair (m,), -1 where it was left out."""
        return self.table[metric * self.n_items + item].astype(np.intp)


def _people(study: Study, encoding: Encoding, metric: str) -> Positions:
    """People's ratings on a metric; where only aspects are looked at it need not be in the study yet."""
    if encoding.view == "decomposed" and metric not in [each.name for each in study.metrics]:
        return np.zeros(0, dtype=np.intp)
    return study.rows(metric, kind="human")


def _own_replies(study: Study, encoding: Encoding, metrics: Sequence[str]) -> list[Replies]:
    """Each judge's replies on the metrics that are predicted; none where only aspects are looked at."""
    used = encoding.judges if encoding.view != "decomposed" else ()
    return [replies_of(study, judge, metrics) for judge in used]


def _pairs(
    study: Study,
    encoding: Encoding,
    metrics: Sequence[str],
    people: Sequence[Positions],
    replies: Sequence[Replies],
) -> NDArray[np.bool_]:
    """Which pairs count (metrics * items,), a metric's items side by side."""
    n = len(study.items)
    keys = [k * n + study.ratings.item[rows].astype(np.intp) for k, rows in enumerate(people)]
    keys += [reply.metric * n + reply.item for reply in replies]
    counts = np.zeros(max(len(metrics), 1) * n, dtype=np.bool_)
    for part in keys:
        counts[part] = True
    column = study.ratings.attributes.get("used_as_example")
    if column is not None:
        said = [value.strip().lower() in ("true", "1", "yes") for value in column.values]
        flagged = np.array([*said, False], dtype=np.bool_)[column.codes]
        names = [metric.name for metric in study.metrics]
        for k, name in {*enumerate(metrics), *((0, aspect.metric) for aspect in encoding.aspects)}:
            code = names.index(name) if name in names else -1
            shown = study.ratings.item[flagged & (study.ratings.metric == code)].astype(np.intp)
            counts[k * n + shown] = False
    return counts


Placed = Sequence[tuple[Replies, Positions]]
"""Each judge's replies, and the row of each of them."""


def _features(
    study: Study, encoding: Encoding, metrics: Sequence[str], place: _Place, replies: Placed
) -> Features:
    known = np.array(
        [encoding.metrics.index(name) if name in encoding.metrics else -1 for name in metrics], dtype=np.int32
    )
    code = {name: k for k, name in enumerate(encoding.systems)}
    system = np.array([code.get(name, -1) for name in systems_of(study)], dtype=np.int32)
    projected: list[NDArray[np.float64]] = []
    if encoding.projection is not None:
        table = np.stack([numeric_column(study, name) for name in encoding.columns], axis=1)
        projected = list(encoding.projection.apply(table).T)
    covariates = [*(column_values(study, name) for name in encoding.covariates), *projected]
    contrasts = [column_values(study, name) for name in encoding.contrasts]
    n = len(study.items)
    return Features(
        encoding.scale,
        tuple(_outputs(encoding, len(place.item), replies)),
        known[place.metric],
        encoding.metrics,
        system[place.item],
        encoding.systems,
        _columns(covariates, n)[place.item],
        (*encoding.covariates, *(f"component {k + 1}" for k in range(len(projected)))),
        _columns(contrasts, n)[place.item],
        encoding.contrasts,
    )


def _outputs(encoding: Encoding, n_rows: int, replies: Placed) -> Iterator[JudgeOutput]:
    """Each judge's output on the rows, then what it said of the same items' other metrics."""
    n_own = len(replies) - len(encoding.aspects)
    own = zip(replies[:n_own], encoding.judges, encoding.judge_labels, strict=False)
    for (reply, at), judge, labels in own:
        yield output_of(reply, judge, labels, encoding.scale, at, n_rows)
    for (reply, at), aspect in zip(replies[n_own:], encoding.aspects, strict=True):
        yield aspect.output(reply, at, (n_rows, len(encoding.scale.labels)))


def _columns(parts: Sequence[NDArray[np.float64]], n: int) -> NDArray[np.float64]:
    return np.stack(parts, axis=1) if parts else np.zeros((n, 0))


def _target(
    study: Study, encoding: Encoding, metrics: Sequence[str], place: _Place, people: Sequence[Positions]
) -> Target:
    """Counts of the people's labels, and the single labels with their raters; a rater's runs count once."""
    c, n = len(encoding.scale.labels), len(place.item)
    rows, raters, labels = [], [], []
    for k, (name, own) in enumerate(zip(metrics, people, strict=True)):
        if not len(own):
            continue
        code = np.array(
            [encoding.scale.code(label) for label in study.metric(name).scale.labels], dtype=np.intp
        )
        label = code[study.ratings.label[own]]
        row = place.rows(study.ratings.item[own].astype(np.intp), k)
        rater = study.ratings.rater[own].astype(np.intp)
        first = _first_of_each(row * len(study.raters) + rater)
        kept = first[(row[first] >= 0) & (label[first] >= 0)]
        rows.append(row[kept])
        raters.append(rater[kept])
        labels.append(label[kept])
    none = np.zeros(0, dtype=np.intp)
    row, rater, label = (np.concatenate([none, *parts]) for parts in (rows, raters, labels))
    counts = np.bincount(row * c + label, minlength=n * c).reshape(n, c).astype(np.float64)
    cluster = study.items.cluster
    groups = place.item if cluster is None else cluster[place.item]
    _, code = used_codes(groups, int(groups.max(initial=-1)) + 1)
    return Target(counts, code, np.ones(n), row, rater, label)


def _first_of_each(key: Positions) -> Positions:
    """Where each key comes first among ``key`` (m,), the smallest key first."""
    if (key[1:] > key[:-1]).all():
        return np.arange(len(key))
    return np.unique(key, return_index=True)[1]
