"""The study that corrected rates need: verdicts that count now, and people's labels beside them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from voirdire.bench.outcomes import LACKING, MISSING, Outcomes
from voirdire.bench.study import LABELS, declared
from voirdire.bench.suite import Bench
from voirdire.store.labels import collected
from voirdire.store.sql import Store
from voirdire.study.build import build
from voirdire.study.column import Column
from voirdire.study.config import MetricConfig, ScaleConfig, StudyConfig, TableConfig
from voirdire.study.criterion import criterion_hash
from voirdire.study.ratings import STATUSES, Source
from voirdire.study.raw import RawTable
from voirdire.study.study import Study

__all__ = ["criteria_of", "labelled_study", "outdated_labels"]

Rows = NDArray[np.intp]
CHANCE = "sampling_probability"
STATUS = {code: name if name in STATUSES else "ok" for code, name in enumerate(LACKING)}


def labelled_study(bench: Bench, judges: Sequence[tuple[str, Outcomes]], store: Store) -> Study | None:
    """Verdicts of ``judges``, by name, and people's labels on metrics that people labelled; None without one.

    A label counts on a conversation of the outcomes and on its own metric, if it answers the wording that
    ``bench`` asks now. The chance with which a review
    sampled it stays with it, where every label has one.
    """
    outcomes = judges[0][1]
    config = declared(bench)
    given = collected(store, criteria=criteria_of(config))
    own = {
        name: outcomes.metrics[code].name for name, code in zip(outcomes.ids, outcomes.metric, strict=True)
    }
    people = None if given.ratings is None else _on_these(given.ratings, own)
    if people is None:
        return None
    labelled = set(people.columns["metric"].values)
    wanted = np.array([metric.name in labelled for metric in outcomes.metrics], dtype=np.bool_)
    rows = np.flatnonzero(wanted[outcomes.metric])
    metrics = {
        name: _with_scale(one, given.scales.get(name))
        for name, one in config.metrics.items()
        if name in labelled
    }
    config = config.model_copy(update={"metrics": metrics, "unrated": False})
    tables = [
        (_items(outcomes, rows), TableConfig(file="conversations", kind="items")),
        *((_verdicts(name, one, rows), TableConfig(file=name)) for name, one in judges),
        (people, TableConfig(file=people.name)),
    ]
    return build(tables, config, name=bench.config.name, judges=[name for name, _ in judges])


def outdated_labels(bench: Bench, store: Store) -> int:
    """How many of people's labels answer an earlier wording of their metric."""
    return collected(store, criteria=criteria_of(declared(bench))).outdated


def criteria_of(config: StudyConfig) -> dict[str, str]:
    """Hashes of what people are asked on each metric, to tell labels on an earlier wording."""
    return {name: criterion_hash(metric) for name, metric in config.metrics.items()}


def _on_these(table: RawTable, own: dict[str, str]) -> RawTable | None:
    """The ratings of conversations that are there, on their own metric; None where there is none."""
    item, metric = table.columns["item_id"], table.columns["metric"]
    pairs = zip(item, metric, strict=True)
    rows = np.array([place for place, (one, of) in enumerate(pairs) if own.get(one or "") == of], np.intp)
    if not len(rows):
        return None
    columns = {name: column.take(rows).compact() for name, column in table.columns.items()}
    if CHANCE in columns and (columns[CHANCE].is_missing & columns["rater_kind"].equals("human")).any():
        del columns[CHANCE]  # a chance that some labels lack would weigh the others alone
    return RawTable(table.source, columns, table.row[rows], text=False)


def _with_scale(metric: MetricConfig, scale: ScaleConfig | None) -> MetricConfig:
    """The metric on the scale that a round of review offered, where that holds more."""
    return metric if scale is None else metric.model_copy(update={"scale": scale})


def _items(outcomes: Outcomes, rows: Rows) -> RawTable:
    metrics = [metric.name for metric in outcomes.metrics]
    own = [metrics[code] for code in outcomes.metric[rows].tolist()]
    scenario = [outcomes.scenarios[code] for code in outcomes.scenario[rows].tolist()]
    ids = [outcomes.ids[row] for row in rows.tolist()]
    columns = {
        "item_id": Column.of(ids),
        "system": Column(outcomes.system[rows].astype(np.int32), outcomes.systems).compact(),
        "cluster": Column.of(own),
        "variant_of": Column.of([f"{one}/{name}" for one, name in zip(own, scenario, strict=True)]),
    }
    for axis in outcomes.axes[0] if outcomes.axes else ():
        values = [one[axis] for one in outcomes.axes]
        columns[axis] = Column.of([values[code] for code in outcomes.variant[rows].tolist()])
    return RawTable(Source("conversations"), columns, np.arange(1, len(rows) + 1), text=False)


def _verdicts(judge: str, outcomes: Outcomes, rows: Rows) -> RawTable:
    """One row a conversation that was judged: its first verdict, or the status of one that has no label."""
    asked = rows[(outcomes.present[rows] != MISSING) | (outcomes.lacking[rows] > LACKING.index("not judged"))]
    metrics = [metric.name for metric in outcomes.metrics]
    labels = [None if sign == MISSING else LABELS[sign] for sign in outcomes.present[asked].tolist()]
    columns = {
        "item_id": Column.of([outcomes.ids[row] for row in asked.tolist()]),
        "metric": Column.of([metrics[code] for code in outcomes.metric[asked].tolist()]),
        "rater_id": Column.constant(judge, len(asked)),
        "rater_kind": Column.constant("judge", len(asked)),
        "label": Column.of(labels),
        "status": Column.of([STATUS[code] for code in outcomes.lacking[asked].tolist()]),
    }
    return RawTable(Source(judge), columns, np.arange(1, len(asked) + 1), text=False)
