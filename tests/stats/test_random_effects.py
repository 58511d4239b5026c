"""Partial pooling: published meta-analyses, another package, brute force, and how often intervals cover."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from statsmodels.stats.meta_analysis import combine_effects

from voirdire.errors import UserError
from voirdire.stats.random_effects import random_effects

BCG = np.array(
    [
        [4, 119, 11, 128],
        [6, 300, 29, 274],
        [3, 228, 11, 209],
        [62, 13536, 248, 12619],
        [33, 5036, 47, 5761],
        [180, 1361, 372, 1079],
        [8, 2537, 10, 619],
        [505, 87886, 499, 87892],
        [29, 7470, 45, 7232],
        [17, 1699, 65, 1600],
        [186, 50448, 141, 27197],
        [5, 2493, 3, 2338],
        [27, 16886, 29, 17825],
    ],
    dtype=float,
)
"""Thirteen trials of a vaccine (Colditz et al. 1994): cases and others, vaccinated and not."""
SCHOOLS = ([28, 8, -3, 7, -1, 1, 18, 12], np.array([15, 10, 16, 11, 9, 11, 10, 18]) ** 2)


def log_risk_ratios() -> tuple[np.ndarray, np.ndarray]:
    a, b, c, d = BCG.T
    return np.log(a / (a + b) / (c / (c + d))), 1 / a - 1 / (a + b) + 1 / c - 1 / (c + d)


def test_the_vaccine_trials_have_their_published_figures() -> None:
    """Viechtbauer 2010 (Journal of Statistical Software 36(3)), section 3: REML and the Q-profile."""
    found = random_effects(*log_risk_ratios())
    assert found.mean.value == pytest.approx(-0.7145, abs=5e-5)
    squares = [end**2 for end in (found.between.value, found.between.low, found.between.high)]
    assert squares == pytest.approx([0.3132, 0.1197, 1.1115], abs=5e-5)


def test_the_eight_schools_have_their_published_posterior() -> None:
    """Gelman et al., Bayesian Data Analysis, table 5.3: 200 draws, rounded, under the same prior."""
    found = random_effects(*SCHOOLS)
    assert found.between.value == 0.0  # no spread beyond the errors is likeliest, and more is not ruled out
    assert found.between.high > 10
    published = [(-2, 31), (-5, 23), (-11, 19), (-7, 21), (-9, 18), (-7, 20), (-1, 26), (-6, 33)]
    for one, (low, high) in zip(found.shrunken, published, strict=True):
        assert one.low == pytest.approx(low, abs=3)
        assert one.high == pytest.approx(high, abs=8 if high == 33 else 3)


def test_given_between_the_mean_and_its_interval_are_those_of_another_package() -> None:
    effects = np.array([0.9, -0.2, 0.4, 1.6, 0.1, 0.7])
    variances = np.full(6, 0.09)
    mine = random_effects(effects, variances)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = combine_effects(effects, variances, method_re="iterated", use_t=True)
        row = theirs.summary_frame().loc["random effect wls"]
    # with equal variances Paule-Mandel and REML agree
    assert mine.between.value**2 == pytest.approx(theirs.tau2, rel=1e-4)
    assert [mine.mean.value, mine.mean.low, mine.mean.high] == pytest.approx(
        [row["eff"], row["ci_low"], row["ci_upp"]], rel=1e-5
    )


def test_reml_is_the_peak_of_the_likelihood_written_out() -> None:
    rng = np.random.default_rng(1)
    root = rng.normal(size=(5, 5))
    error, y = 0.2 * root @ root.T + 0.1 * np.eye(5), rng.normal(size=5) * 1.5
    one = np.ones(5)

    def restricted(tau: float) -> float:
        inverse = np.linalg.inv(error + tau**2 * np.eye(5))
        precision = one @ inverse @ one
        residual = y - one @ inverse @ y / precision
        log = -np.linalg.slogdet(inverse)[1] + np.log(precision) + residual @ inverse @ residual
        return float(-log / 2)

    found = random_effects(y, error)
    grid = np.linspace(0, 6, 6001)
    best = grid[np.argmax([restricted(t) for t in grid])]
    assert found.between.value == pytest.approx(best, abs=2e-3)

    def shrunken(tau: float) -> float:
        inverse = np.linalg.inv(error + tau**2 * np.eye(5))
        mean = one @ inverse @ y / (one @ inverse @ one)
        return float(mean + (tau**2 * inverse @ (y - mean))[2])

    peak = restricted(best)
    size = quad(lambda t: np.exp(restricted(t) - peak), 0, np.inf)[0]
    mean = quad(lambda t: shrunken(t) * np.exp(restricted(t) - peak), 0, np.inf)[0] / size
    assert found.shrunken[2].value == pytest.approx(mean, abs=2e-3)


numbers = st.floats(-5, 5).map(lambda x: round(x, 2))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(numbers, st.floats(0.01, 4)), min_size=3, max_size=8), st.randoms())
def test_order_shift_and_unit_change_nothing(effects: list[tuple[float, float]], random: object) -> None:
    y, v = (np.array(each) for each in zip(*effects, strict=True))
    found = random_effects(y, v)
    back = random_effects(y[::-1], v[::-1])
    moved = random_effects(100 + 10 * y, 100 * v)
    assert back.mean.value == pytest.approx(found.mean.value, abs=1e-5)
    assert moved.mean.value == pytest.approx(100 + 10 * found.mean.value, abs=1e-4)
    assert moved.between.value == pytest.approx(10 * found.between.value, abs=1e-4)
    for one, raw in zip(found.shrunken, y, strict=True):
        assert min(y.min(), raw) - 1e-9 <= one.value <= max(y.max(), raw) + 1e-9
        assert one.low <= one.value <= one.high
    assert np.allclose([one.value for one in back.shrunken][::-1], [one.value for one in found.shrunken])


def test_a_noisy_effect_is_drawn_further_than_a_sure_one() -> None:
    found = random_effects([0.0, 0.1, 0.2, 0.1, 1.0, 1.0], [0.01, 0.01, 0.01, 0.01, 0.01, 1.0])
    assert found.shrunken[4].value > 0.7 > found.shrunken[5].value


def test_errors_shared_by_all_effects_widen_the_mean() -> None:
    y, alone = [0.1, 0.2, 0.3, 0.2], np.full(4, 0.01)
    shared = 0.9 * np.sqrt(np.outer(alone, alone)) + 0.1 * np.diag(alone)
    assert random_effects(y, shared).mean.high - 0.2 > random_effects(y, alone).mean.high - 0.2


def test_too_few_effects_and_wrong_ones_are_named() -> None:
    found = random_effects([1.0, 2.0], [1.0, 1.0])
    assert found.mean.undefined == found.between.undefined == "insufficient_items"
    assert [one.undefined for one in found.shrunken] == ["insufficient_items"] * 2
    alike = random_effects([1.0, 1.0, 1.0], [1.0, 1.0, 1.0])
    assert alike.mean.value == 1.0
    assert alike.mean.high - 1 == pytest.approx(4.303 / 3**0.5, rel=1e-3)  # never narrower than the errors
    assert (alike.between.value, alike.between.no_interval) == (0.0, "zero_width")
    assert alike.shrunken[0].low < 1 < alike.shrunken[0].high
    with pytest.raises(UserError, match="covariance of shape"):
        random_effects([1.0, 2.0, 3.0], [1.0, 1.0])
    with pytest.raises(UserError, match="variances above 0"):
        random_effects([1.0, 2.0, 3.0], [1.0, 0.0, 1.0])
    with pytest.raises(UserError, match="without a value"):
        random_effects([1.0, np.nan, 3.0], [1.0, 1.0, 1.0])


def test_effects_without_an_error_are_themselves() -> None:
    """Errors that are 0 but for rounding, as of systems that a judge errs on alike everywhere."""
    values = np.array([0.04, 0.03, -0.03])
    error = np.array([1.2e-16, 1.4e-17, -9.5e-17])
    found = random_effects(values, np.outer(error, error))
    assert [one.value for one in found.shrunken] == pytest.approx(values.tolist(), abs=1e-9)
    assert found.between.value == pytest.approx(values.std(ddof=1), rel=1e-3)


@pytest.mark.coverage_simulation
@pytest.mark.parametrize("between", [0.0, 0.15])
def test_intervals_cover(between: float) -> None:
    """Seven effects with errors of several sizes, correlated as metrics on shared items are."""
    rng, trials = np.random.default_rng(5), 300
    sd = np.linspace(0.05, 0.25, 7)
    error = np.outer(sd, sd) * (0.4 + 0.6 * np.eye(7))
    covered = np.zeros(2)
    for _ in range(trials):
        truth = 0.2 + between * rng.normal(size=7)
        found = random_effects(rng.multivariate_normal(truth, error), error)
        covered[0] += found.mean.low <= 0.2 <= found.mean.high
        inside = [one.low <= t <= one.high for one, t in zip(found.shrunken, truth, strict=True)]
        covered[1] += np.mean(inside)
    share = covered / trials
    tolerance = 3 * np.sqrt(0.95 * 0.05 / trials)
    assert share[0] > 0.95 - tolerance
    assert share[1] > 0.95 - tolerance  # averaged over tau from 0 up, hence cautious where effects are alike
