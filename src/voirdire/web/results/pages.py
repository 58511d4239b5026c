"""Every page of a site of results by its address: made when it is asked for, or all of them in a row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

from voirdire.bench.cells import ALL_VARIANTS
from voirdire.bench.gaps import Direction
from voirdire.bench.results import LIMITATIONS
from voirdire.bench.tree import OVERALL, Node
from voirdire.report.wording import count
from voirdire.web.results import addresses
from voirdire.web.results.board import RateKind, board_choices, board_of
from voirdire.web.results.evidence import Evidence
from voirdire.web.results.explorer import explorer_of, explorer_pages
from voirdire.web.results.metric import metric_page
from voirdire.web.results.rendering import STYLE, html, style_sheet
from voirdire.web.results.shown import Shown
from voirdire.web.results.talks import talks_of
from voirdire.web.results.words import plural

__all__ = ["Frame", "Pages"]

Made = Callable[[], bytes]


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

    @cached_property
    def paths(self) -> dict[str, Made]:
        """Every address with what makes its page; making none of them yet."""
        return dict(self._every())

    def page(self, path: str) -> bytes | None:
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
        nav = [("Leaderboard", addresses.FIRST), ("Explore", addresses.explore())]
        meta = [
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
        return []

    def _lede(self) -> str:
        told = self.shown.results.audited
        if told.rates:
            labelled = f"{plural(told.labels, 'label')} of {plural(told.raters, 'person', 'people')}"
            return f"Ranks assume that the judge errs alike for every system; {labelled} say how far it errs."
        return f"Ranks assume that the judge errs alike for every system. That could not be tested: {told.why}."

    @property
    def _direction(self) -> Direction | None:
        every = self.shown.results.directions
        return next((one for one in every if one.node == OVERALL and one.variant == ALL_VARIANTS), None)


def _directions(found: Direction | None) -> str:
    """Which kind stands higher, system by system, as computed."""
    if found is None:
        return ""
    return (
        f"In {count(found.above)} of {plural(found.systems, 'system')} good is done more often than harm is "
        f"avoided, in {count(found.below)} the other way round; {count(found.surely_above + found.surely_below)} "
        "of these differences have an interval that leaves out 0."
    )
