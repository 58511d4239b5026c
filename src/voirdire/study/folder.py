"""A folder without study.yaml: which of its tables holds the ratings, and which describe the items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from voirdire.errors import UserError
from voirdire.study.columns import find_columns
from voirdire.study.config import TableConfig
from voirdire.study.raw import RawTable
from voirdire.study.wide import find_rater_columns

__all__ = ["sort_tables"]


def sort_tables(
    tables: Sequence[RawTable], *, where: str, columns: Mapping[str, str], raters: Sequence[str]
) -> tuple[list[tuple[RawTable, TableConfig]], tuple[str, ...]]:
    """The one table of ratings and the tables of its items, with what was assumed.

    Any other set of tables is a user's error that names the files and asks for study.yaml.
    """
    ratings = [table for table in tables if _holds_ratings(table, columns, raters)]
    names = ", ".join(table.name for table in tables) or "no table"
    fix = "write study.yaml, which says how the files belong together (voirdire init drafts one)"
    if len(ratings) != 1:
        held = "no table of ratings" if not ratings else f"{len(ratings)} tables of ratings"
        raise UserError(f"no study.yaml, and {held} among {names}", where=where, fix=fix)
    main = ratings[0]
    others = [table for table in tables if table is not main]
    strange = [table.name for table in others if not _shares_items(table, main, columns)]
    if strange:
        raise UserError(
            f"no study.yaml, and it is not clear what {', '.join(strange)} holds", where=where, fix=fix
        )
    declared = TableConfig(file=main.name, columns=dict(columns), raters=list(raters))
    sorted_tables = [
        (main, declared),
        *((table, TableConfig(file=table.name, kind="items")) for table in others),
    ]
    notes = [f"No study.yaml: the ratings are read from {main.name}."]
    notes += [f"{table.name} describes the items, since it shares their names." for table in others]
    return sorted_tables, tuple(notes)


def _holds_ratings(table: RawTable, columns: Mapping[str, str], raters: Sequence[str]) -> bool:
    if raters and set(raters) <= set(table.columns):
        return True
    seen = list(table.columns)
    declared = {name: own for name, own in columns.items() if own in seen}
    found = find_columns(seen, declared, where=table.name).source
    if "label" in found and "item_id" in found and ("rater_id" in found or "label" in table.columns):
        return True
    return bool(find_rater_columns(table, [found.get("item_id", "")]))


def _shares_items(table: RawTable, main: RawTable, columns: Mapping[str, str]) -> bool:
    """Whether ``table`` names at least one item of ``main`` in the column that names its items."""
    own = find_columns(list(table.columns), {}, where=table.name).source.get("item_id")
    theirs = columns.get("item_id") or find_columns(list(main.columns), {}, where=main.name).source.get(
        "item_id"
    )
    if own is None or theirs is None or theirs not in main.columns:
        return False
    return not set(table.columns[own].values).isdisjoint(main.columns[theirs].values)
