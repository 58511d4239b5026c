"""Do the metrics measure what they claim? Experts' reviews of the constructs, beside the labels."""

from __future__ import annotations

from collections import Counter

from voirdire.checks.context import Context
from voirdire.checks.finding import Action, Cell, Column, Evidence, Finding, Missing, Row, Table
from voirdire.checks.words import count, percent
from voirdire.registry import register
from voirdire.stats.proportion import proportion
from voirdire.study.review import ADEQUACY

__all__ = ["reviews"]


@register("check", "reviews")
def reviews(context: Context) -> Finding | None:
    """Construct reviews by verdict, how many want a rename, and the metrics with an inadequate one."""
    found = context.study.reviews
    if not found:
        return None
    n, rename = len(found), sum(review.rename for review in found)
    by = Counter(review.adequacy for review in found)
    rows = tuple(
        Row(
            {
                "adequacy": name,
                "reviews": by[name],
                "share": proportion(by[name], n, level=context.options.level),
            }
        )
        for name in ADEQUACY
    )
    renamed: dict[str, Cell] = {"adequacy": "rename wanted", "reviews": rename}
    rows += (Row(renamed | {"share": proportion(rename, n, level=context.options.level)}),)
    columns = (
        Column("adequacy", "Review"),
        Column("reviews", "Reviews", "count"),
        Column("share", "Share", "share"),
    )
    tables = (Table("reviews", f"{count(n, 'construct review')}", columns, rows), _doubted(context))
    parts = ", ".join(f"{by[name]:,} {name}" for name in ADEQUACY)
    bad = by["inadequate"]
    why = "A judge cannot be right about a construct that experts find inadequate."
    return Finding(
        check="reviews",
        question="Do the metrics measure what they claim?",
        answer=f"Of {count(n, 'review')}, {parts}; {rename:,} ({percent(rename / n, n)}) want another name.",
        tables=tuple(table for table in tables if table.rows),
        actions=(
            Action(
                f"Act on {count(bad, 'construct review')} that found a metric inadequate",
                why,
                "0 labels",
                gain=float(bad),
            ),
        )
        if bad
        else (),
        missing=() if any(review.metric for review in found) else ("which metric each review is about",),
        data={**{str(name): by[name] for name in ADEQUACY}, "rename": rename},
    )


def _doubted(context: Context) -> Table:
    """Metrics with an uncertain or inadequate review, or one that wants another name."""
    rows = []
    for review in context.study.reviews:
        if review.metric and (review.adequacy != "adequate" or review.rename):
            cells: dict[str, Cell] = {
                "metric": review.metric,
                "adequacy": review.adequacy,
                "rename": "yes" if review.rename else "no",
                "comment": review.comment or Missing("none"),
            }
            rows.append(Row(cells, Evidence(metric=review.metric)))
    columns = (
        Column("metric", "Metric"),
        Column("adequacy", "Review"),
        Column("rename", "Rename"),
        Column("comment", "Comment", "prose"),
    )
    return Table("doubted", "Metrics that reviewers doubt", columns, tuple(rows), folded=len(rows) > 12)
