"""Assignments that are looked at before they count, kept for a while between two pages."""

from __future__ import annotations

import secrets
import threading
from collections import Counter, OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import UploadFile

from voirdire.decide.plan import plan
from voirdire.decide.plan_options import NO_LIMIT, PlanOptions
from voirdire.errors import UserError
from voirdire.review.assigning import Wanted, by_overlap, from_plan
from voirdire.review.beginning import plan_rows
from voirdire.review.desk import Desk, Round
from voirdire.review.progress import Shared, shared
from voirdire.review.reread import reread
from voirdire.web.review.organise_forms import Asking, uploaded, whole

__all__ = ["Draft", "Drafts", "Load", "Preview", "named", "of_file", "of_form", "preview"]

MOST = 16
"""Drafts that are kept; the oldest goes first."""


@dataclass(frozen=True)
class Draft:
    """Labels that are wanted in a round: of people by name, or rows of a plan whose names are open yet."""

    round_id: str
    how: str
    wanted: tuple[Wanted, ...] = ()
    rows: tuple[dict[str, str | None], ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """The raters whom the rows of a plan name, in order."""
        return list(dict.fromkeys(row.get("rater_id") or "" for row in self.rows))


class Drafts:
    """Drafts by the name that their page knows."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, Draft] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, draft: Draft) -> str:
        """Keep a draft and return its name."""
        name = secrets.token_urlsafe(12)
        with self._lock:
            self._known[name] = draft
            while len(self._known) > MOST:
                self._known.popitem(last=False)
        return name

    def find(self, name: str, round_id: str) -> Draft:
        """The draft called ``name`` in a round; one that is there no longer is a user's error."""
        draft = self._known.get(name)
        if draft is None or draft.round_id != round_id:
            raise UserError("this draft is no longer kept, and nothing was assigned", fix="make it again")
        return draft


@dataclass(frozen=True)
class Load:
    """What a draft asks of a person: ``new`` labels beside the ``before`` that they are asked for already."""

    name: str
    before: int
    new: int


@dataclass(frozen=True)
class Preview:
    """What a draft would do: new ``labels`` on ``rows``, those ``known`` already, what pairs would share."""

    labels: int
    rows: int
    known: int
    purposes: tuple[tuple[str, int], ...]
    loads: tuple[Load, ...]
    shared: Shared


def of_file(desk: Desk, round_: Round, file: UploadFile) -> Draft:
    """The rows of a plan's file that are on the round's metrics."""
    rows = plan_rows(desk, uploaded(file), round_.settings.metrics)
    if not rows:
        raise UserError("no row is on a metric of this round", where=file.filename or "")
    return Draft(round_.id, "a plan's file", rows=tuple(rows))


def named(
    desk: Desk, round_: Round, draft: Draft, chosen: Mapping[str, str], people: Mapping[str, str]
) -> Draft:
    """``draft`` with the person who is ``chosen``, by code, for each name; rows of nobody are left out."""
    by_code = {code: name for name, code in people.items()}
    said = {name: by_code[code] for name, code in chosen.items() if code in by_code}
    if len(set(said.values())) < len(said):
        raise UserError("two names of the plan stand for one person", fix="choose each person once")
    rows = [{**row, "rater_id": said[row["rater_id"] or ""]} for row in draft.rows if row["rater_id"] in said]
    if not rows:
        raise UserError("nobody was chosen for any name of the plan", fix="choose at least one person")
    left = [name for name in draft.names if name not in said]
    notes = [f"Rows of {', '.join(left)} are left out."] if left else []
    return Draft(round_.id, draft.how, tuple(from_plan(desk, rows, set(people))), notes=tuple(notes))


def of_form(desk: Desk, round_: Round, asking: Asking, people: dict[str, str]) -> Draft:
    """A draft from the form: of :func:`voirdire.plan`, or so many labels an item."""
    loads = asking.loads(people)
    if not loads:
        raise UserError("nobody is chosen", fix="invite people first, then tick whom to ask")
    metrics = asking.chosen(round_.settings.metrics)
    if asking.how == "plan":
        return _planned(desk, round_, asking, {name: people[name] for name in loads})
    n = len(desk.study.items)
    items = whole("items", asking.items, 0, 10_000_000)
    wanted = by_overlap(
        desk,
        metrics,
        loads,
        labels_an_item=whole("labels an item", asking.labels_an_item, 1, 1_000),
        items=items if items < n else 0,
        seed=round_.settings.seed,
    )
    if not wanted:
        raise UserError("no label finds anybody", expected="items that these people have not labelled")
    return Draft(round_.id, "so many labels an item", tuple(wanted))


def preview(
    wanted: Sequence[Wanted], asked: Sequence[Mapping[str, Any]], codes: Mapping[str, str]
) -> Preview:
    """What ``wanted``, by code, adds to the assignments ``asked``; ``codes`` are those of names."""
    before = {(row["rater_id"], row["item_id"], row["metric"]) for row in asked}
    cells = {(one.rater_id, one.item_id, one.metric): one for one in wanted}
    new = {cell: one for cell, one in cells.items() if cell not in before}
    names = {code: name for name, code in codes.items()}
    had, gets = (Counter(rater for rater, _, _ in each) for each in (before, new))
    return Preview(
        labels=len(new),
        rows=len({(item, metric) for _, item, metric in new}),
        known=len(cells) - len(new),
        purposes=tuple(Counter(one.purpose or "not said" for one in new.values()).most_common()),
        loads=tuple(Load(names.get(code, code), had[code], gets[code]) for code in sorted({*had, *gets})),
        shared=shared(before | set(new), []),
    )


def _planned(desk: Desk, round_: Round, asking: Asking, people: dict[str, str]) -> Draft:
    """What a plan asks of these people, code by name; it knows every label that is in by now."""
    study = reread(desk)
    known = {study.raters[code].id for code in study.raters_of("human")}
    spoken = {code if code in known else name: name for name, code in people.items()}
    loads = {label: asking.loads(people)[name] or NO_LIMIT for label, name in spoken.items()}
    options = PlanOptions(
        budget=whole("budget", asking.budget, 1, 10_000_000),
        purpose=asking.purpose,
        raters={name: load for name, load in loads.items() if name in known},
        new_raters={name: load for name, load in loads.items() if name not in known},
        metrics=tuple(asking.chosen(round_.settings.metrics)),
        seed=round_.settings.seed,
    )
    found = plan(study, options)
    chances = found.assignments.numbers["sampling_probability"].tolist()
    columns = found.assignments.columns
    rows = [{name: column[k] for name, column in columns.items()} for k in range(len(chances))]
    rows = [
        {**row, "rater_id": spoken[row["rater_id"] or ""], "sampling_probability": repr(chance)}
        for row, chance in zip(rows, chances, strict=True)
    ]
    return Draft(round_.id, "a plan made here", tuple(from_plan(desk, rows, set(people))), notes=found.notes)
