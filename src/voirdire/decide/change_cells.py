"""Two studies on one set of items: what judge and people said of every item then and now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from voirdire.decide.rates_quantities import quantities
from voirdire.errors import UserError
from voirdire.study.metric import Metric
from voirdire.study.policy import KEPT_APART
from voirdire.study.study import Study

__all__ = ["Both", "Cells", "Scoring", "judge_pairs"]

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]
MOST_LABELS = 200
"""A scale with more labels is not compared label by label."""


@dataclass(frozen=True, eq=False)
class Both:
    """Every item of either study: where the old and new ones stand, and the ``cluster`` (N,) of each.

    Items are matched by id, and clusters that share an item are one.
    """

    old: Study
    new: Study
    ids: tuple[str, ...]
    at_old: Positions
    at_new: Positions
    cluster: Positions

    @classmethod
    def of(cls, old: Study, new: Study) -> Both:
        """Match the items of two studies."""
        place = {name: k for k, name in enumerate(dict.fromkeys((*old.items.ids, *new.items.ids)))}
        at = [np.array([place[name] for name in study.items.ids], dtype=np.intp) for study in (old, new)]
        return cls(old, new, tuple(place), at[0], at[1], _clusters((old, new), at, len(place)))

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def in_old(self) -> NDArray[np.bool_]:
        """Which items the old study has, (N,)."""
        return _at(self.at_old, len(self))

    @cached_property
    def in_new(self) -> NDArray[np.bool_]:
        """Which items the new study has, (N,)."""
        return _at(self.at_new, len(self))

    @property
    def shared(self) -> NDArray[np.bool_]:
        """Which items both studies have, (N,)."""
        return self.in_old & self.in_new

    @property
    def metrics(self) -> tuple[str, ...]:
        """Metrics of both, in the old study's order."""
        theirs = {metric.name for metric in self.new.metrics}
        return tuple(metric.name for metric in self.old.metrics if metric.name in theirs)

    def cells(self, metric: str, judge: tuple[str, str]) -> Cells | None:
        """What judge and people said on ``metric``, in either study; None with too many labels."""
        found = [
            (study, at, name)
            for study, at, name in ((self.old, self.at_old, judge[0]), (self.new, self.at_new, judge[1]))
            if any(each.name == metric for each in study.metrics)
        ]
        labels = tuple(
            dict.fromkeys(label for study, _, _ in found for label in study.metric(metric).scale.labels)
        )
        if len(labels) > MOST_LABELS:
            return None
        tables = {}
        for key, study, at, name in (
            ("old", self.old, self.at_old, judge[0]),
            ("new", self.new, self.at_new, judge[1]),
        ):
            tables[f"judge_{key}"], tables[f"people_{key}"] = np.zeros((2, len(self), len(labels)))
            if not any(each is study for each, _, _ in found):
                continue
            places = [labels.index(label) for label in study.metric(metric).scale.labels]
            columns = np.array(places, dtype=np.intp)
            tables[f"judge_{key}"][np.ix_(at, columns)] = _verdicts(study, metric, name)
            tables[f"people_{key}"][np.ix_(at, columns)] = _people(study, metric)
        return Cells(metric, labels, **tables)


@dataclass(frozen=True, eq=False)
class Cells:
    """Counts (N, L) of the labels that the old and new judge's runs and people gave on one metric."""

    metric: str
    labels: tuple[str, ...]
    judge_old: Floats
    judge_new: Floats
    people_old: Floats
    people_new: Floats

    @property
    def people(self) -> Floats:
        """People's labels (N, L) of the old study where it has any, else of the new one."""
        return np.where(self.people_old.any(axis=1, keepdims=True), self.people_old, self.people_new)

    @property
    def people_now(self) -> Floats:
        """People's labels (N, L) of the new study, or of the old one where the new one has none at all."""
        return self.people_new if self.people_new.any() else self.people_old


