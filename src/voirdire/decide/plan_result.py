"""A label plan as a result: its assignments as a table, what they should buy, and all of it as text."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from voirdire.align.plain import plain
from voirdire.decide.lines import aligned, folded
from voirdire.decide.plan_bought import Bought
from voirdire.decide.plan_options import PlanOptions
from voirdire.stats.estimate import REASONS
from voirdire.writers.columns import Table
from voirdire.writers.formats import write_table

__all__ = ["LabelPlan", "Part", "RaterLoad"]

MOST_RATERS = 20


@dataclass(frozen=True)
class Part:
    """How many rows (item and metric) and labels serve one purpose, and how their rows were drawn."""

    purpose: str
    stratum: str
    rows: int
    labels: int


@dataclass(frozen=True)
class RaterLoad:
    """How many labels a rater is asked for, and on how many rows with another rater."""

    rater: str
    labels: int
    shared: int


@dataclass(frozen=True, eq=False)
class LabelPlan:
    """Who labels what, why, and what it should buy.

    ``assignments`` has a row a label: item_id, metric, rater_id, purpose, stratum, order and
    sampling_probability. ``chances`` has that of every row that is labelled or planned.
    """

    assignments: Table
    chances: Table
    parts: tuple[Part, ...]
    raters: tuple[RaterLoad, ...]
    bought: tuple[Bought, ...]
    notes: tuple[str, ...]
    options: PlanOptions

    @property
    def n_labels(self) -> int:
        """Labels that are assigned."""
        return len(self.assignments)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the assignments as plain lists, numbers and text, for JSON."""
        said: dict[str, Any] = plain(
            {
                "n_labels": self.n_labels,
                "parts": self.parts,
                "raters": self.raters,
                "bought": self.bought,
                "notes": self.notes,
                "options": self.options,
            }
        )
        return said

    def export(self, path: str | Path) -> Path:
        """Write a row an assignment; the format follows the suffix: .csv, .tsv, .jsonl or .parquet."""
        return write_table(self.assignments, path)

    def export_chances(self, path: str | Path) -> Path:
        """Write the sampling probability of every row that has a label or will have one."""
        return write_table(self.chances, path)

    def __str__(self) -> str:
        rows = sum(part.rows for part in self.parts)
        counts = _count(self.n_labels, "label"), _count(rows, "row"), _count(len(self.raters), "rater")
        head = "{} on {} (item and metric) by {}.".format(*counts)
        notes = [line for note in self.notes for line in folded(note, bullet="- ")]
        blocks = [[head], [*_parts(self.parts)], [*_raters(self.raters)], [*_bought(self.bought)], notes]
        return "\n\n".join("\n".join(block) for block in blocks if block)


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def _parts(parts: tuple[Part, ...]) -> list[str]:
    cells = [[part.purpose, part.stratum, f"{part.rows:,}", f"{part.labels:,}"] for part in parts]
    return aligned([["purpose", "drawn", "rows", "labels"], *cells], numbers=[2, 3])


def _raters(raters: tuple[RaterLoad, ...]) -> Iterator[str]:
    cells = [[each.rater, f"{each.labels:,}", f"{each.shared:,}"] for each in raters[:MOST_RATERS]]
    yield from aligned([["rater", "labels", "on rows with another"], *cells], numbers=[1, 2])
    if len(raters) > MOST_RATERS:
        yield f"... and {len(raters) - MOST_RATERS:,} more."


def _bought(bought: tuple[Bought, ...]) -> Iterator[str]:
    if not bought:
        return
    cells = [[each.purpose, _names(each), each.what, *_figures(each)] for each in bought]
    yield "What it should buy:"
    yield from aligned([["purpose", "metric", "figure", "now", "after", "gain"], *cells], numbers=[3, 4])


def _names(bought: Bought) -> str:
    names = bought.metrics
    return ", ".join(names) if len(names) <= 3 else f"{names[0]} and {len(names) - 1} more"


def _figures(bought: Bought) -> Iterator[str]:
    yield from (_number(each) for each in (bought.now, bought.after))
    gain = bought.gain
    if gain.undefined is not None:
        yield f"not known yet ({REASONS[gain.undefined]})"
        return
    text = _number(gain.value)
    if gain.has_interval:
        text += f" [{_number(gain.low)}, {_number(gain.high)}]"
    yield text if math.isnan(bought.votes) else f"{text}, {bought.votes:.2f} human votes"


def _number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.3f}".replace("-", "−")
