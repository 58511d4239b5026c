"""What an agreement coefficient is to the engine, and the parts that several coefficients share."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from voirdire.errors import UserError
from voirdire.stats.coded import MOST_CELLS, Coded, as_coded
from voirdire.stats.estimate import REASONS
from voirdire.stats.sums import Form
from voirdire.stats.units import Units, collapse
from voirdire.stats.weights import By, Weights, weights_reason

__all__ = [
    "Coefficient",
    "Weighted",
    "by_rater_table",
    "chance_corrected",
    "computed_by",
    "evaluate",
    "pair_agreement",
    "ratio",
    "too_many_raters",
    "why_undefined",
]

F = TypeVar("F", bound=Callable[..., Any])
CERTAIN = 1e-12  # chance agreement this close to 1 leaves nothing to correct for


class Coefficient(Protocol):
    """Options of one coefficient. A plugin is a frozen dataclass with these three."""

    name: ClassVar[str]

    def reason(self, coded: Coded) -> str | None:
        """Why labels of this kind cannot carry the coefficient, or None."""

    def form(self, coded: Coded) -> Form:
        """The coefficient as a function of feature sums; a :class:`UserError` where it has a ``reason``."""


@dataclass(frozen=True, kw_only=True)
class Weighted:
    """What the options of every coefficient with agreement weights share; see :func:`agreement_weights`."""

    weights: Weights = "identity"
    by: By = "value"

    def reason(self, coded: Coded) -> str | None:
        return weights_reason(coded, self.weights, self.by)


def computed_by(options: type[Any]) -> Callable[[F], F]:
    """Tie a pure function to its options class, so that the engine finds the class by the function's name."""

    def tie(function: F) -> F:
        function.coefficient = options  # type: ignore[attr-defined]
        return function

    return tie


def evaluate(
    coefficient: Coefficient, ratings: Coded | ArrayLike, categories: Sequence[Hashable] | None = None
) -> float:
    """The coefficient's value on a table (N, R) or a :class:`Coded`, NaN where undefined."""
    coded = as_coded(ratings, categories)
    form = coefficient.form(coded)
    if (reason := coefficient.reason(coded)) is not None:
        raise UserError(f"{coefficient.name} cannot be computed: {REASONS[reason]}")
    if why_undefined(coded) != "no_variation":
        return float("nan")
    units = collapse(coded, by_rater=form.by_rater)
    return float(form.value(units.frequency @ form.features(units)))


def why_undefined(coded: Coded) -> str:
    """The reason for which a coefficient of agreement among raters is undefined on these ratings."""
    if coded.n_ratings == 0:
        return "no_labels"
    if (coded.rater == coded.rater[0]).all():
        return "insufficient_raters"
    if coded.ratings_per_item().max() < 2:
        return "no_pairable_items"
    return "no_variation"


def pair_agreement(
    units: Units, weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Each unit's label counts r_ik (U, q), its pairs' agreement p_i (U,), and whether it has a pair (U,).

    p_i = sum_k r_ik (sum_l w_kl r_il - 1) / (r_i (r_i - 1)), 0 where r_i < 2 (Fleiss 1971; Gwet 2014).
    """
    counts = units.coded.counts().astype(np.float64)
    r = counts.sum(axis=1)
    pairable = (r >= 2).astype(np.float64)
    agreeing = (counts * (counts @ weights - 1)).sum(axis=1)
    return counts, pairable * agreeing / np.where(r >= 2, r * (r - 1), 1.0), pairable


def chance_corrected(p_a: NDArray[np.float64], p_e: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """(p_a - p_e) / (1 - p_e), NaN where chance agreement is certain."""
    room = 1 - np.asarray(p_e)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(room > CERTAIN, (p_a - p_e) / room, np.nan)


def ratio(numerator: NDArray[np.float64], denominator: NDArray[np.float64]) -> NDArray[np.float64]:
    """Quotient of sums, NaN where there is nothing to divide by."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(denominator > 0, numerator / denominator, np.nan)


def too_many_raters(coded: Coded, numbers: int) -> str | None:
    """``too_many_raters`` if a table of distinct items by ``numbers`` would not fit in memory, or None.

    Items that all raters labelled alike are one, so q labels or none from R raters make (q + 1)^R at most.
    """
    units = min(coded.n_items, (coded.q + 1) ** coded.n_raters)
    return "too_many_raters" if units * numbers > MOST_CELLS else None


def by_rater_table(units: Units) -> NDArray[np.float64]:
    """Which rater gave which label, 1 or 0 (U, R * q)."""
    coded = units.coded
    table = np.zeros((coded.n_items, coded.n_raters * coded.q))
    table[coded.item, coded.rater.astype(np.int64) * coded.q + coded.label] = 1.0
    return table
