"""How far people agree in a round so far, by metric: the audit's own figures on the labels that are in."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace

import numpy as np
import sqlalchemy as sql
from numpy.typing import NDArray

from voirdire.checks.context import Context
from voirdire.checks.options import AuditOptions
from voirdire.checks.panels import subset
from voirdire.checks.people_agreement import agreed
from voirdire.checks.scales import alpha_level
from voirdire.errors import UserError
from voirdire.review.desk import Desk, Round, now
from voirdire.stats import Estimate, krippendorff_alpha, undefined
from voirdire.stats.krippendorff import Level
from voirdire.store.labels import collected
from voirdire.store.review_schema import labels
from voirdire.study import Panel, Scale, Study
from voirdire.study.build import build
from voirdire.study.config import MetricConfig, ScaleConfig, StudyConfig, TableConfig
from voirdire.study.items import Items
from voirdire.study.metric import Metric

__all__ = ["FEWEST", "Agreement", "Agreements", "Measured", "agreement_so_far", "labels_so_far"]

FEWEST = 5
"""Items with two labels below which no figure is shown: resampling so few says next to nothing."""
SIXTHS = 6
PAUSE = 30.0
"""Seconds between two computations."""
PATIENCE = 2.0
"""Seconds that a page waits for the first figures of a round."""


@dataclass(frozen=True)
class Agreement:
    """Agreement on one metric: ``alpha`` for these raters on new items, and its course by sixths of labels.

    ``course`` holds NaN where alpha was not defined yet. ``items`` are those with two labels or more,
    ``anchored`` counts labels that were given with a judge's verdict in view, which are left out.
    """

    metric: str
    alpha: Estimate
    items: int
    course: tuple[float, ...] = ()
    anchored: int = 0

    @property
    def few(self) -> bool:
        """Whether there are too few items with two labels to show a figure."""
        return self.items < FEWEST


@dataclass(frozen=True)
class Measured:
    """Agreement on every metric of a round, as of ``at``; ``problem`` says why it could not be computed."""

    by_metric: Mapping[str, Agreement] = field(default_factory=dict)
    at: str = ""
    problem: str = ""


def labels_so_far(desk: Desk, round_: Round) -> Study | None:
    """The study that an audit of this round's labels alone would read; None while there is no label."""
    said = collected(desk.store, round_id=round_.id)
    if said.ratings is None:
        return None
    rated = said.ratings.columns["metric"].values
    metrics = {name: _config(desk.study.metric(name), said.scales.get(name)) for name in rated}
    table = TableConfig(file=said.ratings.name)
    return _placed(desk, build([(said.ratings, table)], StudyConfig(metrics=metrics), name=desk.study.name))


def _placed(desk: Desk, study: Study) -> Study:
    """``study`` with the clusters of the desk's items, and its own in the order in which an audit meets them.

    Resamples are drawn item after item: another order would give another interval, by a hundredth or so.
    """
    order = sorted(range(len(study.items)), key=_order(desk, study.items.ids))
    ids = tuple(study.items.ids[k] for k in order)
    units = desk.study.items.cluster
    cluster = None if units is None else units[[desk.position[name] for name in ids]]
    place = np.argsort(order).astype(study.ratings.item.dtype)
    ratings = replace(study.ratings, item=place[study.ratings.item])
    return replace(study, items=Items(ids, cluster=cluster), ratings=ratings)


def _order(desk: Desk, ids: Sequence[str]) -> Callable[[int], tuple[bool, int]]:
    """What sorts items: those that the study's own files rate, in their order, then others as they came."""
    rounds = {one.id for one in desk.rounds()}
    ratings = desk.study.ratings
    own = np.array([run not in rounds for run in ratings.run.values] + [True])[ratings.run.codes]
    rated = set(np.unique(ratings.item[own]).tolist())
    codes = [desk.position[name] for name in ids]
    return lambda k: (codes[k] not in rated, codes[k] if codes[k] in rated else k)


def agreement_so_far(
    desk: Desk, round_: Round, *, options: AuditOptions | None = None
) -> dict[str, Agreement]:
    """Krippendorff's alpha on each metric of a round, chosen by its scale and resampled as an audit does.

    Answers that came late are left out, and so are labels that were given with a judge's verdict in view.
    """
    nothing = {name: Agreement(name, undefined("no_labels"), 0) for name in round_.settings.metrics}
    study = labels_so_far(desk, round_)
    if study is None:
        return nothing
    context = Context(study, options or AuditOptions())
    anchored = _anchored(study)
    rated = [metric.name for metric in study.metrics if metric.name in nothing]
    return nothing | {name: _measured(context, name, anchored.get(name, 0)) for name in rated}


