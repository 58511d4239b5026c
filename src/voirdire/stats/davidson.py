"""How strong is each system, and how often do equals tie? Davidson's extension of Bradley and Terry."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_softmax

from voirdire.registry import register
from voirdire.stats.abilities import Abilities, fitted_abilities
from voirdire.stats.paired_comparisons import PairedComparisons, as_paired_comparisons
from voirdire.stats.preference_model import Outcomes, PreferenceModel

__all__ = ["davidson"]

Floats = NDArray[np.float64]

TURNS = np.array([0.5, -0.5, 0.0])
"""How the log weight of each outcome moves with eta."""
TIES = np.array([0.0, 0.0, 1.0])
"""How it moves with log nu."""


def _outcomes(eta: Floats, log_nu: float) -> Outcomes:
    log_p = log_softmax(eta[:, None] * TURNS + log_nu * TIES, axis=1)
    moves = np.stack([TURNS, TIES], axis=1)
    p = np.exp(log_p)
    mean = p @ moves
    spread = np.einsum("pk,ka,kb->pab", p, moves, moves) - mean[:, :, None] * mean[:, None, :]
    return Outcomes(log_p, moves[None] - mean[:, None], np.repeat(-spread[:, None], 3, axis=1))


MODEL = PreferenceModel("Davidson", _outcomes, tie_start=0.0, no_ties=0.0)


@register("statistic", "davidson")
def davidson(
    comparisons: PairedComparisons | ArrayLike, *, reference: int | None = None, level: float = 0.95
) -> Abilities:
    """Log abilities where i beats j, j beats i and a tie are as pi_i : pi_j : nu sqrt(pi_i pi_j).

    ``comparisons`` are :class:`~voirdire.stats.PairedComparisons`, or wins (n, n) without ties. ``tie`` is
    nu: the odds of a tie of two equals against a win of one of them; 0 without ties, where this is Bradley
    and Terry's model. Log abilities, errors and groups are those of :func:`bradley_terry`.

    Undefined as there, and where no circle of systems holds more wins, each over the next, than ties
    (``no_upsets``): then ever larger nu and abilities fit ever better.

    Source: Davidson 1970, equation 2.1.

    >>> met = PairedComparisons.from_counts([[0, 5], [2, 0]], [[0, 3], [3, 0]])
    >>> print(davidson(met).difference(0, 1), round(davidson(met).tie.value, 3))
    0.92 [−0.72, 2.56] 0.949
    """
    return fitted_abilities(MODEL, as_paired_comparisons(comparisons), reference=reference, level=level)
