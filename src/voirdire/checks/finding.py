"""Finding: one audit question answered in a sentence, tables and what to do next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from voirdire.stats import Estimate

__all__ = [
    "Action",
    "Bounds",
    "Cell",
    "Column",
    "ColumnKind",
    "Evidence",
    "Finding",
    "FloorToCeiling",
    "LabelCounts",
    "LabelShares",
    "Missing",
    "Row",
    "Table",
]

ColumnKind = Literal[
    "text",
    "count",
    "share",
    "coefficient",
    "difference",
    "points",
    "rate",
    "p",
    "labels",
    "verdict",
    "item",
    "prose",
]


@dataclass(frozen=True)
class Missing:
    """A cell without a number: ``word`` (not measurable, not recorded, none, undefined, withheld), why."""

    word: str
    reason: str = ""


@dataclass(frozen=True)
class Bounds:
    """One figure under every policy: ``by_policy`` in the order of the policies, the headline as a range."""

    by_policy: Mapping[str, Estimate]

    @property
    def defined(self) -> list[Estimate]:
        """The estimates that have a value."""
        return [estimate for estimate in self.by_policy.values() if estimate.undefined is None]


@dataclass(frozen=True)
class LabelCounts:
    """How many people gave each label to one item, in the scale's order (drawn as squares or a bar)."""

    counts: Mapping[str, int]


@dataclass(frozen=True)
class LabelShares:
    """The share of people expected to give each label to one item, summing to 1 (drawn as a bar)."""

    shares: Mapping[str, float]


@dataclass(frozen=True)
class FloorToCeiling:
    """Log scores of a label, in nats (drawn as a strip): base rates, the judge as it is (NaN where it has
    none), the judge aligned, and the best possible by model (NaN where it is not known).
    """

    floor: float
    raw: float
    aligned: Estimate
    ceiling: float


Cell = Estimate | Bounds | LabelCounts | LabelShares | FloorToCeiling | Missing | str | int | float | None


@dataclass(frozen=True)
class Evidence:
    """Which ratings stand behind a row: its metric, raters, item attributes and items; empty means all."""

    metric: str = ""
    raters: tuple[str, ...] = ()
    where: tuple[tuple[str, str], ...] = ()
    items: tuple[str, ...] = ()


@dataclass(frozen=True)
class Column:
    """A table column: ``key`` in the rows' cells, ``title`` for the reader, ``kind`` for how it is shown."""

    key: str
    title: str
    kind: ColumnKind = "text"


@dataclass(frozen=True)
class Row:
    """A table row: one cell for each column that has something to say, and the ratings behind it."""

    cells: Mapping[str, Cell]
    evidence: Evidence | None = None
    note: str = ""


@dataclass(frozen=True)
class Table:
    """Rows under columns. ``plot`` names the columns to draw beside the numbers, each on the same axis."""

    name: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    plot: tuple[str, ...] = ()
    folded: bool = False

    def __repr__(self) -> str:
        return f"<Table {self.name}: {self.caption}; {len(self.rows):,} rows>"


@dataclass(frozen=True)
class Action:
    """What to do next: ``what`` in a few words, ``why`` in a sentence, ``cost`` in labels, items or words.

    ``gain`` orders actions: how many metrics it opens, less where that takes more than a hundred labels.
    """

    what: str
    why: str
    cost: str = ""
    gain: float = 0.0


@dataclass(frozen=True)
class Finding:
    """A check's answer.

    ``question`` and ``answer`` are sentences; ``beware`` what a reader must know before using the numbers;
    ``actions`` what to do next, ``missing`` what the study lacks for a full answer. ``data`` holds plain
    numbers that other checks or the JSON need and no table shows.
    """

    check: str
    question: str
    answer: str
    tables: tuple[Table, ...] = ()
    beware: tuple[str, ...] = ()
    actions: tuple[Action, ...] = ()
    missing: tuple[str, ...] = ()
    data: Mapping[str, object] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Finding {self.check}: {self.answer}>"