class Agreements:
    """Keeps the agreement of rounds fresh: computed aside, at most every 30 seconds, when labels came."""

    def __init__(self, desk: Desk, *, pause: float = PAUSE, patience: float = PATIENCE) -> None:
        self._desk, self._pause, self._patience = desk, pause, patience
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="agreement")
        self._lock = threading.Lock()
        self._known: dict[str, tuple[int, Measured]] = {}
        self._running: dict[str, tuple[float, Future[None]]] = {}

    def latest(self, round_: Round) -> Measured:
        """The newest figures that are there; the first are waited for a moment, later ones never."""
        # figures of no label say nothing of those that came since, and would contradict the page's counts
        empty = self._known.get(round_.id, (0, Measured()))[0] == 0
        with self._lock:
            started, running = self._running.get(round_.id, (-np.inf, None))
            rested = empty or time.monotonic() - started >= self._pause
            due = rested and (running is None or running.done())
            if due:
                running = self._pool.submit(self._measure, round_)
                self._running[round_.id] = (time.monotonic(), running)
        if empty and running is not None:
            try:
                running.result(self._patience)
            except TimeoutError:
                return Measured()
        return self._known.get(round_.id, (0, Measured()))[1]

    def _measure(self, round_: Round) -> None:
        at, count = now(), self._count(round_)
        before, last = self._known.get(round_.id, (-1, Measured()))
        if before == count and not last.problem:
            self._known[round_.id] = (count, replace(last, at=at))
            return
        try:
            measured = Measured(agreement_so_far(self._desk, round_), at)
        except UserError as problem:
            measured = replace(last, problem=str(problem))
        self._known[round_.id] = (count, measured)

    def _count(self, round_: Round) -> int:
        """How many answers ever came, which changes with every one."""
        query = sql.select(sql.func.count().label("n")).select_from(labels)
        return int(self._desk.store.rows(query.where(labels.c.round_id == round_.id))[0]["n"])


def _measured(context: Context, name: str, anchored: int) -> Agreement:
    panel = context.people(name, context.policies(name)[0])
    one = agreed(context).get(name)
    if one is None:
        reason = "no_pairable_items" if panel.coded.n_ratings else "no_labels"
        return Agreement(name, undefined(reason), 0, anchored=anchored)
    return Agreement(name, one.alpha, one.n_items, _course(context.study, panel), anchored)


def _course(study: Study, panel: Panel) -> tuple[float, ...]:
    """Alpha on the first sixth of all the people's labels of the round, on two sixths, and so on."""
    people = np.flatnonzero(study.is_kind("human")[study.ratings.rater])
    ends = [people[-(-len(people) * k // SIXTHS) - 1] for k in range(1, SIXTHS + 1)]
    level = alpha_level(panel.scale)
    return tuple(_alpha(panel, panel.rows <= end, level) for end in ends)


def _alpha(panel: Panel, rows: NDArray[np.bool_], level: Level) -> float:
    if not rows.any():
        return float("nan")
    coded = subset(panel.coded, rows)[0]
    return krippendorff_alpha(coded, level=level)


def _anchored(study: Study) -> dict[str, int]:
    column = study.ratings.attributes.get("anchored")
    if column is None:
        return {}
    rows = column.equals("true")
    counts = np.bincount(study.ratings.metric[rows], minlength=len(study.metrics))
    return {metric.name: int(n) for metric, n in zip(study.metrics, counts, strict=True)}


def declared_scale(scale: Scale) -> ScaleConfig:
    """A scale as it is declared: response sets are found in the labels anew."""
    kept = [k for k, label in enumerate(scale.labels) if not label.startswith("[")]
    labels = [scale.labels[k] for k in kept]
    return ScaleConfig(
        kind=scale.kind,
        labels=labels,
        ordered=scale.ordered,
        values=None if scale.values is None else [scale.values[k] for k in kept],
        indeterminate={
            label: list(admits) for label, admits in scale.indeterminate.items() if label in labels
        },
        separator=scale.separator or "",
    )


def _config(metric: Metric, offered: ScaleConfig | None) -> MetricConfig:
    """A metric as an audit reads it: on its own scale, or on the round's where answers hold its labels."""
    return MetricConfig(title=metric.title, scale=offered or declared_scale(metric.scale))
