"""Label cards as pages, and as drawings of one A4 page that can become a PDF."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from voirdire.bench.card import Card, CardRow
from voirdire.bench.card_rules import Grade
from voirdire.bench.card_words import NOT_TESTED, WANTED, Said, basis, said, second_line, summary
from voirdire.bench.results import LIMITATIONS, Results
from voirdire.errors import UserError
from voirdire.web.results import addresses

__all__ = ["CardView", "card_view", "drawing", "forms", "has_pdf", "pdf"]

MARKS: dict[Grade, tuple[str, str]] = {
    "yes": ("v-yes", "Yes"),
    "with care": ("v-care", "With care"),
    "withheld": ("v-na", "Withheld"),
}
GLYPHS: dict[Grade, str] = {"yes": "●", "with care": "◐", "withheld": "◌"}
SANS, SERIF = "Liberation Sans, Arial, sans-serif", "Liberation Serif, Georgia, serif"
INK, INK2, EDGE = "#1b1f24", "#555c66", "#84888f"
LEFT, RIGHT, MIDDLE = 40, 754, 412
BAR, BAR_WIDTH, LAST = 400, 180, 600
LINE = 16
A4_PIXELS, A4_POINTS = (794, 1123), (595, 842)


@dataclass(frozen=True)
class RowView:
    """A behaviour as a card shows it."""

    title: str
    href: str
    second: str
    said: Said | None
    low: float
    high: float
    at: float
    mark: str
    word: str
    glyph: str
    reason: str


@dataclass(frozen=True)
class CardView:
    """A card in the words of an audience."""

    card: Card
    audience: str
    summary: str
    basis: str
    rows: tuple[RowView, ...]
    weakest: tuple[str, ...]
    made: str
    not_tested: tuple[str, ...] = NOT_TESTED


def card_view(card: Card, results: Results, audience: str) -> CardView:
    """``card`` for ``audience``."""
    rows = tuple(_row(row, card.system, audience) for row in card.rows)
    weakest = tuple(
        f"{row.title} ({WANTED[row.kind]}): {told.text}"
        for row in card.weakest
        if (told := said(row, audience))
    )
    judge = f", judge version {results.judge.version}" if results.judge.version else ""
    made = f"Made by voirdire {results.voirdire}{judge if audience in ('policymaker', 'developer') else ''}."
    return CardView(card, audience, summary(card), basis(card, results), rows, weakest, made)


def _row(row: CardRow, system: str, audience: str) -> RowView:
    mark, word = MARKS[row.graded.grade]
    href = addresses.explore(row.node, system)
    ends = (row.share.low, row.share.high, row.share.value) if row.share else (0.0, 0.0, 0.0)
    glyph = GLYPHS[row.graded.grade]
    told, second = said(row, audience), second_line(row, audience)
    return RowView(row.title, href, second, told, *ends, mark, word, glyph, row.graded.reason)


@dataclass(frozen=True)
class _Style:
    """How a text is set: its size in pixels, weight, face and colour."""

    size: int = 13
    weight: int = 400
    family: str = SANS
    fill: str = INK
    slant: str = "normal"


PLAIN, BOLD, HEAD = _Style(), _Style(weight=700), _Style(14, 700)
SMALL, UNDEFINED = _Style(12, fill=INK2), _Style(12, fill=INK2, slant="italic")
NAME, SUM = _Style(30, 700, SERIF), _Style(17, family=SERIF)


@dataclass
class _Drawn:
    """Texts and shapes from the top of a page down; ``y`` is where the next line stands."""

    y: float = 70
    texts: list[dict[str, Any]] = field(default_factory=list)
    shapes: list[dict[str, Any]] = field(default_factory=list)

    def text(self, x: float, y: float, text: str, style: _Style | None = None, *, end: bool = False) -> None:
        self.texts.append({"x": x, "y": y, "text": text, "style": style or PLAIN, "end": end})

    def lines(
        self, x: float, text: str, width: int, style: _Style | None = None, *, step: float = LINE
    ) -> None:
        for line in textwrap.wrap(text, width):
            self.text(x, self.y, line, style)
            self.y += step

    def shape(
        self, d: str, *, fill: str = "none", stroke: str = "none", width: float = 1, **more: Any
    ) -> None:
        self.shapes.append(
            {"d": d, "fill": fill, "stroke": stroke, "width": width, "opacity": 1, "dash": "", **more}
        )

    def rule(self, y: float, width: float = 2, left: float = LEFT, right: float = RIGHT) -> None:
        self.shape(f"M{left} {y}H{right}", stroke=INK, width=width)


def drawing(view: CardView, *, name: str, demo: str = "", points: bool = False) -> dict[str, Any]:
    """What the template of the drawing shows; with ``points`` its size is that of A4 in a PDF."""
    drawn, card = _Drawn(), view.card
    drawn.text(LEFT, drawn.y, card.system[:40], NAME)
    drawn.text(RIGHT, drawn.y - 18, f"Label card for {view.audience}s · {name[:40]}", SMALL, end=True)
    drawn.text(RIGHT, drawn.y, f"{card.conversations:,} staged conversations", SMALL, end=True)
    drawn.rule(drawn.y + 12, 4)
    drawn.y += 40
    if demo:
        drawn.lines(LEFT, demo, 124, SMALL)
    drawn.y += 4
    drawn.lines(LEFT, view.summary, 96, SUM, step=23)
    drawn.lines(LEFT, view.basis, 124, SMALL)
    drawn.y += 14
    _table(drawn, view.rows)
    top = drawn.y = drawn.y + 10
    _list(drawn, "Tested", card.tested, LEFT)
    below, drawn.y = drawn.y, top
    _list(drawn, "Not tested", view.not_tested, MIDDLE)
    top = drawn.y = max(drawn.y, below) + 8
    _list(drawn, "Weakest where we can grade", view.weakest or ("Nothing is graded.",), LEFT)
    below, drawn.y = drawn.y, top
    _list(drawn, "Read this card with care because", card.cautions or ("Nothing beyond the above.",), MIDDLE)
    drawn.y = max(drawn.y, below) + 12
    none = "No overall grade is given: the behaviours do not add up to one thing."
    foot = " ".join([*LIMITATIONS, none, view.made])
    drawn.lines(LEFT, foot, 124, SMALL)
    width, height = A4_POINTS if points else A4_PIXELS
    label = f"Label card of {card.system} for {view.audience}s: {view.summary}"
    return {"texts": drawn.texts, "shapes": drawn.shapes, "width": width, "height": height, "label": label}


def _table(drawn: _Drawn, rows: Sequence[RowView]) -> None:
    heads = ((LEFT, "Behaviour"), (250, "How often it went well"), (BAR, "0"), (LAST, "May we say so?"))
    for x, word in heads:
        drawn.text(x, drawn.y, word, SMALL)
    drawn.text(BAR + BAR_WIDTH, drawn.y, "100", SMALL, end=True)
    drawn.rule(drawn.y + 6, 1)
    drawn.y += 24
    for row in rows:
        top = drawn.y
        drawn.lines(LEFT, row.title, 30, BOLD)
        drawn.lines(LEFT, row.second, 36, SMALL, step=14)
        below, drawn.y = drawn.y, top
        _figure(drawn, row, top)
        drawn.y = top
        drawn.text(LAST, top, f"{row.glyph} {row.word}", BOLD)
        drawn.y += LINE
        drawn.lines(LAST, row.reason, 26, SMALL, step=14)
        drawn.y = max(drawn.y, below, top + 2 * LINE)
        drawn.rule(drawn.y - 8, 0.5)
        drawn.y += 10


def _figure(drawn: _Drawn, row: RowView, top: float) -> None:
    if row.said is None:
        drawn.text(250, top, "no grade", UNDEFINED)
        drawn.shape(f"M{BAR} {top - 10}h{BAR_WIDTH}v14h-{BAR_WIDTH}z", stroke=EDGE, dash="3 2")
        return
    drawn.text(250, top, row.said.text)
    drawn.y = top + LINE
    drawn.lines(250, row.said.second, 24, SMALL, step=14)
    left, right, at = (BAR + BAR_WIDTH * place for place in (row.low, row.high, row.at))
    drawn.shape(f"M{BAR} {top - 4}h{BAR_WIDTH}", stroke=EDGE)
    drawn.shape(f"M{left:.1f} {top - 8}H{right:.1f}V{top}H{left:.1f}z", fill=INK, opacity=0.25)
    drawn.shape(f"M{at:.1f} {top - 13}V{top + 5}", stroke=INK, width=3)


def _list(drawn: _Drawn, title: str, lines: Sequence[str], x: float) -> None:
    drawn.text(x, drawn.y, title, HEAD)
    drawn.rule(drawn.y + 6, 2, x, x + 342)
    drawn.y += 24
    for line in lines:
        drawn.text(x, drawn.y, "•", SMALL)
        drawn.lines(x + 12, line, 54, SMALL, step=15)


def pdf(svg: bytes) -> bytes:
    """A drawing as a PDF of one page; without the extra a user's error."""
    try:
        import vl_convert
    except ModuleNotFoundError:
        raise UserError(
            "a PDF needs an extra", where="label card", fix="pip install 'voirdire[pdf]'"
        ) from None
    made: bytes = vl_convert.svg_to_pdf(svg.decode())
    return made


def has_pdf() -> bool:
    """Whether cards can be written as PDF here."""
    from importlib.util import find_spec

    return find_spec("vl_convert") is not None


def forms(system: str, audience: str) -> Iterator[tuple[str, str]]:
    """The other forms of a card that can be had, by name and address."""
    yield "SVG", addresses.card(system, audience, "svg")
    if has_pdf():
        yield "PDF", addresses.card(system, audience, "pdf")
