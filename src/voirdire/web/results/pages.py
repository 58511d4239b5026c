"""Every page of a site of results by its address: made when it is asked for, or all in a row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import combinations
from typing import Any

from voirdire.bench.card import AUDIENCES, Card, Cards
from voirdire.bench.card_rules import RULES
from voirdire.bench.cells import ALL_VARIANTS
from voirdire.bench.gaps import Direction
from voirdire.bench.results import LIMITATIONS
from voirdire.bench.tree import OVERALL, Node
from voirdire.report.wording import count
from voirdire.web.results import addresses
from voirdire.web.results.audit_page import audit_page
from voirdire.web.results.board import RateKind, board_choices, board_of
from voirdire.web.results.cards import CardView, card_view, drawing, forms, has_pdf, pdf
from voirdire.web.results.comparing import comparison_of
from voirdire.web.results.downloads import (
    FIGURES,
    OUTCOMES,
    TRANSCRIPTS,
    downloads,
    figures,
    metric_file,
    metric_files,
    outcomes,
    transcripts,
)
from voirdire.web.results.evidence import Evidence
from voirdire.web.results.explorer import explorer_of, explorer_pages
from voirdire.web.results.metric import metric_page
from voirdire.web.results.rendering import STYLE, html, style_sheet
from voirdire.web.results.shown import Shown
from voirdire.web.results.talks import talks_of
from voirdire.web.results.words import plural

__all__ = ["Frame", "Pages"]

Content = bytes | Iterator[bytes]
Made = Callable[[], Content]
REPORT = "audit/report.html"
AUDIT, CARDS, DOWNLOADS = "audit.html", "cards.html", "downloads.html"


@dataclass(frozen=True)
class Frame:
    """What stands around every page."""

    name: str
    demo: str
    meta: str
    nav: tuple[tuple[str, str], ...]
    limitations: str
    version: str


@dataclass(frozen=True, eq=False)
class Pages:
    """The pages of ``shown``: ``paths`` lists them, ``page`` makes one."""

    shown: Shown

    def prepare(self) -> None:
        """Look up once what every page of transcripts needs, lest whoever comes first wait for it."""
        if self.shown.kept is not None and self._evidence is not None:
            _ = self.paths, self.shown.kept.hashes, self.shown.passed
            self._evidence.prepare()

    @cached_property
    def paths(self) -> dict[str, Made]:
        """Every address with what makes its page; making none of them yet."""
        return dict(self._every())

    def page(self, path: str) -> Content | None:
        """The page at ``path``, None where there is none."""
        made = self.paths.get(path)
        return None if made is None else made()

    def _every(self) -> Iterator[tuple[str, Made]]:
        yield STYLE, style_sheet
        choices = list(board_choices(self.shown))
        for place, (kind, variant, rate) in enumerate(choices):
            path = addresses.board(kind, variant, rate)
            if place == 0:
                yield addresses.FIRST, self._board(addresses.FIRST, choices[0])
            yield path, self._board(path, (kind, variant, rate))
        if not choices:
            yield addresses.FIRST, lambda: self._nothing(addresses.FIRST)
        for node, system in explorer_pages(self.shown):
            path = addresses.explore(node, system)
            yield path, self._explorer(path, node, system)
        for node in self.shown.results.nodes:
            if node.level == "metric":
                yield addresses.explore(node), self._metric(addresses.explore(node), node)
                if self._evidence is not None:
                    for system in self.shown.systems:
                        yield addresses.talks(node.id, system), self._talks(node, system)
        for one, other in combinations(self.shown.systems, 2):
            yield addresses.compare(one, other), self._comparison(one, other)
        yield AUDIT, lambda: self._html("audit.html", AUDIT, page=audit_page(self.shown, REPORT))
        yield from self._cards()
        yield from self._downloads()

    def _comparison(self, one: str, other: str) -> Made:
        path = addresses.compare(one, other)
        return lambda: self._html("compare.html", path, page=comparison_of(self.shown, one, other))

    def _cards(self) -> Iterator[tuple[str, Made]]:
        yield (
            CARDS,
            lambda: self._html(
                "cards.html", CARDS, audiences=self._audiences, rules=RULES, rows=self._card_links()
            ),
        )
        for system in self.shown.systems:
            for audience in self._audiences:
                for form in ("html", "svg", "pdf") if has_pdf() else ("html", "svg"):
                    yield addresses.card(system, audience, form), self._card(system, audience, form)

    def _card(self, system: str, audience: str, form: str) -> Made:
        def made() -> bytes:
            results = self.shown.results
            view = card_view(self._made_cards(system), results, audience)
            if form == "html":
                return self._card_page(view, addresses.card(system, audience))
            drawn = drawing(view, name=results.name, demo=results.demo, points=form == "pdf")
            svg = html("card.svg", path="", **drawn)
            return pdf(svg) if form == "pdf" else svg

        return made

    def _card_page(self, view: CardView, path: str) -> bytes:
        system = view.card.system
        others = [(audience, addresses.card(system, audience)) for audience in self._audiences]
        more = addresses.explore(OVERALL, system)
        shapes = list(forms(system, view.audience))
        return self._html("card.html", path, **{**vars(view)}, audiences=others, forms=shapes, more=more)

    def _card_links(self) -> list[tuple[str, list[list[tuple[str, str]]]]]:
        return [
            (
                system,
                [
                    [("Page", addresses.card(system, audience)), *forms(system, audience)]
                    for audience in self._audiences
                ],
            )
            for system in self.shown.systems
        ]

    @property
    def _audiences(self) -> tuple[str, ...]:
        kept = self.shown.kept
        return tuple(kept.bench.config.audiences) if kept else AUDIENCES

    @cached_property
    def _made_cards(self) -> Callable[[str], Card]:
        shown = self.shown
        bench = shown.kept.bench if shown.kept else None
        return cache(Cards(shown.results, bench, shown.people, shown.audit).card)

    def _downloads(self) -> Iterator[tuple[str, Made]]:
        evidence, shown = self._evidence, self.shown
        files = list(downloads(shown))
        metrics = list(metric_files(shown))
        named = [(metric.title, path) for path, metric in metrics]
        yield DOWNLOADS, lambda: self._html("downloads.html", DOWNLOADS, files=files, metrics=named)
        yield FIGURES, lambda: figures(shown)
        for path in OUTCOMES:
            yield path, partial(outcomes, shown, path)
        if evidence is not None:
            for path in TRANSCRIPTS:
                yield path, partial(transcripts, shown, evidence, path)
        for path, metric in metrics:
            yield path, partial(metric_file, metric)

    def _board(self, path: str, choice: tuple[Any, str, RateKind]) -> Made:
        def made() -> bytes:
            pairs = [
                (f"{one} and {other}", addresses.compare(one, other))
                for one, other in combinations(self.shown.systems, 2)
                if addresses.compare(one, other) in self.paths
            ]
            return self._html(
                "board.html",
                path,
                page=board_of(self.shown, *choice),
                lede=self._lede(),
                audited=bool(self.shown.results.audited.rates),
                level=f"{self.shown.results.level:.0%}".replace("%", "\N{NO-BREAK SPACE}%"),
                directions=_directions(self._direction),
                pairs=pairs,
            )

        return made

    def _explorer(self, path: str, node: Node, system: str) -> Made:
        return lambda: self._html(
            "explorer.html", path, page=explorer_of(self.shown, node, system), more=self._more(system)
        )

    def _metric(self, path: str, node: Node) -> Made:
        transcripts = self.shown.kept is not None
        return lambda: self._html(
            "metric.html", path, page=metric_page(self.shown, node), transcripts=transcripts
        )

    def _talks(self, node: Node, system: str) -> Made:
        evidence = self._evidence
        assert evidence is not None, "no page of transcripts without transcripts"
        return lambda: self._html(
            "talks.html",
            addresses.talks(node.id, system),
            page=talks_of(self.shown, evidence, node, system),
        )

    def _nothing(self, path: str) -> bytes:
        return self._html("nothing.html", path)

    def _html(self, template: str, path: str, **context: Any) -> bytes:
        return html(template, path=path, site=self.frame, **context)

    @cached_property
    def frame(self) -> Frame:
        """What stands around every page."""
        results = self.shown.results
        nav = [
            ("Leaderboard", addresses.FIRST),
            ("Explore", addresses.explore()),
            ("Audit of the judge", AUDIT),
            ("Label cards", CARDS),
            ("Download", DOWNLOADS),
        ]
        run = self.shown.run
        meta = [
            *([f"{run.label} ({run.name})"] if run else []),
            plural(results.counts["conversations"], "conversation"),
            plural(results.counts["metrics"], "metric"),
            f"judge {results.judge.name}" if results.judge.name else "1 judge",
        ]
        return Frame(
            results.name, results.demo, " · ".join(meta), tuple(nav), " ".join(LIMITATIONS), results.voirdire
        )

    @cached_property
    def _evidence(self) -> Evidence | None:
        return None if self.shown.kept is None else Evidence(self.shown.kept)

    def _more(self, system: str) -> list[tuple[str, str]]:
        if system not in self.shown.systems:
            return []
        cards = [(f"Label card for {one}s", addresses.card(system, one)) for one in self._audiences]
        others = [other for other in self.shown.systems if other != system]
        return [*cards, *((f"Beside {other}", addresses.compare(system, other)) for other in others)]

    def _lede(self) -> str:
        told = self.shown.results.audited
        if told.rates:
            labelled = f"{plural(told.labels, 'label')} of {plural(told.raters, 'person', 'people')}"
            return f"Ranks assume that the judge errs alike for every system; {labelled} say how far it errs."
        return (
            f"Ranks assume that the judge errs alike for every system. That could not be tested: {told.why}."
        )

    @property
    def _direction(self) -> Direction | None:
        every = self.shown.results.directions
        return next((one for one in every if one.node == OVERALL and one.variant == ALL_VARIANTS), None)


def _directions(found: Direction | None) -> str:
    """Which kind stands higher, system by system, as computed."""
    if found is None:
        return ""
    surely = found.surely_above + found.surely_below
    return (
        f"In {count(found.above)} of {plural(found.systems, 'system')} good is done more often than harm is "
        f"avoided, in {count(found.below)} the other way round; "
        f"{count(surely)} of these differences have an interval that leaves out 0."
    )
