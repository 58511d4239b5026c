"""The golden set: items whose label people agree on, or a panel ruled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from voirdire.errors import UserError, check_whole
from voirdire.review.answers import current
from voirdire.review.desk import Desk, Round
from voirdire.review.rulings import rulings_of
from voirdire.review.settings import OfferedScale
from voirdire.study.column import Column
from voirdire.writers.columns import Table

__all__ = ["GoldenOptions", "GoldenRow", "agreed", "golden_set", "golden_table"]


@dataclass(frozen=True, kw_only=True)
class GoldenOptions:
    """What counts as agreed: one verdict by at least ``share`` of an item's ``least`` labels or more.

    Labels given beside a judge's verdict say less, and count with ``anchored`` only.
    """

    share: float = 1.0
    least: int = 2
    anchored: bool = False

    def __post_init__(self) -> None:
        check_whole("least", self.least, 2, 1_000)
        if not 0.5 < self.share <= 1:
            raise UserError(
                f"share is {self.share!r}", expected="above 0.5, so that one verdict has it, to 1"
            )


@dataclass(frozen=True)
class GoldenRow:
    """An item's label on a metric, ``agreed`` on or ``ruled``.

    ``agreement`` is the share of its ``n_labels`` labels that are this one, NaN without labels; "not sure"
    and borderline are labels, a skip is none.
    """

    item_id: str
    metric: str
    label: str
    source: Literal["agreed", "ruled"]
    n_labels: int
    agreement: float


def agreed(
    answers: Iterable[Mapping[str, Any]],
    rulings: Mapping[tuple[str, str], Mapping[str, Any]],
    scales: Mapping[str, OfferedScale],
    options: GoldenOptions | None = None,
) -> tuple[GoldenRow, ...]:
    """The golden set of ``answers`` (rows of the last answers in time) and the last ``rulings``.

    A ruled label counts before the people's. What the panel called contested, or whose rubric must change, is
    left out, and so is what is agreed to be no single verdict.
    """
    chosen = options or GoldenOptions()
    given: dict[tuple[str, str], list[tuple[str, ...]]] = {}
    for row in answers:
        if row["labels"] and (chosen.anchored or not row["anchored"]):
            given.setdefault((row["item_id"], row["metric"]), []).append(tuple(row["labels"]))
    found = []
    for item_id, metric in sorted({*given, *rulings}):
        said = given.get((item_id, metric), [])
        ruling = rulings.get((item_id, metric))
        verdict = str(ruling["label"] or "") if ruling else _verdict(said, scales[metric], chosen)
        if verdict:
            share = said.count((verdict,)) / len(said) if said else np.nan
            source: Literal["agreed", "ruled"] = "ruled" if ruling else "agreed"
            found.append(GoldenRow(item_id, metric, verdict, source, len(said), share))
    return tuple(found)


def golden_set(desk: Desk, round_: Round, options: GoldenOptions | None = None) -> tuple[GoldenRow, ...]:
    """The golden set of a round, by item and metric."""
    answers = current(desk, round_.id, late=False).values()
    return agreed(answers, rulings_of(desk, round_.id), round_.settings.scales, options)


def golden_table(rows: Sequence[GoldenRow]) -> Table:
    """A golden set as a table to write."""
    texts = {
        name: Column.of([str(getattr(row, name)) for row in rows])
        for name in ("item_id", "metric", "label", "source")
    }
    numbers: dict[str, NDArray[np.float64] | NDArray[np.int64]] = {
        "n_labels": np.array([row.n_labels for row in rows], dtype=np.int64),
        "agreement": np.array([row.agreement for row in rows], dtype=np.float64),
    }
    return Table(texts, numbers)


def _verdict(said: Sequence[tuple[str, ...]], scale: OfferedScale, options: GoldenOptions) -> str:
    """The single verdict that enough people gave, or the empty text."""
    if len(said) < options.least:
        return ""
    [(labels, votes)] = Counter(said).most_common(1)
    settled = len(labels) == 1 and labels[0] in scale.verdicts
    return labels[0] if settled and votes >= 2 and votes >= options.share * len(said) else ""
