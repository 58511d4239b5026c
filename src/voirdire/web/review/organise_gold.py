"""Gold items of a round: where they come from, who is asked for them, and each rater's score."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, File, Form, Request, UploadFile
from starlette.responses import Response

from voirdire.errors import UserError
from voirdire.review.assigning import assign_to, under_codes
from voirdire.review.desk import Round
from voirdire.review.gold import GoldItem, from_reference, from_table, gold_of, set_gold, to_ask
from voirdire.review.golden import golden_set
from voirdire.review.progress import progress
from voirdire.review.round_rows import rows_of
from voirdire.web.review.organise_forms import uploaded
from voirdire.web.review.organise_pages import OrganiserPages, Proof, RoundId
from voirdire.web.sessions import Session

__all__ = ["router"]

Source = Annotated[str, Form(max_length=400)]
MOST_LISTED = 500


def router(pages: OrganiserPages) -> APIRouter:
    """Everything about gold items."""
    routes = APIRouter(prefix="/round/{round_id}/gold")
    make = _Gold(pages)

    @routes.get("")
    def gold(request: Request, round_id: RoundId) -> Response:
        """The gold items and the scores."""
        return make.page(pages.entered(request), pages.round(round_id))

    @routes.post("/file")
    def from_file(
        request: Request, round_id: RoundId, file: Annotated[UploadFile, File()], proof: Proof = ""
    ) -> Response:
        """Gold items from a file."""
        session = pages.acting(request, proof)
        round_ = pages.round(round_id)
        return make.added(session, round_, lambda: from_table(pages.desk, round_, uploaded(file)))

    @routes.post("/from")
    def known(request: Request, round_id: RoundId, source: Source, proof: Proof = "") -> Response:
        """Gold items from a reference of the study, or from an earlier round's golden set."""
        session = pages.acting(request, proof)
        round_ = pages.round(round_id)
        return make.added(session, round_, lambda: make.of(round_, source))

    @routes.post("/ask")
    def ask(request: Request, round_id: RoundId, proof: Proof = "") -> Response:
        """Ask every rater for every gold item, among their others."""
        pages.acting(request, proof)
        round_ = pages.round(round_id)
        people = pages.people(round_)
        wanted = to_ask(pages.desk, gold_of(pages.desk, round_.id), list(people))
        assign_to(pages.desk, round_, under_codes(wanted, people))
        return pages.back(round_, "gold")

    return routes


class _Gold:
    """The page of gold items."""

    def __init__(self, pages: OrganiserPages) -> None:
        self.pages, self.desk = pages, pages.desk

    def page(self, session: Session, round_: Round, problem: str = "") -> Response:
        """What is gold, and how raters do on it."""
        items = gold_of(self.desk, round_.id)
        rows = rows_of(self.desk, round_.id)
        cells = {(one.item_id, one.metric) for one in items}
        asked = {(row["rater_id"], row["item_id"], row["metric"]) for row in rows.asked}
        people = list(self.pages.people(round_).values())
        raters = progress(round_, rows).raters
        told: dict[str, Any] = {
            "items": items[:MOST_LISTED],
            "n_items": len(items),
            "titles": self.pages.titles(round_),
            "raters": [(one, sum((one.rater_id, *cell) in asked for cell in cells)) for one in raters],
            "missing": sum((code, *cell) not in asked for code in people for cell in cells),
            "sources": self.sources(round_),
        }
        return self.pages.show("organise_gold.html", session, round_, problem=problem, **told)

    def added(self, session: Session, round_: Round, find: Callable[[], Sequence[GoldItem]]) -> Response:
        """Set what is found as gold, or say why not."""
        try:
            found = find()
            if not found:
                raise UserError("no item of this round's metrics has a known label there")
            set_gold(self.desk, round_, found)
        except UserError as problem:
            return self.page(session, round_, str(problem))
        return self.pages.back(round_, "gold")

    def sources(self, round_: Round) -> list[tuple[str, str]]:
        """Where known labels are, by value and title."""
        study = self.desk.study
        references = [study.raters[code].id for code in study.raters_of("reference")]
        rounds = [one for one in self.desk.rounds() if one.id != round_.id]
        return [
            *((f"reference {name}", f"{name}, a reference of the study") for name in references),
            *((f"round {one.id}", f"{one.settings.title} ({one.id}): its golden set") for one in rounds),
        ]

    def of(self, round_: Round, source: str) -> list[GoldItem]:
        """The gold items of one of :meth:`sources`."""
        if source not in dict(self.sources(round_)):
            raise UserError(f"no known labels at '{source}'", fix="choose one of the list")
        kind, _, name = source.partition(" ")
        if kind == "reference":
            return from_reference(self.desk, round_, name)
        earlier = self.pages.round(name)
        scales = round_.settings.scales
        return [
            GoldItem(row.item_id, row.metric, row.label)
            for row in golden_set(self.desk, earlier)
            if row.metric in scales and row.label in scales[row.metric].labels
        ]
