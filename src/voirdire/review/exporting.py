"""All that a store holds of review, as tables to write: every label, its history, and who was asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import sqlalchemy as sql
from numpy.typing import NDArray

from voirdire.review.desk import Desk
from voirdire.review.taking_back import taken_back
from voirdire.store import review_schema as schema
from voirdire.store.labels import spelled
from voirdire.study.column import Column
from voirdire.writers.columns import Table

__all__ = ["tables"]

Rows = list[dict[str, Any]]
DAY = len("2026-11-29")
TIMES = ("created_at", "said_at")
CODE = 12
"""Characters of a pseudonym: two of a million people share one with a chance of 1 in 500."""


def tables(desk: Desk, round_id: str = "", *, pseudonymous: bool = False) -> dict[str, Table]:
    """Tables by name, of one round or of all, each with a row for every row of the store.

    ``labels`` holds the last answers in time, ``history`` every revision of every answer; ``events``,
    ``rulings``, ``reviews`` (of metrics), ``assignments``, ``people`` and ``gold`` are what their names say.
    A ``pseudonymous`` export holds no name: every rater is a code that nobody can turn back without the
    store's key, and times are days. Comments stay as they were written.
    """
    source = _Source(desk, round_id, _Pseudonyms(desk) if pseudonymous else None)
    return {
        "labels": source.labels(),
        "history": source.table(schema.labels, flags=("anchored", "late")),
        "events": source.table(schema.events, order=("number",)),
        "rulings": source.table(schema.adjudications),
        "reviews": source.table(schema.metric_reviews),
        "assignments": source.assignments(),
        "people": source.people(),
        "gold": source.table(schema.gold),
    }


@dataclass(frozen=True, eq=False)
class _Pseudonyms:
    """Codes in place of people: the same in every export of one store."""

    desk: Desk
    _known: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        store = self.desk.store
        for row in store.rows(sql.select(schema.people.c.rater_id)):
            self._known[row["rater_id"]] = self.code(row["rater_id"])
        for row in store.rows(sql.select(schema.identities.c.rater_id, schema.identities.c.name)):
            self._known[row["name"]] = self.code(row["rater_id"])

    def code(self, rater_id: str) -> str:
        """The code of ``rater_id``; nobody stays nobody."""
        return f"P-{self.desk.derived('pseudonym', rater_id)[:CODE]}" if rater_id else ""

    def row(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """``row`` without a trace of who and of the time of day."""
        hidden = dict(row)
        if "rater_id" in row:
            hidden["rater_id"] = self.code(row["rater_id"])
        if "key" in row:
            own = row["key"].removeprefix(f"{row['round_id']}/{row['rater_id']}/")
            hidden["key"] = f"{row['round_id']}/{hidden['rater_id']}/{own}"
        for name in TIMES:
            if name in row:
                hidden[name] = row[name][:DAY]
        if "document" in row:
            hidden["document"] = self._hidden(row["document"])
        return hidden

    def _hidden(self, value: Any) -> Any:
        """``value`` with every text that is a person's code or name replaced, at any depth."""
        if isinstance(value, str):
            return self._known.get(value, value)
        if isinstance(value, dict):
            return {name: self._hidden(each) for name, each in value.items()}
        return [self._hidden(each) for each in value] if isinstance(value, list) else value


@dataclass(frozen=True, eq=False)
class _Source:
    """Rows of a store as tables."""

    desk: Desk
    round_id: str
    pseudonyms: _Pseudonyms | None

    def rows(self, table: sql.Table, order: Sequence[str] = ()) -> Rows:
        query = sql.select(table)
        if self.round_id and "round_id" in table.c:
            query = query.where(table.c.round_id == self.round_id)
        named = [table.c[name] for name in order] or list(table.primary_key)
        return self.desk.store.rows(query.order_by(*named))

    def table(self, table: sql.Table, *, flags: Sequence[str] = (), order: Sequence[str] = ()) -> Table:
        return self.written(self.rows(table, order), [column.name for column in table.columns], flags)

    def labels(self) -> Table:
        keys = ("round_id", "rater_id", "item_id", "metric")
        intime = [row for row in self.rows(schema.labels) if not row["late"]]
        last = {tuple(row[key] for key in keys): row for row in intime}
        names = [column.name for column in schema.labels.c if column.name not in ("labels", "late")]
        named = [{**row, "label": spelled(row["labels"])} for row in last.values()]
        return self.written(named, [*keys, "label", *names[len(keys) :]], ("anchored",))

    def assignments(self) -> Table:
        taken = taken_back(self.desk.store, self.round_id)
        rows = self.rows(schema.assignments)
        for row in rows:
            row["withdrawn"] = (row["round_id"], row["rater_id"], row["item_id"], row["metric"]) in taken
        return self.written(
            rows, [*(column.name for column in schema.assignments.c), "withdrawn"], ("withdrawn",)
        )

    def people(self) -> Table:
        """Everybody who has a link in the round; names and how to reach them are left out of a pseudonymous
        export.
        """
        roles: dict[str, set[str]] = {}
        for row in self.rows(schema.links):
            roles.setdefault(row["rater_id"], set()).add(row["role"])
        named = {row["rater_id"]: row for row in self.desk.store.rows(sql.select(schema.identities))}
        rows = [
            {
                **row,
                **named.get(row["rater_id"], {}),
                "roles": " ".join(sorted(roles.get(row["rater_id"], ()))),
            }
            for row in self.rows(schema.people)
            if row["rater_id"] in roles
        ]
        who = [] if self.pseudonyms else ["name", "contact"]
        return self.written(rows, ["rater_id", *who, "roles", "expertise", "created_at"])

    def written(self, rows: Rows, names: Sequence[str], flags: Sequence[str] = ()) -> Table:
        """``rows`` as a table: numbers as numbers, lists and documents as JSON."""
        hide: Callable[[Mapping[str, Any]], dict[str, Any]] = self.pseudonyms.row if self.pseudonyms else dict
        hidden = [hide(row) for row in rows]
        numeric = [name for name in names if name in NUMBERS]
        texts = {
            name: Column.of([_text(row.get(name)) for row in hidden]) for name in names if name not in numeric
        }
        return Table(texts, {name: _numbers(name, hidden) for name in numeric}, tuple(flags))


WHOLE = ("revision", "place", "number")
NUMBERS = (*WHOLE, "confidence", "seconds", "sampling_probability")


def _numbers(name: str, rows: Iterable[Mapping[str, Any]]) -> NDArray[np.float64] | NDArray[np.int64]:
    if name in WHOLE:
        return np.array([row[name] for row in rows], dtype=np.int64)
    return np.array([np.nan if row[name] is None else row[name] for row in rows], dtype=np.float64)


def _text(value: Any) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    return value or None
