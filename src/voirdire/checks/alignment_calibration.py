"""The alignment section's tables of calibration: does what is predicted come about?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from voirdire.align.calibration import Bin
from voirdire.align.evaluation import Evaluation
from voirdire.align.pit import Pit
from voirdire.checks.finding import Cell, Column, Missing, Row, Table
from voirdire.checks.words import spoken

__all__ = ["ALIGNED", "AS_IT_IS", "calibration_tables", "pit_in_words"]

ALIGNED, AS_IT_IS = "aligned", "as it is"
SURE = 0.05
NOT_MEASURABLE = Missing("not measurable")


def calibration_tables(found: Evaluation) -> list[Table]:
    """Disagreement, reliability by label and, for ordered labels, the probability integral transform."""
    tables = [_disagreement(found), _told(found), _reliability(found)]
    return tables + ([_pit(found.pit)] if found.pit is not None else [])


def pit_in_words(found: Pit) -> str:
    """Where people's labels fall within their predictions, in a sentence."""
    if math.isnan(found.p):
        return ""
    if found.p >= SURE:
        return (
            "Within their predicted distributions people's labels fall where they should, as far as can be "
            f"told (p {found.p:.2f})."
        )
    parts = []
    for figure, up, down in ((found.location, "higher", "lower"), (found.spread, "wider", "less wide")):
        if figure.has_interval and not figure.low <= 0 <= figure.high:
            parts.append(f"{up if figure.value > 0 else down} ({spoken(figure)})")
    how = " and ".join(parts) or "otherwise"
    return f"People's labels lie {how} than predicted: 0 would be as predicted."


def _disagreement(found: Evaluation) -> Table:
    columns = (
        Column("who", "The judge"),
        Column("predicted", "Predicted disagreement", "coefficient"),
        Column("observed", "Pairs of people who differ", "coefficient"),
    )
    rows = (*_bins(ALIGNED, found.disagreement.bins), *_bins(AS_IT_IS, found.raw_disagreement))
    caption = "Predicted and observed disagreement, rows in groups by prediction"
    return Table("disagreement", caption, columns, rows, ("observed",), folded=True)


def _told(found: Evaluation) -> Table:
    """The slope, how reliable the observed disagreement is, and correlations freed of its label noise."""
    columns = (
        Column("measure", "Of disagreement"),
        Column("value", "Aligned", "coefficient"),
        Column("perfect", "A perfect prediction", "coefficient"),
    )
    told, halves = found.disagreement, found.disagreement.split_half
    if told.slope.undefined is not None:
        return Table("disagreement_told", "", columns, ())
    cells: list[dict[str, Cell]] = [
        {"measure": "slope of observed on predicted", "value": told.slope, "perfect": told.perfect_slope},
        {"measure": "reliability of what is observed, by model", "value": _known(told.reliability)},
        {"measure": "the same by split halves, rows with 4 labels or more", "value": halves},
        {
            "measure": "correlation without label noise, by model",
            "value": _known(told.correlation),
            "perfect": 1.0,
        },
        {
            "measure": "the same by split halves",
            "value": _known(told.split_half_correlation),
            "perfect": 1.0,
        },
    ]
    caption = "How well disagreement is told: slope, reliability, and correlation divided by its root"
    return Table("disagreement_told", caption, columns, tuple(map(Row, cells)), folded=True)


def _known(value: float) -> Cell:
    return NOT_MEASURABLE if math.isnan(value) else value


def _reliability(found: Evaluation) -> Table:
    columns = (
        Column("label", "Label"),
        Column("who", "The judge"),
        Column("predicted", "Share predicted", "coefficient"),
        Column("observed", "Share of labels", "coefficient"),
    )
    rows = tuple(
        Row({"label": label, **row.cells})
        for label, bins in found.reliability.items()
        for row in (*_bins(ALIGNED, bins), *_bins(AS_IT_IS, found.raw_reliability.get(label, ())))
    )
    caption = "Reliability: each label's predicted share, rows in groups, beside its share of people's labels"
    return Table("reliability", caption, columns, rows, ("observed",), folded=True)


def _bins(who: str, bins: Sequence[Bin]) -> Iterator[Row]:
    for one in bins:
        yield Row({"who": who, "predicted": one.predicted, "observed": one.observed})


def _pit(found: Pit) -> Table:
    columns = (
        Column("from", "From quantile", "coefficient"),
        Column("to", "To", "coefficient"),
        Column("observed", "Share of labels", "coefficient"),
        Column("least", "Expected from", "coefficient"),
        Column("most", "Expected to", "coefficient"),
    )
    rows = tuple(
        Row(
            {
                "from": one.low,
                "to": one.high,
                "observed": one.share,
                "least": _known(one.expected_low),
                "most": _known(one.expected_high),
            }
        )
        for one in found.bins
    )
    caption = (
        "Where people's labels fall within their predicted distributions (probability integral transform)"
    )
    return Table("pit", caption, columns, rows, folded=True)
