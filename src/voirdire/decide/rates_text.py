"""Corrected rates as text for a terminal: a table a metric, systems from the highest to the lowest."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from voirdire.decide.lines import aligned, folded
from voirdire.decide.rates_rows import ALL, Difference, Rate
from voirdire.stats.estimate import REASONS, Estimate

__all__ = ["text"]

MOST_ROWS = 60
SHARES = ("share of ", "pass rate", "win rate", "tie rate", "score")


def text(rows: Sequence[Rate], differences: Sequence[Difference]) -> list[str]:
    """Lines of one table a metric, of the quantity that ranks systems, of every label's share without one."""
    lines: list[str] = []
    for metric in dict.fromkeys(row.metric for row in rows):
        mine = [row for row in rows if row.metric == metric]
        lines += [*_metric(metric, mine, [each for each in differences if each.metric == metric]), ""]
    return lines


def _metric(metric: str, rows: Sequence[Rate], differences: Sequence[Difference]) -> Iterator[str]:
    quantities = list(dict.fromkeys(row.quantity for row in rows))
    ranked = next((row.quantity for row in rows if row.rank is not None), quantities[0])
    main = quantities if ranked.startswith("share of ") and not differences else [ranked]
    for name in main:
        mine = [row for row in rows if row.quantity == name]
        yield f"{metric}: {name}{' (%)' if name.startswith(SHARES) else ''}"
        yield from _table(mine)
        decided = sum(_decided(each.simultaneous) for each in differences if each.quantity == name)
        pairs = sum(each.quantity == name for each in differences)
        if pairs:
            yield f"{decided:,} of {pairs:,} differences of two systems are decided, all pairs together."
    if len(quantities) > len(main):
        others = ", ".join(name for name in quantities if name not in main)
        yield from folded(f"Also in --json and --out: {others}.")


def _decided(difference: Estimate) -> bool:
    return difference.low > 0 or difference.high < 0


def _table(rows: Sequence[Rate]) -> list[str]:
    judges = [judge.judge for judge in rows[0].judges]
    corrected = any(judge.rogan_gladen is not None for judge in rows[0].judges)
    head = ["system", "corrected", "new raters", "labels alone", *judges]
    head += [f"{name}, Rogan-Gladen" for name in judges] if corrected else []
    head += ["labelled", "of", "gain", "rank", "method"]
    ordered = sorted(rows, key=lambda row: (row.system == ALL, " over " in row.system, -_sortable(row)))
    cells = [[*_row(row, corrected)] for row in ordered[:MOST_ROWS]]
    lines = aligned([head, *cells], numbers=[len(head) - 5, len(head) - 4, len(head) - 3])
    more = len(ordered) - MOST_ROWS
    return lines + ([f"... and {more:,} more rows in --json and --out."] if more > 0 else [])


def _sortable(row: Rate) -> float:
    return -math.inf if math.isnan(row.corrected.value) else row.corrected.value


def _row(row: Rate, corrected: bool) -> Iterator[str]:
    share = row.quantity.startswith(SHARES)
    yield row.system
    for estimate in (row.corrected, row.new_raters, row.labels_alone):
        yield _spelled(estimate, share)
    yield from (_value(judge.naive, share) for judge in row.judges)
    if corrected:
        yield from (_spelled(judge.rogan_gladen, share) for judge in row.judges if judge.rogan_gladen)
    yield from (f"{row.n_labelled:,}", f"{row.n_items:,}")
    yield "" if math.isnan(row.gain) else f"{row.gain:.1f}"
    rank = row.rank
    yield "" if rank is None else str(rank.low) if rank.low == rank.high else f"{rank.low}-{rank.high}"
    yield row.method


def _spelled(estimate: Estimate, share: bool) -> str:
    if estimate.undefined is not None:
        return f"undefined ({REASONS[estimate.undefined].split(',')[0]})"
    if not estimate.has_interval:
        return f"{_number(estimate.value, share)} [no interval]"
    return (
        f"{_number(estimate.value, share)} [{_number(estimate.low, share)}, {_number(estimate.high, share)}]"
    )


def _value(estimate: Estimate, share: bool) -> str:
    return "undefined" if estimate.undefined is not None else _number(estimate.value, share)


def _number(value: float, share: bool) -> str:
    if math.isnan(value):
        return "-"
    return f"{100 * value:.1f}" if share else f"{value:.2f}"
