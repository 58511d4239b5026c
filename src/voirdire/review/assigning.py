"""Assignments: from a plan, or every item by so many people; each rater's order is random and frozen here."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import sqlalchemy as sql

from voirdire.decide.assignments import Task, assign
from voirdire.decide.plan_options import NO_LIMIT
from voirdire.decide.plan_raters import OWNERS
from voirdire.errors import UserError
from voirdire.review.anchors import SHOWN
from voirdire.review.desk import Desk, Round, now
from voirdire.review.log import Cell, Event, record
from voirdire.review.people import codes_by_name
from voirdire.review.taking_back import GIVEN_BACK, TAKEN_BACK, WITHDRAWN
from voirdire.store.review_schema import adjudications, assignments, events, labels
from voirdire.study.study import Study

__all__ = ["Wanted", "assign_to", "by_overlap", "from_plan", "under_codes", "withdraw"]

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True)
class Wanted:
    """One label that is wanted: of whom, on which item and metric, and how it was drawn.

    ``rater_id`` is a name while it is planned, and the person's code once it is assigned.
    """

    rater_id: str
    item_id: str
    metric: str
    purpose: str = ""
    stratum: str = ""
    sampling_probability: float | None = None


def by_overlap(
    desk: Desk,
    metrics: Sequence[str],
    raters: Mapping[str, int],
    *,
    labels_an_item: int = 2,
    items: int = 0,
    seed: int = 20261129,
) -> list[Wanted]:
    """Every item (or ``items`` drawn at random) by so many of ``raters``, loads and shared items even.

    ``raters`` maps each name to the most labels that person gives, 0 for no limit. Nobody gets their own
    work, what they have labelled in the study or in a round already, or what they were shown others' labels
    of. Labels that find nobody are left out.
    """
    if not raters:
        raise UserError("nobody to assign to", fix="invite a rater first")
    if not 1 <= labels_an_item <= len(raters):
        raise UserError(
            f"{labels_an_item} labels an item by {len(raters)} raters",
            expected=f"1 to {len(raters)}",
            fix="invite more raters, or ask for fewer labels an item",
        )
    rng = np.random.default_rng(seed)
    ids = desk.study.items.ids
    chosen = np.arange(len(ids)) if not items else np.sort(rng.permutation(len(ids))[:items])
    names = list(raters)
    rows = [(int(item), metric) for metric in metrics for item in chosen]
    told = _told_by(desk)
    codes = codes_by_name(desk)
    closed = [_closed_to(desk.study, name, codes.get(name, name), told) for name in names]
    tasks = [
        Task(k, labels_an_item, tuple(r for r in range(len(names)) if not closed[r](item, metric)))
        for k, (item, metric) in enumerate(rows)
    ]
    capacity = [load or NO_LIMIT for load in raters.values()]
    found = assign(tasks, capacity, rng=rng)
    chance = len(chosen) / max(len(ids), 1)
    purpose = "random" if items else "all"
    return [
        Wanted(names[rater], ids[rows[task][0]], rows[task][1], purpose, "", chance)
        for task, rater in zip(found.task.tolist(), found.rater.tolist(), strict=True)
    ]


def from_plan(desk: Desk, rows: Iterable[Mapping[str, str | None]], names: Collection[str]) -> list[Wanted]:
    """The rows of a label plan (item_id, metric, rater_id and more), whose raters are among ``names``.

    An item, a metric or a rater that is not there, and somebody's own work, are users' errors by row.
    """
    wanted = []
    metrics = [metric.name for metric in desk.study.metrics]
    for number, row in enumerate(rows, start=2):
        where = f"plan, row {number:,}"
        item, metric, name = (row.get(column) or "" for column in ("item_id", "metric", "rater_id"))
        if item not in desk.position:
            raise UserError(f"no item '{item}' in the study", where=where)
        if metric not in metrics:
            raise UserError(f"no metric '{metric}'", where=where, expected=f"one of {', '.join(metrics)}")
        if name not in names:
            known = ", ".join(names) or "a rater"
            raise UserError(f"no rater '{name}' was invited", where=where, expected=known)
        if name in _owners(desk.study, desk.position[item]):
            raise UserError(f"item '{item}' is the work of '{name}', who may not label it", where=where)
        chance = _chance(row.get("sampling_probability"), where)
        wanted.append(Wanted(name, item, metric, row.get("purpose") or "", row.get("stratum") or "", chance))
    return wanted


def under_codes(wanted: Iterable[Wanted], codes: Mapping[str, str]) -> list[Wanted]:
    """``wanted`` with each person's code in place of the name."""
    return [replace(one, rater_id=codes[one.rater_id]) for one in wanted]


def assign_to(desk: Desk, round_: Round, wanted: Sequence[Wanted]) -> int:
    """Add assignments and return how many are new; what a rater was asked for already stays in its place.

    New ones come after those that a rater has, in a random order of their own. What was taken back and is
    wanted again is given back, in its old place, and counts as new.
    """
    by_rater: dict[str, list[Wanted]] = {}
    for one in wanted:
        by_rater.setdefault(one.rater_id, []).append(one)
    new = 0
    with desk.transaction() as connection:
        for rater_id, mine in by_rater.items():
            new += _add(desk, connection, round_, rater_id, mine)
        if new:
            event = Event(secrets.token_hex(8), "assigned", Cell(round_.id, ""), {"labels": new})
            record(connection, event)
    return new


def withdraw(desk: Desk, *cells: Cell) -> None:
    """Take back what raters are asked for, all of it or nothing; what they handed in stays."""
    with desk.transaction() as connection:
        for cell in cells:
            record(connection, Event(secrets.token_hex(8), WITHDRAWN, cell))


