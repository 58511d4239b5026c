"""Tables of a judge's ranking of systems: rankings, systems, pairs, and judges left out."""

from __future__ import annotations

from collections.abc import Sequence

from voirdire.checks.context import Context
from voirdire.checks.finding import Cell, Column, Evidence, Missing, Row, Table
from voirdire.decide.rates_rows import Rank
from voirdire.decide.systems_result import JudgedSystems, LeftOut, gap_text

__all__ = ["labelled", "pair_table", "panel_table", "ranking_table", "system_table"]

OPEN = 20
"""A table with more rows than this is folded."""
MOST_PAIRS = 200


def labelled(context: Context, metrics: Sequence[str]) -> str:
    """A metric's label, or how many are taken together."""
    return (
        context.study.metric(metrics[0]).label if len(metrics) == 1 else f"{len(metrics):,} metrics together"
    )


def _start(context: Context, one: JudgedSystems | LeftOut) -> dict[str, Cell]:
    return {"metric": labelled(context, one.metrics), "judge": one.judge}


def _behind(one: JudgedSystems, *systems: str) -> Evidence:
    """The ratings behind a row, where a single column names the system."""
    metric = one.metrics[0] if len(one.metrics) == 1 else ""
    single = len(systems) == 1 and one.beyond[0].undefined is not None
    return Evidence(metric, (), (("system", systems[0]),) if single else ())


def ranking_table(context: Context, rows: Sequence[JudgedSystems]) -> Table:
    """One row a judge and metric: how alike the two rankings are, and how far apart systems are put."""
    columns = (
        Column("metric", "Metric"),
        Column("judge", "Judge"),
        Column("items", "Items", "count"),
        Column("systems", "Systems", "count"),
        Column("tau", "tau-b", "coefficient"),
        Column("soft", "Soft pairwise accuracy", "share"),
        Column("apart", "Told apart by people, judge"),
        Column("contrary", "The other way", "count"),
        Column("decisiveness", "Decisiveness", "coefficient"),
        Column("spread", "SD of bias", "coefficient"),
        Column("gap", "Confirmed gap"),
    )
    found = tuple(
        Row(
            _start(context, one)
            | {
                "items": one.n_rows,
                "systems": len(one.systems),
                "tau": one.tau,
                "soft": one.soft.value if one.soft.undefined is None else one.soft,
                "apart": f"{one.apart('people'):,}, {one.apart('judge'):,} of {len(one.pairs):,}",
                "contrary": len(one.contrary),
                "decisiveness": one.decisiveness
                if one.decisiveness.undefined != "insufficient_systems"
                else Missing("none", "needs pairs of answers"),
                "spread": one.bias_sd,
                "gap": _gap(one),
            },
            _behind(one),
        )
        for one in rows
    )
    caption = "The judge's ranking of systems beside people's, on the same items"
    return Table("rankings", caption, columns, found, folded=len(found) > OPEN)


def system_table(context: Context, rows: Sequence[JudgedSystems]) -> Table:
    """One row a judge, metric and system, strongest by people first."""
    columns: tuple[Column, ...] = (
        Column("metric", "Metric"),
        Column("judge", "Judge"),
        Column("system", "System"),
        Column("people", "People", "coefficient"),
        Column("people_rank", "Rank"),
        Column("judged", "Judge", "coefficient"),
        Column("judge_rank", "Rank"),
        Column("bias", "Judge minus people", "difference"),
        Column("beyond", "Beyond decisiveness", "difference"),
    )
    if all(one.beyond[0].undefined is not None for one in rows):
        columns = columns[:-1]
    found = tuple(row for one in rows for row in _systems(context, one))
    quantities = " or ".join(dict.fromkeys(one.quantity for one in rows))
    caption = (
        f"Each system's {quantities}, by people and by the judge on the same items, with the ranks it may "
        "hold; "
        "biases hold for all systems together"
    )
    return Table("ranked", caption, columns, found, ("people", "judged"), folded=len(found) > OPEN)


def _systems(context: Context, one: JudgedSystems) -> list[Row]:
    order = sorted(range(len(one.systems)), key=lambda k: -one.people[k].value)
    return [
        Row(
            _start(context, one)
            | {
                "system": one.systems[k],
                "people": one.people[k],
                "people_rank": _rank(one.people_ranks[k]),
                "judged": one.judged[k],
                "judge_rank": _rank(one.judge_ranks[k]),
                "bias": one.bias[k],
                "beyond": one.beyond[k],
            },
            _behind(one, one.systems[k]),
        )
        for k in order
    ]


def pair_table(context: Context, rows: Sequence[JudgedSystems]) -> Table:
    """One row a pair of systems that people or the judge tell apart; those told apart contrarily first."""
    columns = (
        Column("metric", "Metric"),
        Column("judge", "Judge"),
        Column("first", "System"),
        Column("second", "minus"),
        Column("people", "By people", "difference"),
        Column("judged", "By the judge", "difference"),
    )
    every = [(one, pair) for one in rows for pair in one.pairs]
    every.sort(key=lambda each: each[1] not in each[0].contrary)
    found = tuple(
        Row(
            _start(context, one)
            | {"first": pair.first, "second": pair.second, "people": pair.people, "judged": pair.judge},
            _behind(one),
        )
        for one, pair in every[:MOST_PAIRS]
    )
    cut = f"; the first {MOST_PAIRS:,} of {len(every):,}" if len(every) > MOST_PAIRS else ""
    caption = f"Differences of two systems, intervals for all pairs together{cut}"
    return Table("pairs", caption, columns, found, ("people", "judged"), folded=True)


def panel_table(context: Context, panels: Sequence[LeftOut]) -> Table:
    """One row a judge left out of the panel of all."""
    columns = (
        Column("metric", "Metric"),
        Column("judge", "Without"),
        Column("items", "Items", "count"),
        Column("tau", "tau-b with all judges", "coefficient"),
        Column("first", "First system"),
        Column("moved", "Systems that change rank"),
        Column("kin", "Its own or family: rank with, without"),
    )
    found = tuple(
        Row(
            _start(context, one)
            | {
                "items": one.n_rows,
                "tau": one.tau,
                "first": one.leader if one.leader == one.led else f"{one.leader}\nwith it {one.led}",
                "moved": f"{one.moved}, by {one.most} at most" if one.moved else "none",
                "kin": "; ".join(
                    f"{name} {a}, {b}" for name, (a, b) in zip(one.kin, one.kin_ranks, strict=True)
                ),
            },
            Evidence(one.metrics[0] if len(one.metrics) == 1 else ""),
        )
        for one in panels
    )
    caption = "Ranking by the mean of all judges, with and without each judge, on items that all judged"
    return Table("left_out", caption, columns, found, folded=len(found) > OPEN)


def _gap(one: JudgedSystems) -> Cell:
    if one.gap.undefined not in (None, "unconfirmed"):
        return one.gap
    return gap_text(one.gap).replace(" [", "\n[").replace(", ", ",\u00a0")


def _rank(rank: Rank) -> str:
    return str(rank.low) if rank.low == rank.high else f"{rank.low}–{rank.high}"
