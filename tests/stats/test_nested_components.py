"""Variance components of nested levels: a published table, statsmodels' REML, and known truth."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.errors import UserError
from voirdire.stats.nested_components import NestedComponents, nested_components

TURNIP_GREENS = np.array(
    [
        [[3.28, 3.09], [3.52, 3.48], [2.88, 2.80]],
        [[2.46, 2.44], [1.87, 1.92], [2.19, 2.19]],
        [[2.77, 2.66], [3.74, 3.44], [2.55, 2.55]],
        [[3.78, 3.87], [4.07, 4.12], [3.31, 3.31]],
    ]
)
"""Calcium in turnip greens, two determinations of three leaves of four plants (Snedecor & Cochran 1967)."""


def values(found: NestedComponents) -> list[float]:
    return [one.value for one in found.variance]


def test_calcium_in_turnip_greens() -> None:
    plant, leaf, _ = (axis.ravel() for axis in np.indices(TURNIP_GREENS.shape))
    found = nested_components(TURNIP_GREENS.ravel(), [plant, leaf], names=["plant", "leaf"])
    # the table of variance components that SAS prints for it: PROC NESTED, example 1
    assert values(found) == [
        pytest.approx(0.365223, abs=1e-6),
        pytest.approx(0.161060, abs=1e-6),
        pytest.approx(0.006654, abs=1e-6),
    ]
    assert found.total == pytest.approx(0.532938, abs=1e-6)
    assert (found.names, found.n) == (("plant", "leaf", "within"), (4, 12, 24))


def test_balanced_data_have_the_components_of_reml() -> None:
    rng = np.random.default_rng(2)
    a, b, _ = (axis.ravel() for axis in np.indices((12, 4, 3)))
    y = rng.normal(0, 1, 12)[a] + rng.normal(0, 0.8, (12, 4))[a, b] + rng.normal(0, 0.5, a.size)
    frame = pd.DataFrame({"y": y, "a": a, "ab": a * 4 + b})
    fit = smf.mixedlm("y ~ 1", frame, groups="a", re_formula="1", vc_formula={"ab": "0 + C(ab)"}).fit(
        reml=True
    )
    found = values(nested_components(y, [a, b]))
    assert found[0] == pytest.approx(float(fit.cov_re.iloc[0, 0]), rel=1e-3)
    assert found[1] == pytest.approx(float(fit.vcomp[0]), rel=1e-3)
    assert found[2] == pytest.approx(float(fit.scale), rel=1e-3)


def uneven(rng: np.random.Generator, truth: tuple[float, ...], outer: int = 25) -> tuple[np.ndarray, ...]:
    """Values of three nested levels in uneven numbers, in two strata whose means lie far apart."""
    rows = []
    top = rng.normal(0, truth[0], (outer, 2))
    for one in range(outer):
        for stratum in range(2):
            for middle in range(rng.integers(1, 4)):
                at_middle = rng.normal(0, truth[1])
                for case in range(rng.integers(1, 4)):
                    at_case = rng.normal(0, truth[2])
                    for _ in range(rng.integers(1, 3)):
                        value = (
                            5 * stratum + top[one, stratum] + at_middle + at_case + rng.normal(0, truth[3])
                        )
                        rows.append((value, one, middle, case, stratum))
    return tuple(np.array(column) for column in zip(*rows, strict=True))


@pytest.mark.coverage_simulation
def test_uneven_data_are_estimated_without_bias() -> None:
    truth = (1.0, 0.7, 0.5, 0.3)
    rng = np.random.default_rng(7)
    found = []
    for _ in range(150):
        y, one, middle, case, stratum = uneven(rng, truth)
        found.append(values(nested_components(y, [one, middle, case], stratum=stratum)))
    error = np.std(found, axis=0, ddof=1) / np.sqrt(len(found))
    assert (np.abs(np.mean(found, axis=0) - np.square(truth)) < 3.3 * error).all()


@pytest.mark.coverage_simulation
def test_binary_values_are_estimated_without_bias_and_intervals_cover() -> None:
    """Metric and conversation vary; repeats are coin flips: 300 draws of 60 metrics."""
    rng = np.random.default_rng(11)
    inside, found = np.zeros(3), []
    # variance of a beta mean, of the beta around it, and of the coin that is left
    for _ in range(300):
        centre = rng.beta(4, 4, (60, 1, 1))
        chance = rng.beta(6 * centre, 6 * (1 - centre), (60, 5, 1))
        y = (rng.random((60, 5, 2)) < chance).astype(float)
        metric, case, _ = (axis.ravel() for axis in np.indices(y.shape))
        found.append(nested_components(y.ravel(), [metric, case]))
    between = 4 * 4 / (8**2 * 9)
    within = (0.25 - between) / 7
    truth = [between, within, 0.25 - between - within]
    for one in found:
        inside += [each.low <= true <= each.high for each, true in zip(one.variance, truth, strict=True)]
    table = np.array([values(one) for one in found])
    error = table.std(axis=0, ddof=1) / np.sqrt(300)
    assert (np.abs(table.mean(axis=0) - truth) < 3.3 * error).all()
    assert (inside / 300 >= 0.93 - 2 * np.sqrt(0.95 * 0.05 / 300)).all()


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(0.1, 10), st.floats(-5, 5))
def test_scale_and_shift_and_order_of_rows(seed: int, scale: float, shift: float) -> None:
    rng = np.random.default_rng(seed)
    y, one, middle, case, stratum = uneven(rng, (1.0, 1.0, 1.0, 1.0), outer=4)
    before = nested_components(y, [one, middle, case], stratum=stratum)
    order = rng.permutation(y.size)
    after = nested_components(
        (scale * y + shift)[order], [part[order] for part in (one, middle, case)], stratum=stratum[order]
    )
    np.testing.assert_allclose(values(after), scale**2 * np.array(values(before)), rtol=1e-6, atol=1e-9)
    assert after.n == before.n


def test_a_level_with_one_of_the_next_cannot_be_told_from_it() -> None:
    y, one = np.array([1.0, 2.0, 3.0, 5.0]), np.array([0, 0, 1, 1])
    found = nested_components(y, [one, np.arange(4)], names=["metric", "case"])
    assert found.variance[2].undefined == "not_identifiable"
    assert found.merged == ((), ("within",), ())
    assert values(found)[:2] == values(nested_components(y, [one]))


def test_one_outermost_group_and_no_group_at_all() -> None:
    alone = nested_components([1.0, 2.0, 4.0], [[0, 0, 0]])
    assert alone.variance[0].undefined == "not_identifiable"
    nothing = nested_components([], [[]])
    assert {one.undefined for one in nothing.variance} == {"no_labels"}


def test_values_that_do_not_vary_have_no_variance_and_no_interval() -> None:
    found = nested_components(np.ones(6), [[0, 0, 1, 1, 2, 2]])
    assert values(found) == [0, 0]
    assert {one.no_interval for one in found.variance} == {"no_variation"}


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(UserError, match="differ in length"):
        nested_components([1.0, 2.0], [[0]])
    with pytest.raises(UserError, match="no number"):
        nested_components([1.0, np.nan], [[0, 1]])
