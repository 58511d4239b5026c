"""Column: coded text with missing values."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from voirdire.study import Column
from voirdire.study.long import compose

values = st.lists(st.one_of(st.none(), st.sampled_from("abcd")), max_size=20)


@given(values)
def test_a_column_holds_what_it_was_made_of(cells: list[str | None]) -> None:
    column = Column.of(cells)
    assert list(column) == cells
    assert [column[row] for row in range(len(cells))] == cells
    assert column.is_missing.tolist() == [cell is None for cell in cells]
    assert column.equals("a").tolist() == [cell == "a" for cell in cells]


@given(values, values)
def test_concatenation_keeps_every_cell(one: list[str | None], two: list[str | None]) -> None:
    assert list(Column.concatenate([Column.of(one), Column.of(two)])) == one + two


@given(values)
def test_recoding_maps_each_cell(cells: list[str | None]) -> None:
    column = Column.of(cells)
    new = {"a": "x", "b": "x", "c": None, "d": "y"}
    recoded = column.recode([new[value] for value in column.values])
    assert list(recoded) == [None if cell is None else new[cell] for cell in cells]
    assert len(set(recoded.values)) == len(recoded.values)
    assert list(column.without(["a", "z"])) == [None if cell == "a" else cell for cell in cells]


@given(values, st.permutations(range(6)))
def test_compacting_orders_the_used_values_by_appearance(cells: list[str | None], order: list[int]) -> None:
    names = [*"abcd", "unused", "more"]
    shuffled = tuple(names[at] for at in order)
    column = Column(
        np.array([-1 if cell is None else shuffled.index(cell) for cell in cells], np.int32), shuffled
    )
    compact = column.compact()
    assert list(compact) == cells
    assert compact.values == Column.of(cells).values


@given(
    st.lists(
        st.tuples(st.one_of(st.none(), st.sampled_from("ab")), st.sampled_from(["", "|", "c"])), min_size=1
    )
)
def test_composed_columns_join_their_cells(cells: list[tuple[str | None, str]]) -> None:
    one, two = Column.of([cell for cell, _ in cells]), Column.of([cell for _, cell in cells])
    expected = [f"{first or ''}|{second}" if first or second else None for first, second in cells]
    assert list(compose([one, two])) == expected
