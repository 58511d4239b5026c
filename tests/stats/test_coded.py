"""What is a label, what is missing, and which mistakes are named."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.errors import UserError, UserErrors
from voirdire.stats.coded import Coded
from voirdire.stats.encoding import encode
from voirdire.stats.weights import agreement_weights, weights_reason

NAN = float("nan")


def test_only_real_nulls_are_missing() -> None:
    coded = Coded.from_matrix(np.array([["nan", None], ["None", ""], [NAN, "x"]], dtype=object))
    assert coded.n_ratings == 4
    assert coded.q == 4


def test_text_arrays_keep_every_label() -> None:
    assert Coded.from_matrix(np.array([["nan", ""], ["None", "a"]])).n_ratings == 4


@pytest.mark.parametrize("dtype", [float, object])
def test_missing_numbers_in_float_and_object_arrays(dtype: type) -> None:
    coded = Coded.from_matrix(np.array([[1.5, NAN], [NAN, 2.0]], dtype=dtype))
    assert coded.values is not None
    assert coded.values.tolist() == [1.5, 2.0]
    assert (coded.item.tolist(), coded.rater.tolist(), coded.label.tolist()) == ([0, 1], [0, 1], [0, 1])


@pytest.mark.parametrize("labels", [[1e30, 2.0], [-1e300, 1e300], [0.5, -3.0], [-70_000, 70_000], [-2, -1]])
def test_numbers_of_any_size_are_labels(labels: list[float]) -> None:
    coded = Coded.from_matrix(np.array([labels, [NAN, labels[0]]]))
    assert coded.values is not None
    assert coded.values.tolist() == sorted(labels)
    assert coded.values[coded.label].tolist() == [*labels, labels[0]]
    declared = Coded.from_matrix(np.array([labels]), categories=[*labels, 0.25, 9])
    assert declared.label.tolist() == [0, 1]
    with pytest.raises(UserError, match="is not among"):
        Coded.from_matrix(np.array([[7.0]]), categories=labels)


def test_words_that_are_only_seen_have_no_order_and_declared_ones_keep_theirs() -> None:
    table = [["low", "high"], ["high", "medium"]]
    assert not Coded.from_matrix(table).has_order
    declared = Coded.from_matrix(table, categories=["low", "medium", "high"])
    assert declared.has_order
    assert declared.values is None
    assert declared.label.tolist() == [0, 2, 2, 1]


def test_declared_numbers_keep_their_declared_order_and_value() -> None:
    coded = Coded.from_matrix([[3, 1], [2, 3]], categories=[3, 2, 1])
    assert coded.label.tolist() == [0, 2, 1, 0]
    assert coded.values is not None
    assert coded.values.tolist() == [3, 2, 1]


def test_text_and_number_of_the_same_spelling_are_two_labels() -> None:
    assert Coded.from_matrix(np.array([["1", 1]], dtype=object)).q == 2
    assert encode(np.array(["01", "1"])).categories == ("01", "1")


@pytest.mark.parametrize("table", [[["a", "x"]], np.array([[1.0, 7.0]]), np.array([[1.0, 1.5]])])
def test_a_label_outside_the_declared_categories_is_named(table: object) -> None:
    categories = ["a", "b"] if isinstance(table, list) else [1, 2]
    with pytest.raises(UserError, match=r"label ('x'|7\.0|1\.5) is not among the declared categories"):
        Coded.from_matrix(table, categories=categories)


def test_tables_that_are_no_tables_are_refused() -> None:
    with pytest.raises(UserError, match="1 dimension;"):
        Coded.from_matrix([1, 2, 3])
    with pytest.raises(UserError, match="infinite"):
        Coded.from_matrix([[1.0, float("inf")]])
    with pytest.raises(UserError, match="declared twice"):
        Coded.from_matrix([[1, 2]], categories=[1, 2, 1])
    with pytest.raises(UserError, match="2 clusters for 1 items"):
        Coded.from_matrix([[1, 2]], cluster=["a", "b"])


def test_all_duplicates_are_named_at_once() -> None:
    with pytest.raises(UserErrors) as caught:
        Coded.from_long(["i", "i", "j", "j"], ["r", "r", "r", "r"], ["a", "b", "a", "a"])
    assert caught.value.total == 2
    assert "rater 'r' rated item 'j'" in str(caught.value)


def test_a_missing_repeat_is_no_duplicate() -> None:
    assert Coded.from_long(["i", "i"], ["r", "r"], ["a", None]).n_ratings == 1


def test_long_columns_name_items_without_a_cluster_and_unequal_lengths() -> None:
    with pytest.raises(UserError, match="item 'j' has no cluster"):
        Coded.from_long(["i", "j"], ["r", "r"], ["a", "b"], cluster={"i": 1})
    with pytest.raises(UserError, match="differ in length"):
        Coded.from_long(["i", "j"], ["r"], ["a", "b"])


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from([None, 0, 1, 2, 40_000_000, -3]), min_size=3, max_size=3), min_size=1)
)
def test_matrix_and_long_form_are_the_same_ratings(table: list[list[int | None]]) -> None:
    coded = Coded.from_matrix(table)
    cells = [(i, r, label) for i, row in enumerate(table) for r, label in enumerate(row)]
    long = Coded.from_long(*zip(*cells, strict=True))
    assert (long.counts() == coded.counts()).all()
    seen = sorted({label for row in table for label in row if label is not None})
    assert [seen[k] for k in coded.label] == [label for *_, label in cells if label is not None]


def test_weights_refuse_labels_that_cannot_carry_them() -> None:
    words = Coded.from_matrix([["low", "high"]])
    ordered = Coded.from_matrix([["low", "high"]], categories=["low", "mid", "high"])
    assert weights_reason(words, "linear", "rank") == "no_order"
    assert weights_reason(ordered, "linear", "value") == "not_numeric"
    assert weights_reason(ordered, "ordinal", "value") is None
    with pytest.raises(UserError, match="by='rank'"):
        agreement_weights(ordered, "quadratic")
    with pytest.raises(UserError, match="no weights named"):
        agreement_weights(ordered, "cubic")  # type: ignore[arg-type]
    with pytest.raises(UserError, match="cannot go by"):
        agreement_weights(ordered, "linear", "size")  # type: ignore[arg-type]
    with pytest.raises(UserError, match="shape"):
        agreement_weights(ordered, np.eye(2))
    with pytest.raises(UserError, match="symmetric"):
        agreement_weights(ordered, np.triu(np.ones((3, 3))))


def test_weights_by_value_and_by_rank_differ_where_values_are_uneven() -> None:
    coded = Coded.from_matrix([[0, 1], [10, 0]])
    assert agreement_weights(coded, "linear").round(3).tolist() == [[1, 0.9, 0], [0.9, 1, 0.1], [0, 0.1, 1]]
    assert agreement_weights(coded, "quadratic", "rank")[0].tolist() == [1, 0.75, 0]
    assert agreement_weights(coded, "ordinal")[0].round(4).tolist() == [1, 0.6667, 0]  # 1 - C(2,2)/C(3,2)


def test_truth_values_are_numbers_in_their_order() -> None:
    seen = Coded.from_matrix([[True, False], [None, True]])
    declared = Coded.from_matrix(np.array([[True, False]]), categories=[True, False])
    assert (seen.label.tolist(), declared.label.tolist()) == ([1, 0, 1], [0, 1])
