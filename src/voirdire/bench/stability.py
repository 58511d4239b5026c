"""Where verdicts vary: metric, scenario, conversation, judge, and the same judge asked again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voirdire.bench.cells import Kind
from voirdire.bench.outcomes import MISSING, Outcomes, passes
from voirdire.errors import UserError
from voirdire.stats.coded import Coded
from voirdire.stats.engine import agreement
from voirdire.stats.estimate import Estimate
from voirdire.stats.nested_components import nested_components

__all__ = ["LEVELS", "Component", "Stability", "VarianceSplit", "stability", "variance_split"]

LEVELS = ("metric", "scenario", "conversation", "judge", "judge repeat")
"""Outermost first. A conversation is one of several on the same scenario, a judge repeat one verdict."""
KINDS: tuple[Kind, ...] = ("positive", "negative")


@dataclass(frozen=True, slots=True)
class Component:
    """The variance of one ``level``, and its ``share`` of all; ``holds`` names levels that it cannot be told
    from, and ``groups`` counts the level's units.
    """

    level: str
    variance: Estimate
    share: float
    holds: tuple[str, ...]
    groups: int


@dataclass(frozen=True, slots=True)
class VarianceSplit:
    """How the pass of one system in one variant varies, pooled over all, on metrics of one ``kind``."""

    kind: Kind
    components: tuple[Component, ...]


@dataclass(frozen=True, slots=True)
class Stability:
    """The judge asked again on the same transcript, on metrics of one ``kind``: conversations that all
    ``runs`` agree on as a share, and Fleiss' kappa of the runs.
    """

    kind: Kind
    runs: int
    unanimous: Estimate
    kappa: Estimate


def variance_split(judges: Sequence[Outcomes], *, level: float = 0.95) -> tuple[VarianceSplit, ...]:
    """Split the variance of passing by kind, from the outcomes of one judge or of several on the same rows.

    Systems and variants have means of their own, so what is split is how one system's verdicts vary when
    metrics, scenarios, conversations, judges and repeats are drawn anew. With one conversation a scenario,
    one judge or one verdict a conversation those levels cannot be told from the one around them: that one
    holds them. Judges count as drawn for each conversation.
    """
    first = judges[0]
    if any(len(one) != len(first) or one.ids != first.ids for one in judges):
        raise UserError("judges on different conversations", fix="judge the same conversations with each")
    found = []
    for kind in KINDS:
        rows = np.flatnonzero(first.polarity == (kind == "positive"))
        if len(rows):
            found.append(VarianceSplit(kind, _components(first, judges, rows, level)))
    return tuple(found)


def stability(outcomes: Outcomes, *, level: float = 0.95) -> tuple[Stability, ...]:
    """How alike the judge's repeats on the same transcript are, by kind; empty where it was asked once."""
    runs = outcomes.runs.shape[1]
    found = []
    for kind in KINDS if runs > 1 else ():
        rows = np.flatnonzero(outcomes.polarity == (kind == "positive"))
        coded = _coded(outcomes, rows)
        if coded.n_ratings:
            told = agreement(coded, ["unanimity", "fleiss_kappa"], interval="jackknife", level=level)
            found.append(Stability(kind, runs, told["unanimity"], told["fleiss_kappa"]))
    return tuple(found)


def _components(
    first: Outcomes, judges: Sequence[Outcomes], rows: NDArray[np.intp], level: float
) -> tuple[Component, ...]:
    """The components of the verdicts on ``rows``, all judges' and repeats'."""
    parts = []
    for judge, one in enumerate(judges):
        row, run = np.nonzero(one.runs[rows] != MISSING)
        passed = passes(one.runs[rows[row], run], first.polarity[rows[row]])
        parts.append(np.stack([passed.astype(np.float64), rows[row], np.full(len(row), judge)]))
    value, at, judge_of = np.concatenate(parts, axis=1)
    where = at.astype(np.intp)
    stratum = first.system[where] * len(first.variants) + first.variant[where]
    levels = [first.metric[where], first.scenario[where], where, judge_of]
    split = nested_components(value, levels, names=LEVELS[:-1], stratum=stratum, level=level)
    whole, said = split.total, dict(zip(split.names, LEVELS, strict=True))
    return tuple(
        Component(
            said[name],
            variance,
            max(variance.value, 0.0) / whole if variance.undefined is None and whole > 0 else float("nan"),
            tuple(said[other] for other in merged),
            n,
        )
        for name, variance, merged, n in zip(split.names, split.variance, split.merged, split.n, strict=True)
    )


def _coded(outcomes: Outcomes, rows: NDArray[np.intp]) -> Coded:
    item, run = np.nonzero(outcomes.runs[rows] != MISSING)
    cluster = np.unique(outcomes.metric[rows], return_inverse=True)[1].astype(np.int32)
    return Coded(
        item.astype(np.int32),
        run.astype(np.int32),
        outcomes.runs[rows][item, run].astype(np.int32),
        len(rows),
        outcomes.runs.shape[1],
        2,
        cluster=cluster,
    )
