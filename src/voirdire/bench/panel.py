"""The panel's audit of a run: which conversations people read, how many people each, and by what chance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import sqlalchemy as sql
from numpy.typing import NDArray

from voirdire.bench.collecting import outcomes_of
from voirdire.bench.manifest import Run
from voirdire.bench.outcomes import MISSING, Outcomes
from voirdire.bench.running import plans_of
from voirdire.decide.assignments import Task, assign, even_targets
from voirdire.decide.lines import aligned, folded
from voirdire.errors import UserError, check_names, check_share, check_whole
from voirdire.store.review_schema import labels
from voirdire.store.sql import Store
from voirdire.study.column import Column
from voirdire.writers.columns import Table

__all__ = ["PanelOptions", "PanelPlan", "Stratum", "panel_plan"]

Positions = NDArray[np.intp]
SEVERAL, ONE = "read by several", "read by one"
CHANCE = "sampling_probability"
COLUMNS = ("item_id", "metric", "rater_id", "purpose", "stratum", CHANCE)
NO_LIMIT = 2**31
SHOWN = 10


@dataclass(frozen=True, kw_only=True)
class PanelOptions:
    """Options of a panel's audit.

    ``raters`` maps each person to the most labels they give, 0 for no limit. ``conversations`` are drawn; of
    each stratum the share ``shared`` is read by ``overlap`` people, and so is every conversation on a
    contested metric: one of ``contested``, or where people or repeats of the judge differed so far.
    ``metrics`` are all that were judged where empty.

    >>> PanelOptions(raters={"Ann": 0, "Bo": 40}).overlap
    2
    """

    raters: Mapping[str, int] = field(default_factory=dict)
    conversations: int = 150
    overlap: int = 2
    shared: float = 0.3
    contested: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    seed: int = 20261129

    def __post_init__(self) -> None:
        if not self.raters:
            raise UserError("nobody to label", fix="name people: --rater Ann --rater Bo")
        check_whole("conversations", self.conversations, 1, 10_000_000)
        check_whole("overlap", self.overlap, 1, len(self.raters))
        check_whole("seed", self.seed, 0, 2**63 - 1)
        if self.shared:
            check_share("shared", self.shared, 0)
        for name in ("contested", "metrics"):
            check_names(name, getattr(self, name))


@dataclass(frozen=True, slots=True)
class Stratum:
    """Conversations alike in verdict, family and variant: how many there are, and how many were drawn."""

    verdict: str
    family: str
    variant: str
    size: int
    drawn: int

    @property
    def name(self) -> str:
        """As it stands in the plan."""
        return ", ".join((self.verdict, self.family, self.variant))

    @property
    def chance(self) -> float:
        """The chance of each of its conversations of being drawn."""
        return self.drawn / self.size


@dataclass(frozen=True)
class PanelPlan:
    """``rows`` (item, metric, rater, purpose, stratum, chance) are the labels that are asked for.

    ``contested`` are the metrics of which every conversation drawn is read by several; ``missing`` labels
    find nobody, ``unjudged`` conversations have no verdict and could not be drawn.
    """

    run: str
    strata: tuple[Stratum, ...]
    rows: tuple[tuple[str, str, str, str, str, float], ...]
    contested: tuple[str, ...]
    missing: int
    unjudged: int

    @property
    def table(self) -> Table:
        """The rows as a table to write, which ``voirdire review --plan`` takes."""
        words = {
            name: Column.of([str(row[place]) for row in self.rows])
            for place, name in enumerate(COLUMNS)
            if name != CHANCE
        }
        return Table(words, {CHANCE: np.array([row[-1] for row in self.rows])})

    @property
    def items(self) -> int:
        """Conversations that are read."""
        return len({row[0] for row in self.rows})

    def to_dict(self) -> dict[str, Any]:
        """Plain data, with a row each label."""
        strata = [
            {name: getattr(one, name) for name in ("verdict", "family", "variant", "size", "drawn", "chance")}
            for one in self.strata
        ]
        rows = [dict(zip(COLUMNS, row, strict=True)) for row in self.rows]
        told = {"run": self.run, "contested": list(self.contested), "missing": self.missing}
        return {**told, "unjudged": self.unjudged, "strata": strata, "rows": rows}

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def panel_plan(run: Run, store: Store, options: PanelOptions) -> PanelPlan:
    """Whom to ask about which conversations of ``run``, stratified by verdict, system family and variant.

    Each stratum gets as even a share of the conversations as its size allows, so that rare verdicts are seen,
    and each conversation's chance of being drawn is kept, by which rates weigh it. Within a stratum
    conversations are drawn at random without replacement. Nobody is told the verdict or the stratum.
    """
    (plan, *_) = plans_of(run, store)
    outcomes = outcomes_of(run.bench, plan, store)
    names = [metric.name for metric in outcomes.metrics]
    for name in (*options.metrics, *options.contested):
        if name not in names:
            raise UserError(f"no metric '{name}'", where=run.label, expected=f"one of {', '.join(names)}")
    chosen = np.array([not options.metrics or name in options.metrics for name in names], dtype=np.bool_)
    asked = chosen[outcomes.metric]
    judged = np.flatnonzero(asked & (outcomes.present != MISSING))
    if not len(judged):
        raise UserError("no conversation has a verdict yet", where=run.label, fix="voirdire bench run")
    rng = np.random.default_rng(options.seed)
    families = {one["system"]: one["family"] or one["system"] for one in run.document["targets"]}
    strata, drawn = _drawn(outcomes, judged, families, options.conversations, rng)
    contested = _contested(outcomes, store, options)
    several = _several(outcomes, drawn, contested, options.shared, rng)
    rows, missing = _assigned(outcomes, strata, drawn, several, options, rng)
    unjudged = int(asked.sum()) - len(judged)
    return PanelPlan(run.label, strata, rows, tuple(sorted(contested)), missing, unjudged)


def _drawn(
    outcomes: Outcomes, rows: Positions, families: Mapping[str, str], n: int, rng: np.random.Generator
) -> tuple[tuple[Stratum, ...], list[Positions]]:
    """The strata, and the conversations drawn of each."""
    family = np.array([families.get(name, name) for name in outcomes.systems], dtype=object)
    groups: dict[tuple[int, str, int], list[int]] = {}
    for row in rows.tolist():
        key = int(outcomes.present[row]), str(family[outcomes.system[row]]), int(outcomes.variant[row])
        groups.setdefault(key, []).append(row)
    keys = sorted(groups)
    sizes = np.array([len(groups[key]) for key in keys], dtype=np.int64)
    counts = _allocated(sizes, n)
    drawn = [np.sort(rng.permutation(groups[key])[:count]) for key, count in zip(keys, counts, strict=True)]
    strata = tuple(
        Stratum("present" if verdict else "absent", name, outcomes.variants[variant], int(size), count)
        for (verdict, name, variant), size, count in zip(keys, sizes, counts, strict=True)
    )
    return strata, drawn


def _allocated(sizes: NDArray[np.int64], n: int) -> list[int]:
    """Whole numbers as even as sizes allow that sum to ``n`` or to all, at least one each."""
    n = max(min(n, int(sizes.sum())), len(sizes))
    exact = even_targets(sizes, n)
    counts = np.maximum(np.floor(exact + 1e-9).astype(np.int64), 1)
    while counts.sum() < n:
        counts[np.argmax(np.where(counts < sizes, exact - counts, -np.inf))] += 1
    return [int(count) for count in counts]


def _contested(outcomes: Outcomes, store: Store, options: PanelOptions) -> set[str]:
    """Metrics that are named, and those on which people or the judge's repeats differed so far."""
    known = outcomes.runs != MISSING
    low = np.where(known, outcomes.runs, 2).min(axis=1)
    high = outcomes.runs.max(axis=1)
    codes = set(outcomes.metric[(high == 1) & (low == 0)].tolist())
    said: dict[tuple[str, str], set[str]] = {}
    columns = labels.c.item_id, labels.c.metric, labels.c.labels
    for row in store.rows(sql.select(*columns)):
        said.setdefault((row["item_id"], row["metric"]), set()).add("\n".join(row["labels"]))
    differing = {metric for (_, metric), words in said.items() if len(words) > 1}
    names = {metric.name for metric in outcomes.metrics}
    return {*options.contested, *(outcomes.metrics[code].name for code in codes), *(differing & names)}


