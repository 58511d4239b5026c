"""Intraclass correlation beside pingouin, statsmodels and a direct likelihood; missing cells; coverage."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from voirdire.errors import UserError
from voirdire.stats.estimate import NEW_RATERS, THESE_RATERS
from voirdire.stats.icc import ICC, intraclass_correlation
from voirdire.stats.variance_components import variance_components

FORMS = ("one_way", "absolute", "consistency", "mean_one_way", "mean_absolute", "mean_consistency")


def of_table(table: np.ndarray, **options: Any) -> ICC:
    item, rater = np.indices(table.shape).reshape(2, -1)
    return intraclass_correlation(item, rater, table.ravel(), **options)


def drawn(
    n: int, k: int, rng: np.random.Generator, spread: tuple[float, float, float] = (1, 0.5, 0.8)
) -> np.ndarray:
    items, raters, errors = spread
    return (
        items * rng.normal(size=(n, 1)) + raters * rng.normal(size=(1, k)) + errors * rng.normal(size=(n, k))
    )


@settings(max_examples=25, deadline=None)
@given(st.integers(5, 15), st.integers(2, 5), st.integers(0, 10_000))
def test_complete_tables_equal_pingouin(n: int, k: int, seed: int) -> None:
    import pingouin

    table = np.round(drawn(n, k, np.random.default_rng(seed)), 1)
    item, rater = np.indices(table.shape).reshape(2, -1)
    frame = pd.DataFrame({"item": item, "rater": rater, "value": table.ravel()})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = pingouin.intraclass_corr(frame, targets="item", raters="rater", ratings="value")
    ours = of_table(table, absolute_interval="satterthwaite")
    interval = next(name for name in theirs.columns if name.startswith("CI"))
    for form, value, bounds in zip(FORMS, theirs["ICC"], theirs[interval], strict=True):
        estimate = getattr(ours, form)
        assert estimate.value == pytest.approx(value, abs=1e-9), form
        # theirs are rounded to two places
        if estimate.no_interval == "unbounded":  # theirs then steps over a pole, and low exceeds high
            assert bounds[0] > bounds[1] or not np.isfinite(bounds).all()
        else:
            assert (estimate.low, estimate.high) == pytest.approx(tuple(bounds), abs=0.0051), form


@settings(max_examples=25, deadline=None)
@given(st.integers(4, 12), st.integers(2, 5), st.integers(0, 10_000))
def test_components_of_a_complete_table_are_those_of_its_mean_squares(n: int, k: int, seed: int) -> None:
    table = drawn(n, k, np.random.default_rng(seed))
    anova = of_table(table)
    item_share, rater_share = anova.between_items - anova.error, anova.between_raters - anova.error
    if item_share <= 0 or rater_share <= 0:
        return  # the analysis of variance then gives a component below 0, which REML does not
    item, rater = np.indices(table.shape).reshape(2, -1)
    found = variance_components(item, rater, table.ravel())
    expected = (item_share / k, rater_share / n, anova.error)
    assert (found.item, found.rater, found.error) == pytest.approx(expected, rel=1e-4, abs=1e-5)


def thinned(table: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    holes = table.copy()
    holes[rng.random(table.shape) < share] = np.nan
    return holes


def direct_reml(table: np.ndarray) -> tuple[float, float, float]:
    """The REML likelihood from its full covariance matrix, maximised over the three variances."""
    item, rater = np.nonzero(~np.isnan(table))
    y = table[item, rater]
    same_item, same_rater = item[:, None] == item, rater[:, None] == rater

    def criterion(logs: np.ndarray) -> float:
        a, b, c = np.exp(logs)
        v = a * same_item + b * same_rater + c * np.eye(y.size)
        inverse = np.linalg.inv(v)
        weight = inverse.sum()
        residual = y - inverse.sum(0) @ y / weight
        return float(np.linalg.slogdet(v)[1] + np.log(weight) + residual @ inverse @ residual)

    options = {"xatol": 1e-9, "fatol": 1e-12, "maxiter": 4000}
    found = minimize(criterion, np.zeros(3), method="Nelder-Mead", options=options)
    a, b, c = np.exp(found.x)
    return float(a), float(b), float(c)


@pytest.mark.parametrize(("n", "k", "share"), [(30, 4, 0.2), (12, 3, 0.15), (20, 8, 0.5), (6, 15, 0.4)])
def test_missing_cells_equal_the_likelihood_written_out(n: int, k: int, share: float) -> None:
    rng = np.random.default_rng(n + k)
    table = thinned(drawn(n, k, rng, (1, 0.8, 0.7)), share, rng)
    item, rater, error = direct_reml(table)
    ours = of_table(table)
    assert ours.method == "REML"
    assert ours.absolute.value == pytest.approx(item / (item + rater + error), abs=1e-4)
    assert ours.consistency.value == pytest.approx(item / (item + error), abs=1e-4)


def test_missing_cells_equal_statsmodels() -> None:
    import statsmodels.formula.api as smf

    rng = np.random.default_rng(4)
    table = thinned(drawn(20, 5, rng, (1, 0.8, 0.7)), 0.3, rng)
    item, rater = np.nonzero(~np.isnan(table))
    frame = pd.DataFrame({"y": table[item, rater], "item": item, "rater": rater, "all": 1})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = smf.mixedlm(
            "y ~ 1",
            frame,
            groups="all",
            re_formula="0",
            vc_formula={"item": "0 + C(item)", "rater": "0 + C(rater)"},
        )
        fit = model.fit(reml=True, method=["bfgs", "nm"])
    theirs = dict(zip(model.exog_vc.names, fit.vcomp, strict=True))
    total = theirs["item"] + theirs["rater"] + fit.scale
    ours = of_table(table)
    assert ours.absolute.value == pytest.approx(theirs["item"] / total, abs=1e-4)
    assert ours.consistency.value == pytest.approx(theirs["item"] / (theirs["item"] + fit.scale), abs=1e-4)


def test_one_missing_cell_hardly_moves_a_large_table() -> None:
    table = drawn(80, 4, np.random.default_rng(1))
    full = of_table(table)
    table[3, 2] = np.nan
    holed = of_table(table)
    assert (full.method, holed.method) == ("ANOVA", "REML")
    for form in FORMS:
        one, other = getattr(full, form), getattr(holed, form)
        assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high), abs=0.02)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.1, 50), st.floats(-100, 100))
def test_order_scale_and_shift_change_nothing(seed: int, scale: float, shift: float) -> None:
    rng = np.random.default_rng(seed)
    table = thinned(drawn(10, 4, rng), 0.15, rng)
    base = of_table(table)
    moved = of_table(scale * table[rng.permutation(10)][:, rng.permutation(4)] + shift)
    wider = of_table(np.column_stack([table, np.full(10, np.nan)]))
    for form in FORMS:
        assert getattr(moved, form).value == pytest.approx(getattr(base, form).value, abs=2e-4), form
        assert getattr(wider, form).value == pytest.approx(getattr(base, form).value, abs=1e-9), form


def test_undefined_and_degenerate_tables_say_why() -> None:
    assert of_table(np.array([[1.0, 2.0]])).absolute.undefined == "insufficient_items"
    assert of_table(np.array([[1.0], [2.0]])).absolute.undefined == "insufficient_raters"
    assert of_table(np.full((3, 2), 4.0)).absolute.undefined == "no_variation"
    chain = np.array([[1.0, np.nan], [np.nan, 2.0], [3.0, 5.0]])
    assert of_table(chain).absolute.undefined == "not_identifiable"
    perfect = of_table(np.array([[1.0, 1.0], [2.0, 2.0], [4.0, 4.0]]))
    assert perfect.absolute.value == perfect.consistency.value == perfect.one_way.value == 1
    assert perfect.absolute.no_interval == "zero_width"
    shifted = of_table(np.array([[1.0, 2.0], [2.0, 3.0], [4.0, 5.0]]))
    assert shifted.consistency.value == 1
    assert shifted.absolute.no_interval is not None
    assert shifted.absolute.value < 1
    with pytest.raises(UserError, match="twice"):
        intraclass_correlation([0, 0, 1], [1, 1, 1], [1.0, 2.0, 3.0])
    with pytest.raises(UserError, match="length"):
        intraclass_correlation([0, 0], [1, 1, 1], [1.0, 2.0, 3.0])


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000))
def test_generalized_interval_equals_its_simulation(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, k = 12, 4
    icc = of_table(drawn(n, k, rng, (1, 0.7, 0.6)), level=0.9)
    draws = {
        name: square * df / rng.chisquare(df, 200_000)
        for name, square, df in (
            ("items", icc.between_items, n - 1),
            ("raters", icc.between_raters, k - 1),
            ("error", icc.error, (n - 1) * (k - 1)),
        )
    }
    items, error = draws["items"], draws["error"]
    raters = np.maximum(draws["raters"] - error, 0)
    low, high = np.quantile((items - error) / (items + (k - 1) * error + k * raters / n), [0.05, 0.95])
    assert (icc.absolute.low, icc.absolute.high) == pytest.approx(
        (low, max(high, icc.absolute.value)), abs=0.012
    )


def test_absolute_speaks_of_new_raters_and_consistency_of_these() -> None:
    icc = of_table(drawn(10, 3, np.random.default_rng(2)))
    assert icc.absolute.target == NEW_RATERS
    assert icc.consistency.target == THESE_RATERS
    assert icc.one_way.caution
    assert icc.absolute.caution is None


def test_a_sparse_design_of_many_raters_is_quick() -> None:
    rng = np.random.default_rng(6)
    item = np.repeat(np.arange(4000), 5)
    rater = np.concatenate([rng.choice(200, 5, replace=False) for _ in range(4000)])
    value = rng.normal(size=4000)[item] + 0.5 * rng.normal(size=200)[rater] + rng.normal(size=item.size)
    icc = intraclass_correlation(item, rater, value)
    assert icc.absolute.value == pytest.approx(1 / 2.25, abs=0.03)
    assert icc.consistency.value == pytest.approx(0.5, abs=0.03)


@pytest.mark.coverage_simulation
@pytest.mark.parametrize(("n", "k", "share", "runs"), [(50, 3, 0, 500), (50, 5, 0.2, 150), (30, 4, 0.3, 150)])
def test_intervals_cover_the_truth(n: int, k: int, share: float, runs: int) -> None:
    rng = np.random.default_rng(n + k)
    absolute, consistency = [], []
    for _ in range(runs):
        found = of_table(thinned(drawn(n, k, rng), share, rng))
        absolute.append(found.absolute.low <= 1 / 1.89 <= found.absolute.high)
        consistency.append(found.consistency.low <= 1 / 1.64 <= found.consistency.high)
    slack = 3 * np.sqrt(0.05 * 0.95 / runs)
    assert np.mean(consistency) > 0.95 - slack
    assert np.mean(absolute) > 0.95 - slack