@dataclass(frozen=True, eq=False)
class Scoring:
    """How a metric counts labels: ``becomes`` is each label's after the policy, ``value`` its worth.

    Both hold only labels that count. ``name`` says what the mean of the values is, '' where there is none.
    """

    name: str
    becomes: Mapping[str, str]
    value: Mapping[str, float]

    @classmethod
    def of(cls, metric: Metric) -> Scoring:
        """The scoring that ``metric`` declares: its policy, polarity and values."""
        scale, codes = metric.policy.apply(metric.scale)
        becomes = {
            label: scale.labels[code]
            for label, code in zip(metric.scale.labels, codes.tolist(), strict=True)
            if code >= 0
        }
        main = next((one for one in quantities(metric, scale) if one.main), None)
        value = {} if main is None else dict(zip(scale.labels, main.value.tolist(), strict=True))
        return cls("" if main is None else main.name, becomes, value)

    @classmethod
    def both(cls, old: Metric, new: Metric) -> tuple[Scoring, Scoring]:
        """How a metric counted labels and counts them now: one scoring where labels of both count alike.

        A study that lacks some labels says nothing of them, so that their absence is no other scoring.
        """
        one, two = cls.of(old), cls.of(new)
        alike = all(one.becomes.get(label) == two.becomes.get(label) for label in _known(old) & _known(new))
        worth = all(one.value[label] == two.value[label] for label in one.value.keys() & two.value.keys())
        if not (alike and (worth or not one.name or not two.name)):
            return one, two
        merged = cls(
            one.name or two.name,
            {**two.becomes, **one.becomes},
            {**(two.value if two.name else {}), **one.value},
        )
        return merged, merged

    def mean(self, counts: Floats, labels: Sequence[str]) -> Floats:
        """Mean value (N,) of label counts (N, L), NaN without a label that has one."""
        worth = np.array([self.value.get(self.becomes.get(label, ""), np.nan) for label in labels])
        known = np.isfinite(worth)
        return _ratio(counts[:, known] @ worth[known], counts[:, known].sum(axis=1))

    def agreement(self, judge: Floats, people: Floats, labels: Sequence[str]) -> Floats:
        """Chance (N,) that a run of the judge and a person agree, from counts (N, L); NaN without both."""
        one, two = self.shares(judge, labels), self.shares(people, labels)
        chance: Floats = (one * two).sum(axis=1)
        return chance

    def shares(self, counts: Floats, labels: Sequence[str]) -> Floats:
        """Shares (N, K) of the K labels after the policy, NaN in rows without any."""
        names = list(dict.fromkeys(self.becomes.values()))
        merged = np.zeros((len(counts), len(names)))
        for k, label in enumerate(labels):
            if label in self.becomes:
                merged[:, names.index(self.becomes[label])] += counts[:, k]
        return _ratio(merged, merged.sum(axis=1, keepdims=True))


def judge_pairs(old: Study, new: Study, wanted: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Which judge of the old study is compared with which of the new one; none where either has no judge."""
    names = [[study.raters[code].id for code in study.raters_of("judge")] for study in (old, new)]
    if wanted:
        pairs = [tuple(name.split("=", 1)) if "=" in name else (name, name) for name in wanted]
        for pair in pairs:
            for study, name, known in zip((old, new), pair, names, strict=True):
                if name not in known:
                    raise UserError(
                        f"no judge named '{name}'", where=study.name, expected=f"one of {', '.join(known)}"
                    )
        return tuple((pair[0], pair[1]) for pair in pairs)
    if not names[0] or not names[1]:
        return ()
    both = [name for name in names[0] if name in names[1]]
    if both:
        return tuple((name, name) for name in both)
    if len(names[0]) == len(names[1]) == 1:
        return ((names[0][0], names[1][0]),)
    raise UserError(
        f"the judges were {', '.join(names[0])} and now are {', '.join(names[1])}",
        expected="which replaced which",
        fix=f"--use {names[0][0]}={names[1][0]}",
    )


def _known(metric: Metric) -> set[str]:
    return set(metric.scale.labels)


def _ratio(top: Floats, bottom: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = np.where(bottom > 0, top / bottom, np.nan)
    return found


def _at(place: Positions, n: int) -> NDArray[np.bool_]:
    found = np.zeros(n, dtype=np.bool_)
    found[place] = True
    return found


def _verdicts(study: Study, metric: str, judge: str) -> Floats:
    """Counts (n_items, L) of the judge's verdicts; zeros where the study has no such judge."""
    code = next((k for k in study.raters_of("judge") if study.raters[k].id == judge), -1)
    every = np.arange(len(study.items))
    return study.verdicts(metric, code, every, policy=KEPT_APART).counts.astype(np.float64)


def _people(study: Study, metric: str) -> Floats:
    panel = study.panel(metric, policy=KEPT_APART)
    counts = np.zeros((len(study.items), len(panel.scale.labels)))
    counts[panel.items] = panel.coded.counts()
    return counts


def _clusters(studies: Sequence[Study], at: Sequence[Positions], n: int) -> Positions:
    """Components of items that share a cluster in either study, numbered from 0."""
    one, two, size = [], [], n
    for study, place in zip(studies, at, strict=True):
        if study.items.cluster is not None:
            one.append(place)
            two.append(size + study.items.cluster.astype(np.intp))
            size += int(study.items.cluster.max(initial=-1)) + 1
    if not one:
        return np.arange(n)
    row, column = np.concatenate(one), np.concatenate(two)
    graph = coo_array((np.ones(len(row)), (row, column)), shape=(size, size))
    return np.unique(connected_components(graph, directed=False)[1][:n], return_inverse=True)[1].astype(
        np.intp
    )
