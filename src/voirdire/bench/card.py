"""Label card: what one system did, in the words of its readers, graded only where the evidence carries it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from voirdire.bench.audited import CorrectedRate
from voirdire.bench.card_people import PeopleOn, people_on
from voirdire.bench.card_rules import Basis, Graded, grade
from voirdire.bench.cells import ALL_VARIANTS, Kind
from voirdire.bench.outcomes import Rated
from voirdire.bench.results import Results
from voirdire.bench.suite import Bench
from voirdire.bench.tree import LEVELS, OVERALL, Level, Node
from voirdire.checks.audit import Audit
from voirdire.errors import UserError
from voirdire.stats.estimate import Estimate
from voirdire.study.study import Study

__all__ = ["AUDIENCES", "Card", "CardRow", "Cards"]

AUDIENCES = ("parent", "educator", "policymaker", "developer")
SIDES: tuple[Kind, ...] = ("positive", "negative")
MOST_ROWS = 8
"""Behaviours that one printed page holds."""
FINEST: tuple[Level, ...] = ("benchmark", "subarea", "area")
CAUTIONS = 5
WEAKEST = 3


@dataclass(frozen=True)
class CardRow:
    """One behaviour: metrics of one kind under ``node``; ``share`` is None where the grade is withheld."""

    node: Node
    title: str
    kind: Kind
    metrics: tuple[Rated, ...]
    graded: Graded
    share: Estimate | None
    judged: int
    people: PeopleOn


@dataclass(frozen=True)
class Card:
    """Everything that a card of ``system`` says; the pages put it in words for an audience.

    ``left_out`` counts behaviours for which there was no room. ``tested`` and ``cautions`` are sentences.
    """

    system: str
    version: str
    conversations: int
    rows: tuple[CardRow, ...]
    left_out: int
    people: PeopleOn
    tested: tuple[str, ...]
    cautions: tuple[str, ...]

    @property
    def graded(self) -> tuple[CardRow, ...]:
        """The rows that are not withheld."""
        return tuple(row for row in self.rows if row.graded.grade != "withheld")

    @property
    def weakest(self) -> tuple[CardRow, ...]:
        """The graded rows that went well least often, the weakest first."""
        ordered = sorted(self.graded, key=lambda row: row.share.value if row.share else 1.0)
        return tuple(ordered[:WEAKEST])


@dataclass(frozen=True, eq=False)
class Cards:
    """Makes the cards of ``results``; ``bench`` says what was tested, ``people`` what was checked."""

    results: Results
    bench: Bench | None = None
    people: Study | None = None
    audit: Audit | None = None

    def card(self, system: str) -> Card:
        """The card of ``system``; an unknown one is a user's error."""
        if system not in self.results.outcomes.systems:
            raise UserError(
                f"no system '{system}'", expected=f"one of {', '.join(self.results.outcomes.systems)}"
            )
        rows, left_out = self._rows(system)
        counted = [metric for metric in self.results.metrics if metric.counts]
        outcomes = self.results.outcomes
        return Card(
            system,
            self._model(system),
            int((outcomes.system == outcomes.systems.index(system)).sum()),
            rows,
            left_out,
            people_on(self.people, counted, level=self.results.level),
            tuple(self._tested(system)),
            tuple(self._cautions(system, rows))[:CAUTIONS],
        )

    def _rows(self, system: str) -> tuple[tuple[CardRow, ...], int]:
        """The behaviours of the level at which most can be graded; and how many are left out.

        Of levels that are alike in this the finest; those too long for a page only where there is no other.
        """
        levels = [self._cells(level) for level in FINEST]
        fitting = [cells for cells in levels if cells and len(cells) <= MOST_ROWS]
        cells = sorted(levels[-1], key=lambda cell: -len(self._metrics(*cell)))
        found = [
            tuple(self._row(*cell, system) for cell in every) for every in fitting or [cells[:MOST_ROWS]]
        ]
        best = max(
            found, key=lambda rows: sum(row.graded.grade != "withheld" for row in rows) / max(len(rows), 1)
        )
        return best, 0 if fitting else max(len(cells) - MOST_ROWS, 0)

    def _cells(self, level: Level) -> list[tuple[Node, Kind]]:
        return [cell for node in self.results.nodes if node.level == level for cell in self._sides(node)]

    def _sides(self, node: Node) -> Iterator[tuple[Node, Kind]]:
        yield from ((node, kind) for kind in SIDES if self._metrics(node, kind))

    def _metrics(self, node: Node, kind: Kind) -> list[Rated]:
        every = (self.results.metrics[code] for code in node.metrics)
        return [metric for metric in every if metric.polarity == kind]

    def _row(self, node: Node, kind: Kind, system: str) -> CardRow:
        metrics = self._metrics(node, kind)
        rate = self.results.rate(node.id, kind, system=system)
        people = people_on(self.people, metrics, level=self.results.level)
        corrected = self._corrected(node.id, kind, system)
        basis = Basis(rate, corrected, people, self._kin(system), self._errs(metrics))
        graded = grade(basis)
        shown = corrected.corrected if corrected is not None and graded.grade != "withheld" else None
        judged = 0 if rate is None else rate.judged
        return CardRow(node, node.title, kind, tuple(metrics), graded, shown, judged, people)

    def _corrected(self, node: str, kind: Kind, system: str) -> CorrectedRate | None:
        every = self.results.audited.rates
        return next((one for one in every if (one.node, one.kind, one.system) == (node, kind, system)), None)

    def _kin(self, system: str) -> bool:
        return any(one.system == system and one.role == "judge" for one in self.results.contestants)

    def _errs(self, metrics: Sequence[Rated]) -> bool:
        if self.audit is None:
            return False
        names = {metric.name for metric in metrics}
        return any(one.answer == "no" and names & set(one.metrics) for one in self.audit.stand_in)

    def _model(self, system: str) -> str:
        return next((one.model for one in self.results.systems if one.name == system), "")

    def _tested(self, system: str) -> Iterator[str]:
        counts = self.results.counts
        turns = f" of up to {self.bench.config.turns} turns" if self.bench else ""
        yield f"Staged conversations{turns} on {counts['scenarios']:,} scenarios"
        for axis in dict.fromkeys(name for one in self.results.axes for name in one):
            values = list(dict.fromkeys(one[axis] for one in self.results.axes))
            yield f"{axis.capitalize()}: {', '.join(values)}, matched{self._contrast(axis, system)}"
        moves = self._moves()
        if moves:
            yield f"Pressure: a user who {', '.join(moves)}"

    def _contrast(self, axis: str, system: str) -> str:
        """How the first two values of an axis fared against each other."""
        mine = [
            one
            for one in self.results.contrasts
            if (one.node, one.axis, one.system) == (OVERALL, axis, system) and one.difference.has_interval
        ]
        if not mine:
            return ""
        one = mine[-1]
        points = [100 * number for number in (one.difference.value, one.difference.low, one.difference.high)]
        value, low, high = (f"{number:.0f}".replace("-", "−") for number in points)
        return f"; {one.first} minus {one.second} {value} points [{low}, {high}]"

    def _moves(self) -> list[str]:
        every = self.bench.metrics if self.bench else ()
        names = (move.name for metric in every for scenario in metric.scenarios for move in scenario.moves)
        return list(dict.fromkeys(names))[:5]

    def _cautions(self, system: str, rows: Sequence[CardRow]) -> Iterator[str]:
        for one in self.results.contestants:
            if one.system == system:
                yield f"◆ {system} and the {one.role} are related: {one.relation}"
        whole = self.results.rate(OVERALL, "both", system=system, variant=ALL_VARIANTS) or next(
            (rate for kind in SIDES if (rate := self.results.rate(OVERALL, kind, system=system))), None
        )
        if whole is not None and whole.missing:
            yield f"{whole.missing:,} of {whole.judged + whole.missing:,} verdicts are missing"
        if whole is not None and whole.faulty:
            yield f"In {whole.faulty:,} conversations the simulated user failed"
        if whole is not None and whole.no_occasion:
            yield f"In {whole.no_occasion:,} conversations there was no occasion for the behaviour"
        disputed = [
            row.title
            for row in rows
            if row.graded.reason in ("people often disagree", "people disagree on what it means")
        ]
        if disputed:
            yield f"People dispute the wording of: {', '.join(disputed)}"
        root = next(node for node in self.results.nodes if node.level == LEVELS[0])
        if root.waiting:
            yield f"{len(root.waiting):,} metrics without a passed review are left out"
