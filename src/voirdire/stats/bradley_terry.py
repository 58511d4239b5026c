"""How strong is each system, by the pairs that it won and lost? The model of Bradley and Terry."""

from __future__ import annotations

from numpy.typing import ArrayLike

from voirdire.registry import register
from voirdire.stats.abilities import Abilities, fitted_abilities
from voirdire.stats.paired_comparisons import PairedComparisons, as_paired_comparisons
from voirdire.stats.position import TIE
from voirdire.stats.preference_model import PreferenceModel, logistic

__all__ = ["bradley_terry"]

MODEL = PreferenceModel("Bradley-Terry", logistic)


@register("statistic", "bradley_terry")
def bradley_terry(
    comparisons: PairedComparisons | ArrayLike, *, reference: int | None = None, level: float = 0.95
) -> Abilities:
    """Log abilities a_i under which P(i beats j) = 1 / (1 + exp(a_j - a_i)), by maximum likelihood.

    ``comparisons`` are :class:`~voirdire.stats.PairedComparisons`, or wins (n, n): how often row beat column.
    Log abilities sum to 0, or are relative to the system ``reference``. A tie counts as half a win of each,
    which ``note`` then says; :func:`davidson` and :func:`rao_kupper` model ties instead. Errors are the
    sandwich over clusters where there are clusters, and where ties were halved; else those of the
    information.

    Undefined where no finite fit exists: a group of systems never lost to the rest (``undefeated``), or
    groups never met (``disconnected``); systems within one group can still be compared.

    Source: Bradley & Terry 1952; existence: Ford 1957; Hunter 2004.

    >>> won = bradley_terry([[0, 7], [3, 0]])
    >>> print(won.difference(0, 1))
    0.85 [−0.51, 2.20]
    >>> alone = bradley_terry([[0, 1, 1], [0, 0, 1], [0, 1, 0]])
    >>> print(alone.log_ability[0], alone.difference(1, 2).value, alone.graph.said("abc"), sep="; ")
    undefined (some systems never lost to the others, or never won); 0.0; a never lost to b or c
    """
    met = as_paired_comparisons(comparisons)
    note = "each tie counts as half a win of both" if (met.outcome == TIE).any() else ""
    return fitted_abilities(MODEL, met, reference=reference, level=level, note=note)