def _add(
    desk: Desk, connection: sql.Connection, round_: Round, rater_id: str, wanted: Sequence[Wanted]
) -> int:
    mine = sql.select(assignments.c.item_id, assignments.c.metric).where(
        assignments.c.round_id == round_.id, assignments.c.rater_id == rater_id
    )
    known = {tuple(row) for row in connection.execute(mine)}
    back = {tuple(row) for row in connection.execute(mine.where(TAKEN_BACK))}
    again = {(one.item_id, one.metric) for one in wanted} & back
    for item_id, metric in sorted(again):
        cell = Cell(round_.id, rater_id, item_id, metric)
        record(connection, Event(secrets.token_hex(8), GIVEN_BACK, cell))
    fresh = list({(one.item_id, one.metric): one for one in wanted}.items())
    fresh = [pair for pair in fresh if pair[0] not in known]
    rng = _rng(round_, rater_id, str(len(known)))
    rows = [
        {
            "round_id": round_.id,
            "rater_id": rater_id,
            "place": len(known) + place,
            "item_id": one.item_id,
            "metric": one.metric,
            "purpose": one.purpose,
            "stratum": one.stratum,
            "sampling_probability": one.sampling_probability,
            "presented": _sides(desk.study, one, rng),
            "options": _options(round_, rater_id, one.metric),
            "letter": _letter(desk.study, round_, rater_id, desk.position[one.item_id]),
            "created_at": now(),
        }
        for place, one in enumerate((fresh[k][1] for k in rng.permutation(len(fresh))), start=1)
    ]
    if rows:
        connection.execute(assignments.insert(), rows)
    return len(rows) + len(again)


def _options(round_: Round, rater_id: str, metric: str) -> list[str]:
    """The labels in this rater's order: an ordered scale from either end, another shuffled."""
    scale = round_.settings.scales[metric]
    rng = _rng(round_, rater_id, f"options {metric}")
    verdicts = list(scale.verdicts)
    order = (
        rng.permutation(len(verdicts)).tolist()
        if not scale.ordered
        else list(range(len(verdicts)))[:: rng.choice([1, -1])]
    )
    last = [label for label in (*scale.between, scale.unsure) if label]
    return [*(verdicts[k] for k in order), *dict.fromkeys(last)]


def _sides(study: Study, wanted: Wanted, rng: np.random.Generator) -> str:
    if study.metric(wanted.metric).scale.kind != "pairwise":
        return ""
    return "ab" if rng.random() < 0.5 else "ba"


def _letter(study: Study, round_: Round, rater_id: str, item: int) -> str:
    """What this rater knows an item's system by, which says nothing to anybody else."""
    column = study.items.attributes.get("system")
    if column is None or column[item] is None:
        return ""
    order = _rng(round_, rater_id, "systems").permutation(len(column.values)).tolist()
    place = order.index(int(column.codes[item]))
    return LETTERS[place] if place < len(LETTERS) else f"{LETTERS[place % 26]}{place // 26 + 1}"


def _closed_to(
    study: Study, name: str, code: str, told: Mapping[str, set[tuple[str, str]]]
) -> Callable[[int, str], bool]:
    """Whether the person called ``name`` may not label an item on a metric: it is theirs, or is done."""
    mine = [k for k, rater in enumerate(study.raters) if rater.id in (name, code)]
    rows = np.isin(study.ratings.rater, mine)
    items, metrics = study.ratings.item[rows].tolist(), study.ratings.metric[rows].tolist()
    done = {(study.items.ids[k], study.metrics[m].name) for k, m in zip(items, metrics, strict=True)}
    done |= told.get(code, set())
    return lambda item, metric: (
        (study.items.ids[item], metric) in done or not {name, code}.isdisjoint(_owners(study, item))
    )


def _told_by(desk: Desk) -> dict[str, set[tuple[str, str]]]:
    """Items and metrics on which nothing new or blind can come of each person, by code.

    They labelled it in time, ruled on it before a panel, or were shown how a judge or others labelled it.
    """
    known = (
        (labels, labels.c.late.is_(False)),
        (adjudications, sql.true()),
        (events, events.c.kind == SHOWN),
    )
    told: dict[str, set[tuple[str, str]]] = {}
    for table, which in known:
        cells = sql.select(table.c.rater_id, table.c.item_id, table.c.metric).where(which).distinct()
        for row in desk.store.rows(cells):
            told.setdefault(row["rater_id"], set()).add((row["item_id"], row["metric"]))
    return told


def _owners(study: Study, item: int) -> set[str]:
    """Whose work an item is."""
    columns = (study.items.attributes.get(name) for name in OWNERS)
    return {owner for column in columns if column is not None and (owner := column[item]) is not None}


def _rng(round_: Round, rater_id: str, what: str) -> np.random.Generator:
    """Chance that is the same whenever the same is asked for."""
    text = "\x1f".join((round_.id, rater_id, what))
    digest = hashlib.sha256(text.encode()).digest()
    return np.random.default_rng([round_.settings.seed, *np.frombuffer(digest, dtype=np.uint32).tolist()])


def _chance(text: str | None, where: str) -> float | None:
    if not text:
        return None
    try:
        chance = float(text)
    except ValueError:
        raise UserError(
            f"sampling_probability is '{text}'", where=where, expected="a number from 0 to 1"
        ) from None
    if not 0 < chance <= 1:
        raise UserError(f"sampling_probability is {text}", where=where, expected="above 0 and at most 1")
    return chance
