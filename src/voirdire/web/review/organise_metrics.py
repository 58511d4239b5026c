"""One metric's labels, one rater beside the others, and the judge against people once no round is open."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from starlette.responses import RedirectResponse, Response

from voirdire.checks.audit import audit
from voirdire.checks.finding import Table
from voirdire.checks.options import AuditOptions
from voirdire.report.cells import show
from voirdire.review.attention import duration, others_seconds
from voirdire.review.desk import Round
from voirdire.review.metric_reviews import last_reviews
from voirdire.review.one_rater import one_rater
from voirdire.review.progress import progress
from voirdire.review.reread import reread
from voirdire.review.round_rows import rows_of
from voirdire.review.settings import CHALLENGES
from voirdire.web.review.organise_pages import OrganiserPages, RoundId
from voirdire.web.review.organise_view import figures, rater_row
from voirdire.web.sessions import NoSession

__all__ = ["router"]

RaterId = Annotated[str, Path(min_length=1, max_length=200)]
Place = Annotated[int, Path(ge=1, le=100_000)]
MOST_ITEMS = 200
JUDGING = ("against_people", "judges")
"""The audit's checks that compare the judge with people."""


@dataclass(frozen=True)
class Labelled:
    """An item's labels: the answer of each rater by code, with the challenge and the comment."""

    item_id: str
    answers: tuple[Mapping[str, Any], ...]
    different: int


def router(pages: OrganiserPages) -> APIRouter:
    """The pages of single metrics and of the judge."""
    routes = APIRouter(prefix="/round/{round_id}")

    @routes.get("/metric/{number}")
    def metric(request: Request, round_id: RoundId, number: Place) -> Response:
        """A metric's rubric, what raters say of it, and its items, the most divided first."""
        session = pages.entered(request)
        round_ = pages.round(round_id)
        if number > len(round_.settings.metrics):
            raise NoSession("There is no such metric in this round.", 404)
        name = round_.settings.metrics[number - 1]
        return pages.show("organise_metric.html", session, round_, **_metric(pages, round_, name))

    @routes.get("/rater/{rater_id:path}")
    def rater(request: Request, round_id: RoundId, rater_id: RaterId) -> Response:
        """A rater beside the others: time, gold items, and agreement with and without them."""
        session = pages.entered(request)
        round_ = pages.round(round_id)
        every = progress(round_, rows_of(pages.desk, round_.id)).raters
        found = next((one for one in every if one.rater_id == rater_id), None)
        if found is None:
            raise NoSession("There is no such rater in this round.", 404)
        others = others_seconds(every, found)
        told: dict[str, Any] = {
            "rater": found,
            "row": rater_row(found, every),
            "others": "not recorded" if math.isnan(others) else duration(others),
            "metrics": one_rater(pages.desk, round_, rater_id),
            "titles": pages.titles(round_),
            "figures": figures,
        }
        return pages.show("organise_rater.html", session, round_, **told)

    @routes.get("/judge")
    def judge(request: Request, round_id: RoundId) -> Response:
        """How the judge compares with people; sealed while raters still work."""
        session = pages.entered(request)
        round_ = pages.round(round_id)
        if any(one.is_open for one in pages.desk.rounds()):
            return RedirectResponse(f"/organiser/round/{round_id}/", 303)
        options = AuditOptions(checks=JUDGING)
        found = audit(reread(pages.desk), options)
        findings = [(one, [_printed(table) for table in one.tables[:1]]) for one in found.findings]
        return pages.show("organise_judge.html", session, round_, findings=findings)

    return routes


def _metric(pages: OrganiserPages, round_: Round, name: str) -> dict[str, Any]:
    rows = rows_of(pages.desk, round_.id)
    found = next(one for one in progress(round_, rows).metrics if one.metric == name)
    answers = [row for row in rows.answers if row["metric"] == name]
    items = _labelled(answers)
    counts = Counter(label for row in answers for label in row["labels"])
    reviews = [row for row in last_reviews(pages.desk, round_.id) if row["metric"] == name]
    return {
        "metric": pages.desk.study.metric(name),
        "found": found,
        "told": pages.agreements.latest(round_).by_metric.get(name),
        "labels": [(label, counts[label]) for label in round_.settings.scales[name].labels],
        "challenges": [(CHALLENGES[key], found.challenges.get(key, 0)) for key in CHALLENGES],
        "reviews": reviews,
        "items": items[:MOST_ITEMS],
        "n_items": len(items),
        "words": CHALLENGES,
    }


def _labelled(answers: list[Mapping[str, Any]]) -> list[Labelled]:
    """Items with their answers, those with the most different labels first."""
    by_item: dict[str, list[Mapping[str, Any]]] = {}
    for row in answers:
        by_item.setdefault(row["item_id"], []).append(row)
    items = [
        Labelled(
            item,
            tuple(sorted(rows, key=lambda row: str(row["rater_id"]))),
            len({tuple(row["labels"]) for row in rows if row["labels"]}),
        )
        for item, rows in by_item.items()
    ]
    return sorted(items, key=lambda one: (-one.different, one.item_id))


def _printed(table: Table) -> dict[str, Any]:
    """A table of the audit as text cells."""
    rows = [[show(row.cells.get(column.key), column) for column in table.columns] for row in table.rows]
    return {"caption": table.caption, "columns": [column.title for column in table.columns], "rows": rows}
