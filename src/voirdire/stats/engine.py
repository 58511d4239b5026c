"""Many agreement coefficients with their intervals from one count and one set of resamples."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from voirdire import registry
from voirdire.errors import UserError
from voirdire.stats import intervals
from voirdire.stats.coded import Coded
from voirdire.stats.coefficient import Coefficient, why_undefined
from voirdire.stats.estimate import NEW_RATERS, THESE_RATERS, Estimate
from voirdire.stats.sums import Sums, resample, tally
from voirdire.stats.weak import FEW_RARE, interval_caution

__all__ = ["Chosen", "Method", "agreement"]

Method: TypeAlias = Literal["percentile", "bca", "jackknife", "none"]
METHODS = ("percentile", "bca", "jackknife", "none")
Chosen: TypeAlias = Sequence[str | Coefficient] | Mapping[str, Coefficient]


def agreement(
    coded: Coded,
    coefficients: Chosen,
    *,
    interval: Method = "bca",
    target: str = THESE_RATERS,
    level: float = 0.95,
    resamples: int = 1000,
    rng: np.random.Generator | None = None,
) -> dict[str, Estimate]:
    """Estimate coefficients of agreement among the raters, each with an interval that names its target.

    ``coefficients`` are registered names, options such as ``KrippendorffAlpha(level="ordinal")``, or a
    mapping of the caller's keys to options. Items are resampled, or clusters where ``coded`` has them.

    For ``THESE_RATERS`` the interval is the bootstrap's ``bca`` or ``percentile``, or the ``jackknife``
    standard error with Student's t at one less degree of freedom than units; only the bootstraps need
    ``rng``. ``bca`` keeps its level best in simulations; where none does, the estimate carries a ``caution``
    (:func:`interval_caution`). For ``NEW_RATERS`` it always is the jackknife over items plus the jackknife
    over raters, with t at one degree of freedom less than raters: resampled copies of a rater would agree
    with themselves.

    A coefficient that is undefined carries its reason; one whose interval does not exist carries that reason.

    >>> coded = Coded.from_matrix([[1, 1, 1], [2, 2, 1], [2, 2, 2], [1, 2, 1], [1, 1, 1], [2, 2, 2]])
    >>> print(agreement(coded, ["krippendorff_alpha"], interval="jackknife")["krippendorff_alpha"])
    0.58 [−0.15, 1.31]
    """
    _check(interval, target, level)
    options = _options(coefficients)
    reasons = _reasons(options, coded)
    forms = {key: chosen.form(coded) for key, chosen in options.items() if reasons[key] is None}
    sums = tally(coded, list(forms.values()), raters=target == NEW_RATERS) if forms else []
    drawn: Sequence[NDArray[np.float64] | None] = [None] * len(sums)
    if sums and target == THESE_RATERS and interval in ("percentile", "bca"):
        drawn = resample(sums, resamples, _needed(rng))

    counts = _counts(coded)
    estimates = {key: Estimate(math.nan, undefined=why, **counts) for key, why in reasons.items() if why}
    made = {"level": level, **_speaks_about(interval, target), **counts}
    cautions = {rare: interval_caution(coded, sums[0].n, rare=rare) for rare in (0.0, FEW_RARE) if sums}
    for key, each, values in zip(forms, sums, drawn, strict=True):
        value = float(each.value())
        bounds = _bounds(each, value, values, interval, target, level)
        caution = cautions[FEW_RARE if each.form.by_share else 0.0]
        estimates[key] = _estimate(value, bounds, caution, made)
    return {key: estimates[key] for key in options}


def _check(interval: str, target: str, level: float) -> None:
    if interval not in METHODS:
        raise UserError(f"no interval named {interval!r}", expected=f"one of {', '.join(METHODS)}")
    if target not in (THESE_RATERS, NEW_RATERS):
        raise UserError(f"no target named {target!r}", expected=f"{THESE_RATERS!r} or {NEW_RATERS!r}")
    if not 0 < level < 1:
        raise UserError(f"level {level} is not between 0 and 1", expected="for example 0.95")


def _needed(rng: np.random.Generator | None) -> np.random.Generator:
    if rng is None:
        raise UserError("a bootstrap needs a generator", fix="pass rng=np.random.default_rng(seed)")
    return rng


def _options(coefficients: Chosen) -> dict[str, Coefficient]:
    if isinstance(coefficients, Mapping):
        return dict(coefficients)
    named = [_named(c) if isinstance(c, str) else c for c in coefficients]
    options = {chosen.name: chosen for chosen in named}
    if len(options) < len(named):
        raise UserError(
            "two of the coefficients have the same name", fix="pass a mapping of your own keys to options"
        )
    return options


def _named(name: str) -> Coefficient:
    options = getattr(registry.get("statistic", name), "coefficient", None)
    if options is None:
        raise UserError(
            f"'{name}' is not a coefficient of agreement among raters", expected="one such as 'fleiss_kappa'"
        )
    coefficient: Coefficient = options()
    return coefficient


def _reasons(options: dict[str, Coefficient], coded: Coded) -> dict[str, str | None]:
    """Why each coefficient cannot be computed at all on these ratings, or None."""
    cannot = why_undefined(coded)
    lacking = None if cannot == "no_variation" else cannot
    return {key: chosen.reason(coded) or lacking for key, chosen in options.items()}


def _bounds(
    sums: Sums, value: float, values: NDArray[np.float64] | None, interval: Method, target: str, level: float
) -> intervals.Bounds:
    if math.isnan(value) or interval == "none":
        return intervals.Bounds(math.nan, math.nan)
    if sums.n < 2:
        return intervals.none("insufficient_items")
    if target == NEW_RATERS:
        return _for_new_raters(sums, value, level)
    if values is None:
        error = intervals.jackknife_error(sums.without_each_unit(), sums.frequency)
        return intervals.student(value, float(error), sums.n - 1, level)
    if interval == "bca":
        return intervals.bca(value, values, sums.without_each_unit(), sums.frequency, level)
    return intervals.percentile(values, level)


def _for_new_raters(sums: Sums, value: float, level: float) -> intervals.Bounds:
    """Items and raters are both sampled: their jackknife variances add up (Owen 2007; Gwet 2014)."""
    raters = len(sums.raters)
    if raters < 3:
        return intervals.none("insufficient_raters")
    items = intervals.jackknife_error(sums.without_each_unit(), sums.frequency)
    error = math.hypot(float(items), float(intervals.jackknife_error(sums.without_each_rater())))
    return intervals.student(value, error, raters - 1, level)


def _estimate(value: float, bounds: intervals.Bounds, caution: str | None, made: dict[str, Any]) -> Estimate:
    return Estimate(
        value,
        bounds.low,
        bounds.high,
        undefined="no_variation" if math.isnan(value) else None,
        no_interval=bounds.none,
        resamples=bounds.resamples,
        undefined_resamples=bounds.undefined,
        caution=None if math.isnan(bounds.low) else caution,
        **made,
    )


def _speaks_about(interval: Method, target: str) -> dict[str, str]:
    """The method and the target that an estimate names: none where no interval is asked for."""
    if interval == "none":
        return {}
    return {"method": "items and raters jackknife" if target == NEW_RATERS else interval, "target": target}


def _counts(coded: Coded) -> dict[str, Any]:
    r = coded.ratings_per_item()
    clusters = None if coded.cluster is None else len(np.unique(coded.cluster[r > 0]))
    return {
        "n_items": int((r > 0).sum()),
        "n_ratings": coded.n_ratings,
        "n_pairable_items": int((r >= 2).sum()),
        "n_clusters": clusters,
    }
