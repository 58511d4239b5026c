"""Every published or independently computed value of the multi-rater coefficients, at its tolerance."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from voirdire.errors import UserErrors
from voirdire.stats import (
    Coded,
    agreement,
    brennan_prediger,
    conger_kappa,
    fleiss_kappa,
    fleiss_null_test,
    gwet_ac,
    krippendorff_alpha,
    light_kappa,
    pairwise_agreement,
    set_distance,
    unanimity,
)

REFERENCE = Path(__file__).resolve().parents[3] / "shared" / "reference" / "reference_values.json"
CASES = json.loads(REFERENCE.read_text())["cases"] if REFERENCE.exists() else []


def ratings_of(data: dict[str, Any], q: int | None = None) -> Coded:
    """A case's ratings, whichever of the three layouts it has; only the first ``q`` declared categories."""
    if "table" in data:
        table = np.array(data["table"])
        pairs = [[k, m] for k, m in np.ndindex(table.shape) for _ in range(table[k, m])]
        return Coded.from_matrix(pairs, categories=range(len(table)))
    if "counts" in data:
        rows = [[k for k, n in enumerate(row) for _ in range(n)] for row in data["counts"]]
        return Coded.from_matrix(rows, categories=range(len(data["counts"][0])))
    categories = data.get("categories")
    return Coded.from_matrix(data["ratings"], categories=categories[:q] if categories else None)


Statistic = Callable[[Coded, str], float]
STATISTICS: dict[str, Statistic] = {
    "percent_agreement": lambda x, w: pairwise_agreement(x, weights=w),
    "fleiss_kappa": lambda x, w: fleiss_kappa(x, weights=w),
    "fleiss": lambda x, w: fleiss_kappa(x),
    "fleiss_gwet": lambda x, w: fleiss_kappa(x),
    "fleiss_pooled": lambda x, w: fleiss_kappa(x, marginals="pooled"),
    "scott_pi": lambda x, w: fleiss_kappa(x, weights=w),  # Fleiss' kappa of two raters
    "gwet_ac": lambda x, w: gwet_ac(x, weights=w),
    "gwet_ac1": lambda x, w: gwet_ac(x),
    "gwet_ac1_drop_singles": lambda x, w: gwet_ac(x.select((x.ratings_per_item() >= 2)[x.item])),
    "brennan_prediger": lambda x, w: brennan_prediger(x, weights=w),
    "pabak": lambda x, w: brennan_prediger(x),
    "conger_kappa": lambda x, w: conger_kappa(x, weights=w),
    "conger": lambda x, w: conger_kappa(x),
    "cohen_kappa": lambda x, w: conger_kappa(x, weights=w),  # Conger's and Light's of two raters
    "cohen": lambda x, w: light_kappa(x),
    "kappa": lambda x, w: light_kappa(x),
    "krippendorff_alpha": lambda x, w: krippendorff_alpha(
        x, level="interval" if w == "quadratic" else "nominal"
    ),
    "alpha": lambda x, w: krippendorff_alpha(x),
    "alpha_ordinal": lambda x, w: krippendorff_alpha(x, level="ordinal"),
    "nominal": lambda x, w: krippendorff_alpha(x),
    "ordinal": lambda x, w: krippendorff_alpha(x, level="ordinal"),
    "interval": lambda x, w: krippendorff_alpha(x, level="interval"),
    "ratio": lambda x, w: krippendorff_alpha(x, level="ratio"),
    "unanimous_fraction": lambda x, w: unanimity(x),
    "z_fleiss1979": lambda x, w: fleiss_null_test(x).z,
    "se0_fleiss1979": lambda x, w: fleiss_null_test(x).standard_error,
    "n_pairable": lambda x, w: x.select((x.ratings_per_item() >= 2)[x.item]).n_ratings,
    "n_items_pairable": lambda x, w: (x.ratings_per_item() >= 2).sum(),
}
GROUPS = ("krippendorff", "gwet", "fleiss", "kappa2x2", "edge")


