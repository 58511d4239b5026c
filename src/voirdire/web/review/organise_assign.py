"""Who labels what: from a plan's file, a plan made here, or so many labels an item; shown, then assigned."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, File, Form, Query, Request, UploadFile
from starlette.responses import Response

from voirdire.errors import UserError
from voirdire.review.assigning import assign_to, under_codes, withdraw
from voirdire.review.desk import Round
from voirdire.review.log import Cell
from voirdire.review.progress import progress
from voirdire.review.round_rows import cell_of, rows_of
from voirdire.web.review.organise_drafts import Draft, Drafts, named, of_file, of_form, preview
from voirdire.web.review.organise_forms import Asking
from voirdire.web.review.organise_pages import OrganiserPages, Proof, RoundId
from voirdire.web.sessions import Session

__all__ = ["router"]

Pair = Annotated[list[str], Query(default_factory=list, max_length=2)]
DraftId = Annotated[str, Form(max_length=60)]
Names = Annotated[list[str], Form(default_factory=list, max_length=1_000)]
PAIR_ITEMS = 15
"""Items for two raters who share none: see :data:`voirdire.review.attention.ENOUGH_SHARED`."""


def router(pages: OrganiserPages) -> APIRouter:
    """Everything about assignments."""
    routes = APIRouter(prefix="/round/{round_id}/assign")
    desk, make = pages.desk, _Assigning(pages)

    @routes.get("")
    def assigning(request: Request, round_id: RoundId, pair: Pair) -> Response:
        """What is asked of whom, and three ways to ask for more."""
        asking = Asking(who=pair, labels_an_item="2", items=str(PAIR_ITEMS)) if pair else Asking()
        return make.page(pages.entered(request), pages.round(round_id), asking)

    @routes.post("/file")
    def from_file(
        request: Request, round_id: RoundId, file: Annotated[UploadFile, File()], proof: Proof = ""
    ) -> Response:
        """A plan's file, whose raters are then matched with the people invited."""
        session = pages.acting(request, proof)
        return make.drafted(
            session, pages.round(round_id), lambda round_: of_file(desk, round_, file), Asking()
        )

    @routes.post("/new")
    def from_form(request: Request, round_id: RoundId, asking: Annotated[Asking, Form()]) -> Response:
        """A plan made here, or so many labels an item."""
        session = pages.acting(request, asking.proof)
        people = pages.people(pages.round(round_id))
        return make.drafted(
            session, pages.round(round_id), lambda round_: of_form(desk, round_, asking, people), asking
        )

    @routes.post("/names")
    def matched(
        request: Request, round_id: RoundId, draft: DraftId, name: Names, person: Names, proof: Proof = ""
    ) -> Response:
        """Which person each name of a plan stands for."""
        session = pages.acting(request, proof)
        chosen = dict(zip(name, person, strict=False))
        return make.drafted(
            session,
            pages.round(round_id),
            lambda round_: named(
                desk, round_, make.drafts.find(draft, round_.id), chosen, pages.people(round_)
            ),
            Asking(),
        )

    _counting(routes, pages, make)
    return routes


def _counting(routes: APIRouter, pages: OrganiserPages, make: _Assigning) -> None:
    """What changes assignments."""

    @routes.post("/confirm")
    def confirmed(request: Request, round_id: RoundId, draft: DraftId, proof: Proof = "") -> Response:
        """Assign what was looked at."""
        session = pages.acting(request, proof)
        return make.assigned(session, pages.round(round_id), draft)

    @routes.post("/withdraw")
    def withdrawn(request: Request, round_id: RoundId, rater: DraftId, proof: Proof = "") -> Response:
        """Take back what a rater has not answered."""
        pages.acting(request, proof)
        make.take_back(pages.round(round_id), rater)
        return pages.back(pages.round(round_id), "assign")


class _Assigning:
    """The pages of assignments."""

    def __init__(self, pages: OrganiserPages) -> None:
        self.pages, self.desk = pages, pages.desk
        self.drafts = Drafts()

    def page(self, session: Session, round_: Round, asking: Asking, problem: str = "") -> Response:
        """Where assignments stand, and the forms with what was typed."""
        found = progress(round_, rows_of(self.desk, round_.id))
        people = self.pages.people(round_)
        names = {code: name for name, code in people.items()}
        return self.pages.show(
            "organise_assign.html",
            session,
            round_,
            problem=problem,
            progress=found,
            people=people,
            names=names,
            asking=asking,
            n_items=len(self.desk.study.items),
        )

    def drafted(
        self, session: Session, round_: Round, make: Callable[[Round], Draft], asking: Asking
    ) -> Response:
        """The page on which a draft is looked at, or what is wrong with it."""
        try:
            draft = make(round_)
            token = self.drafts.keep(draft)
            if draft.rows:
                return self._matching(session, round_, draft, token)
            return self._preview(session, round_, draft, token)
        except UserError as problem:
            return self.page(session, round_, asking, str(problem))

    def assigned(self, session: Session, round_: Round, token: str) -> Response:
        """Assign a draft, and go to where assignments stand."""
        try:
            draft = self.drafts.find(token, round_.id)
            codes = self.pages.people(round_)
            gone = sorted({one.rater_id for one in draft.wanted} - set(codes))
            if gone:
                raise UserError(
                    f"the link of '{gone[0]}' was withdrawn since, and nothing was assigned",
                    fix="make the draft again",
                )
            assign_to(self.desk, round_, under_codes(draft.wanted, codes))
        except UserError as problem:
            return self.page(session, round_, Asking(), str(problem))
        return self.pages.back(round_, "assign")

    def take_back(self, round_: Round, rater: str) -> None:
        """Withdraw what a rater has not answered."""
        rows = rows_of(self.desk, round_.id)
        done = {cell_of(row)[1:] for row in rows.answers if row["rater_id"] == rater}
        left = [row for row in rows.asked if row["rater_id"] == rater and cell_of(row)[1:] not in done]
        withdraw(self.desk, *(Cell(round_.id, *cell_of(row)) for row in left))

    def _preview(self, session: Session, round_: Round, draft: Draft, token: str) -> Response:
        codes = self.pages.people(round_)
        rows = rows_of(self.desk, round_.id)
        found = preview(under_codes(draft.wanted, codes), rows.asked, codes)
        return self.pages.show(
            "organise_preview.html", session, round_, draft=draft, token=token, found=found
        )

    def _matching(self, session: Session, round_: Round, draft: Draft, token: str) -> Response:
        people = self.pages.people(round_)
        by_code = {code: name for name, code in people.items()}
        guesses = {name: name if name in people else by_code.get(name, "") for name in draft.names}
        context: dict[str, Any] = {"draft": draft, "token": token, "people": people, "guesses": guesses}
        return self.pages.show("organise_names.html", session, round_, **context)
