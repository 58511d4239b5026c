"""Everything to take away: every label with its history, in any format, with or without who gave it."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from voirdire.review.desk import Round
from voirdire.review.exporting import tables
from voirdire.review.golden import golden_set, golden_table
from voirdire.review.progress import progress
from voirdire.review.round_rows import rows_of
from voirdire.review.standing import standing_tables
from voirdire.web.review.organise_pages import OrganiserPages, RoundId
from voirdire.web.sessions import NoSession
from voirdire.writers.columns import Table
from voirdire.writers.formats import write_table

__all__ = ["router"]

TYPES = {
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/jsonl; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
}
STANDING = ("coverage", "raters", "shared")
NAMELESS = (*STANDING, "golden", "gold")
"""Tables that hold no person, or a code only."""
WHAT = {
    "labels": "the last answer of every rater to every item, in time",
    "history": "every revision of every answer, late ones too",
    "events": "everything that happened, in order; every label can be made again from it",
    "rulings": "what a panel ruled, with its reasons",
    "reviews": "what raters think of each metric itself",
    "assignments": "who was asked for what, with sampling probabilities",
    "people": "codes and expertise; names too, unless pseudonymous",
    "gold": "items whose label is known",
    "golden": "items whose label people agree on or a panel ruled",
    "coverage": "the table of metrics: coverage, challenges, agreement with its interval",
    "raters": "the table of raters",
    "shared": "the table of shared items, a row a pair",
}
NOT_HERE = "There is no such file."


def router(pages: OrganiserPages) -> APIRouter:
    """Everything that can be taken away."""
    routes = APIRouter(prefix="/round/{round_id}/export")
    desk = pages.desk

    @routes.get("")
    def exports(request: Request, round_id: RoundId) -> Response:
        """What there is to take away."""
        session = pages.entered(request)
        round_ = pages.round(round_id)
        every = tables(desk, round_.id)
        rows = [(name, what, len(every[name]) if name in every else None) for name, what in WHAT.items()]
        told: dict[str, Any] = {"rows": rows, "formats": list(TYPES), "nameless": NAMELESS}
        return pages.show("organise_export.html", session, round_, **told)

    @routes.get("/{name}.{suffix}")
    def file(
        request: Request,
        round_id: RoundId,
        name: RoundId,
        suffix: RoundId,
        pseudonymous: Annotated[bool, Query()] = False,
    ) -> Response:
        """One table as a file."""
        pages.entered(request)
        round_ = pages.round(round_id)
        if name not in WHAT or suffix not in TYPES:
            raise NoSession(NOT_HERE, 404)
        kind = f"-{'pseudonymous' if pseudonymous else 'full'}" if name not in NAMELESS else ""
        headers = {"content-disposition": f'attachment; filename="{round_.id}-{name}{kind}.{suffix}"'}
        content = _written(_named(pages, round_, name, pseudonymous=pseudonymous), suffix)
        return Response(content, media_type=TYPES[suffix], headers=headers)

    return routes


def _named(pages: OrganiserPages, round_: Round, name: str, *, pseudonymous: bool) -> Table:
    if name in STANDING:
        found = progress(round_, rows_of(pages.desk, round_.id))
        return standing_tables(found, pages.agreements.latest(round_).by_metric)[name]
    if name == "golden":
        return golden_table(golden_set(pages.desk, round_))
    return tables(pages.desk, round_.id, pseudonymous=pseudonymous)[name]


def _written(table: Table, suffix: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        return write_table(table, Path(folder) / f"table.{suffix}").read_bytes()