def expectations() -> list[Any]:
    found = []
    for case in CASES:
        weights = case["id"].rsplit("_", 1)[-1]
        weights = weights if weights in ("linear", "quadratic", "ordinal") else "identity"
        for key, value in case["expected"].items():
            if case["id"].startswith(GROUPS) and key in STATISTICS:
                found.append(pytest.param(case, key, weights, value, id=f"{case['id']}-{key}"))
    return found


def test_the_reference_values_are_read(shared: Path) -> None:
    assert len(expectations()) > 90, f"too few cases in {shared}"


@pytest.mark.parametrize(("case", "key", "weights", "expected"), expectations())
def test_reference_value(case: dict[str, Any], key: str, weights: str, expected: float | None) -> None:
    value = STATISTICS[key](ratings_of(case["data"]), weights)
    if expected is None:
        assert math.isnan(value)
    else:
        assert value == pytest.approx(expected, abs=case["tol"], rel=0)


@pytest.mark.parametrize(
    "case", [c for c in CASES if c["id"].startswith("masi")], ids=lambda case: case["id"]
)
def test_masi(case: dict[str, Any]) -> None:
    assert set_distance(case["data"]["a"], case["data"]["b"]) == pytest.approx(
        case["expected"]["masi"], abs=1e-9
    )


def by_id(name: str) -> dict[str, Any]:
    found = [case for case in CASES if case["id"] == name]
    return found[0] if found else pytest.skip(f"{REFERENCE} is missing")


def test_an_unused_category_moves_only_the_coefficients_that_count_categories() -> None:
    case = by_id("edge_empty_category")
    two = ratings_of(case["data"], q=2)
    assert gwet_ac(two) == pytest.approx(case["expected"]["gwet_ac1_q2"], abs=case["tol"])
    assert brennan_prediger(two) == pytest.approx(case["expected"]["brennan_prediger_q2"], abs=case["tol"])


def test_a_rater_who_rated_nothing_is_a_rater_who_is_not_there() -> None:
    table = by_id("edge_rater_rated_nothing")["data"]["ratings"]
    names = ["krippendorff_alpha", "fleiss_kappa", "conger_kappa", "light_kappa", "gwet_ac"]
    full = agreement(Coded.from_matrix(table), names, interval="jackknife")
    dropped = agreement(Coded.from_matrix([row[:2] for row in table]), names, interval="jackknife")
    assert full == dropped


def test_a_rater_with_two_labels_on_an_item_is_an_error_that_names_the_pair() -> None:
    case = by_id("edge_duplicate_rater_item")
    rater, item, label = zip(*case["data"]["rows"], strict=True)
    with pytest.raises(UserErrors, match="rater 'a' rated item 'i1' more than once"):
        Coded.from_long(item, rater, label)
    for keep in ("first", "last"):
        value = krippendorff_alpha(Coded.from_long(item, rater, label, keep=keep))
        assert value == pytest.approx(case["expected"][f"alpha_keep_{keep}"], abs=case["tol"])


def test_undefined_values_carry_their_reason() -> None:
    for name, reasons in {
        "edge_all_one_category_declared2": {"krippendorff_alpha": "no_variation", "gwet_ac": None},
        "edge_all_one_category_undeclared": {"fleiss_kappa": "no_variation", "gwet_ac": "no_variation"},
        "edge_single_item_agree": {"krippendorff_alpha": "no_variation", "pairwise_agreement": None},
        "edge_single_rater": {
            "fleiss_kappa": "insufficient_raters",
            "pairwise_agreement": "insufficient_raters",
        },
    }.items():
        found = agreement(ratings_of(by_id(name)["data"]), list(reasons), interval="jackknife")
        assert {key: estimate.undefined for key, estimate in found.items()} == reasons
        assert not any(estimate.has_interval for estimate in found.values())
