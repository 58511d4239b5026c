"""Flips: how often a judge's verdicts move when items are changed, with intervals over items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voirdire.align.plain import plain
from voirdire.checks.shares import share_of
from voirdire.decide.lines import aligned
from voirdire.judges.judge import Judge
from voirdire.judges.planning import Plan, whole_plan
from voirdire.judges.probing import CONTROL, Change, probed
from voirdire.stats.clustered import clustered_mean
from voirdire.stats.estimate import Estimate
from voirdire.store.parts import stored
from voirdire.store.schema import verdicts
from voirdire.store.sql import Store
from voirdire.study.study import Study

__all__ = ["Flip", "Flips", "flips"]

Key = tuple[str, int]
"""An item and a run."""
COLUMNS = ("content_hash", "run", "item_id", "metric", "label", "status", "probabilities")


@dataclass(frozen=True, slots=True)
class _Given:
    """One verdict: its label, None where the judge gave none, and its probabilities where there are any."""

    label: str | None
    probabilities: Mapping[str, float] | None


Verdicts = Mapping[Key, _Given]
"""The verdicts on one metric."""


@dataclass(frozen=True, kw_only=True)
class Flip:
    """What one change did to the verdicts on one metric.

    Of the ``n`` verdicts that had a label before, ``moved`` is the share with another label after and
    ``lost`` the share with none. Where the change asks for a label (``wanted``), ``obeyed`` is the share of
    verdicts with that label among those that did not have it before, ``beyond`` how much larger this is than
    under the probe's control, on the same verdicts, and ``shift`` how much the probability of that label
    grows beyond its growth under the control, over all verdicts with probabilities; one may move where no
    label does.
    """

    metric: str
    change: str
    n: int
    moved: Estimate
    lost: Estimate
    wanted: str | None = None
    obeyed: Estimate | None = None
    beyond: Estimate | None = None
    shift: Estimate | None = None


@dataclass(frozen=True, kw_only=True)
class Flips:
    """A probe's results on one judge: one row a metric and change."""

    judge: str
    version: str
    probe: str
    rows: tuple[Flip, ...]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data for JSON; what is undefined is null."""
        found: dict[str, Any] = plain(self)
        return found

    def __str__(self) -> str:
        asks = any(row.wanted is not None for row in self.rows)
        head = [
            "metric",
            "change",
            "n",
            "moved",
            "lost",
            *(["asks for", "obeyed", "beyond", "shift"] if asks else []),
        ]
        lines = aligned([head, *(_cells(row, asks) for row in self.rows)], numbers=[2])
        return "\n".join([f"{self.judge} (version {self.version}), probe {self.probe}", *lines])


def flips(plan: Plan, probe: str, store: Store, probes: Store, *, level: float = 0.95) -> Flips:
    """Compare the verdicts of a :func:`whole_plan` in ``store`` with those on changed items in ``probes``.

    A verdict counts where it is there before and after, of the judge's present version and rubric. Intervals
    are Wilson's, and a t interval for ``beyond``, over clusters of items; several runs of an item count as
    one cluster.
    """
    judge = plan.judge
    before = _given(plan, store)
    after = {
        name: (change, _given(under(plan, altered), probes))
        for name, (change, altered) in probed(judge, probe).items()
    }
    control = after[CONTROL][1] if CONTROL in after else {}
    compare = _Comparison(plan.study, level)
    rows = [
        compare.flip(metric, change, known, labels.get(metric, {}), control.get(metric, {}))
        for metric, known in before.items()
        for change, labels in after.values()
    ]
    return Flips(judge=judge.name, version=judge.version, probe=probe, rows=tuple(rows))


def under(plan: Plan, judge: Judge) -> Plan:
    """The same plan for another judge."""
    metrics = dict.fromkeys(plan.metric(task).name for task in plan.tasks)
    runs = max((task.run for task in plan.tasks), default=0) + 1
    return whole_plan(plan.study, judge, runs=runs, metrics=tuple(metrics))


def _given(plan: Plan, store: Store) -> dict[str, dict[Key, _Given]]:
    """By metric the verdicts of ``plan`` that ``store`` holds; failed calls are none."""
    wanted = {(task.content_hash, task.run) for task in plan.tasks}
    own = {"rater_id": plan.judge.name, "judge_version": plan.judge.version, "part": ""}
    found: dict[str, dict[Key, _Given]] = {}
    for row in stored(store, verdicts, COLUMNS, **own):
        if (row["content_hash"], row["run"]) in wanted and row["status"] != "error":
            given = _Given(row["label"], row["probabilities"])
            found.setdefault(row["metric"], {})[row["item_id"], row["run"]] = given
    return found


@dataclass(frozen=True, eq=False)
class _Comparison:
    study: Study
    level: float

    def flip(self, metric: str, change: Change, before: Verdicts, after: Verdicts, control: Verdicts) -> Flip:
        """One row."""
        keys = sorted(key for key, given in before.items() if given.label is not None and key in after)
        lost = np.array([after[key].label is None for key in keys], dtype=bool)
        moved = np.array([after[key].label not in (None, before[key].label) for key in keys], dtype=bool)
        shown = Flip(
            metric=metric,
            change=change.name,
            n=len(keys),
            moved=self._share(moved, keys),
            lost=self._share(lost, keys),
        )
        wanted = change.wanted(self.study.metric(metric))
        if wanted is None:
            return shown
        open_to = [key for key in keys if before[key].label != wanted]
        obeyed = np.array([after[key].label == wanted for key in open_to], dtype=bool)
        both = [key for key in open_to if key in control]
        more = [(after[key].label == wanted) - float(control[key].label == wanted) for key in both]
        told = [key for key in keys if key in control and _told(after[key]) and _told(control[key])]
        shift = [_share_of(after[key], wanted) - _share_of(control[key], wanted) for key in told]
        return replace(
            shown,
            wanted=wanted,
            obeyed=self._share(obeyed, open_to),
            beyond=self._mean(more, both),
            shift=self._mean(shift, told),
        )

    def _mean(self, values: list[float], keys: list[Key]) -> Estimate:
        return clustered_mean(np.array(values), cluster=self._clusters(keys), level=self.level)

    def _share(self, hits: NDArray[np.bool_], keys: list[Key]) -> Estimate:
        return share_of(hits, cluster=self._clusters(keys), level=self.level)

    def _clusters(self, keys: list[Key]) -> NDArray[np.intp]:
        """The cluster of each verdict's item, or the item where the study declares none, from 0 on."""
        items = self.study.items
        place = {name: code for code, name in enumerate(items.ids)}
        codes = np.array([place[item] for item, _ in keys], dtype=np.intp)
        shared = codes if items.cluster is None else np.asarray(items.cluster)[codes]
        return np.unique(shared, return_inverse=True)[1].astype(np.intp)


def _cells(row: Flip, asks: bool) -> list[str]:
    return [
        row.metric,
        row.change,
        f"{row.n:,}",
        str(row.moved),
        str(row.lost),
        *(_asked(row) if asks else ()),
    ]


def _asked(row: Flip) -> Iterator[str]:
    yield row.wanted or ""
    for estimate in (row.obeyed, row.beyond, row.shift):
        yield "" if estimate is None or estimate.undefined else str(estimate)


def _told(given: _Given) -> bool:
    return given.probabilities is not None


def _share_of(given: _Given, label: str) -> float:
    return (given.probabilities or {}).get(label, 0.0)
