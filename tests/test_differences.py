"""What the README says of other packages, on small inputs: a claim that stops being true fails here."""

from __future__ import annotations

import math

import krippendorff
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters
from statsmodels.stats.inter_rater import fleiss_kappa as other_fleiss

from voirdire.stats.cohen import cohen_kappa
from voirdire.stats.fleiss import fleiss_kappa
from voirdire.stats.krippendorff import krippendorff_alpha

NAN = math.nan
CANONICAL = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
).T
"""Krippendorff's (2011) four observers and twelve units, items in rows."""


def test_a_missing_cell_is_no_category() -> None:
    table, categories = aggregate_raters(CANONICAL)
    assert len(categories) == 6
    assert other_fleiss(table) == pytest.approx(0.5676, abs=5e-5)
    assert fleiss_kappa(CANONICAL) == pytest.approx(0.7612, abs=5e-5)


def test_items_may_differ_in_their_number_of_raters() -> None:
    with pytest.raises(AssertionError):
        other_fleiss(np.array([[3, 0], [2, 1], [1, 1], [0, 4]]))
    ratings = [["a", "a", "a", None], ["a", "a", "b", None], ["a", "b", None, None], ["b", "b", "b", "b"]]
    assert fleiss_kappa(ratings) == pytest.approx(23 / 143)


def test_a_label_spelled_nan_is_a_label() -> None:
    labels = [["nan", "nan"], ["a", "a"], ["a", "b"], ["b", "b"]]
    renamed = [["c" if label == "nan" else label for label in row] for row in labels]

    def theirs(rows: list[list[str]]) -> float:
        return krippendorff.alpha(reliability_data=np.array(rows).T, level_of_measurement="nominal")

    assert theirs(labels) != pytest.approx(theirs(renamed))
    assert krippendorff_alpha(labels) == pytest.approx(theirs(renamed))


def test_one_label_everywhere_is_undefined_and_no_exception() -> None:
    with pytest.raises(ValueError, match="more than one value"):
        krippendorff.alpha(reliability_data=[[1, 1, 1], [1, 1, 1]], level_of_measurement="nominal")
    assert math.isnan(krippendorff_alpha([[1, 1], [1, 1], [1, 1]]))


def test_an_order_of_words_is_never_the_alphabet() -> None:
    first = ["low", "low", "medium", "high", "high", "medium"]
    second = ["low", "medium", "medium", "high", "medium", "low"]
    order = ["low", "medium", "high"]
    assert cohen_kappa_score(first, second, weights="linear") == pytest.approx(0.25)
    table = [
        [sum(a == x and b == y for a, b in zip(first, second, strict=True)) for y in order] for x in order
    ]
    assert cohen_kappa(table, weights="linear").estimate.value == pytest.approx(0.4)
