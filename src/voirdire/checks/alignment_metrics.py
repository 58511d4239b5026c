"""The alignment section's table of metrics: from floor to ceiling, and each gain alone and partly pooled."""

from __future__ import annotations

import math

from voirdire.align.by_metric import MetricGain
from voirdire.align.evaluation import Evaluation
from voirdire.checks.context import Context
from voirdire.checks.finding import Cell, Column, Evidence, FloorToCeiling, Missing, Row, Table
from voirdire.stats.estimate import REASONS, Estimate

__all__ = ["metric_gains", "pooled_in_words"]


def metric_gains(context: Context, found: Evaluation) -> Table:
    """A row a metric; none where there is one metric alone."""
    columns = (
        Column("metric", "Metric"),
        Column("rows", "Rows", "count"),
        Column("strip", "Floor to ceiling"),
        Column("gain", "Gain over base rates, nats", "difference"),
        Column("shrunken", "Gain, partly pooled", "difference"),
        Column("p", "p, adjusted", "p"),
    )
    rows = [
        Row(_cells(context.study.metric(one.metric).label, one), Evidence(one.metric))
        for one in found.metrics
    ]
    caption = (
        "Metric by metric; p is of the gain alone, corrected for the number of metrics "
        "(Benjamini and Yekutieli)"
    )
    kept = tuple(rows) if len(rows) > 1 else ()
    return Table("alignment_metrics", caption, columns, kept, ("gain",), folded=len(rows) > 20)


def pooled_in_words(found: Evaluation) -> str:
    """What the gains are drawn towards, in a sentence; empty where they are not pooled."""
    mean, between = found.pooled.mean, found.pooled.between
    if mean.undefined is not None:
        return ""
    return (
        f"Over metrics such as these the gain is {_nats(mean)} nats on average, and differs from metric to "
        f"metric by a standard deviation of {_nats(between)}; partly pooled, each gain is drawn to that "
        "average, the more the less its own labels tell."
    )


def _nats(found: Estimate) -> str:
    ends = f" [{found.low:.3f}, {found.high:.3f}]" if found.has_interval else ""
    return f"{found.value:.3f}{ends}".replace("-", "−")


def _cells(label: str, one: MetricGain) -> dict[str, Cell]:
    return {
        "metric": label,
        "rows": one.n_rows,
        "strip": FloorToCeiling(one.floor, one.raw, one.log, one.optimum),
        "gain": one.gain,
        "shrunken": one.shrunken
        if one.shrunken.undefined is None
        else Missing("not pooled", REASONS[one.shrunken.undefined]),
        "p": None if math.isnan(one.adjusted) else one.adjusted,
    }