def _several(
    outcomes: Outcomes,
    drawn: Sequence[Positions],
    contested: set[str],
    shared: float,
    rng: np.random.Generator,
) -> set[int]:
    """The conversations that several people read."""
    found = set()
    for rows in drawn:
        found |= set(rng.permutation(rows)[: round(shared * len(rows))].tolist())
        found |= {row for row in rows.tolist() if outcomes.metrics[outcomes.metric[row]].name in contested}
    return found


def _assigned(
    outcomes: Outcomes,
    strata: Sequence[Stratum],
    drawn: Sequence[Positions],
    several: set[int],
    options: PanelOptions,
    rng: np.random.Generator,
) -> tuple[tuple[tuple[str, str, str, str, str, float], ...], int]:
    """A row each label, and how many labels find nobody."""
    people = list(options.raters)
    of = [(row, stratum) for stratum, rows in zip(strata, drawn, strict=True) for row in rows.tolist()]
    everybody = tuple(range(len(people)))
    tasks = [
        Task(place, options.overlap if row in several else 1, everybody) for place, (row, _) in enumerate(of)
    ]
    found = assign(tasks, [load or NO_LIMIT for load in options.raters.values()], rng=rng)
    rows = []
    for task, rater in zip(found.task.tolist(), found.rater.tolist(), strict=True):
        row, stratum = of[task]
        metric = outcomes.metrics[outcomes.metric[row]].name
        purpose = SEVERAL if row in several else ONE
        rows.append((outcomes.ids[row], metric, people[rater], purpose, stratum.name, stratum.chance))
    return tuple(rows), found.missing


def _lines(plan: PanelPlan) -> Iterator[str]:
    shared = len({row[0] for row in plan.rows if row[3] == SEVERAL})
    metrics = len({row[1] for row in plan.rows})
    yield (
        f"{len(plan.rows):,} labels on {plan.items:,} conversations of {plan.run}, on {metrics:,} metrics; "
        f"{shared:,} conversations are read by several people."
    )
    cells = [
        [one.verdict, one.family, one.variant, f"{one.size:,}", f"{one.drawn:,}", f"{one.chance:.3f}"]
        for one in plan.strata
    ]
    heading = ["judge says", "family", "variant", "there", "drawn", "chance"]
    yield from aligned([heading, *cells[: 4 * SHOWN]], numbers=(3, 4, 5))
    if plan.contested:
        yield from folded(f"Contested, so read by several: {', '.join(plan.contested)}.")
    if plan.missing:
        yield f"{plan.missing:,} labels find nobody: people are at their most."
    if plan.unjudged:
        yield f"{plan.unjudged:,} conversations have no verdict and cannot be drawn."
