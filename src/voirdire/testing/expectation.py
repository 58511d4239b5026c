"""What an endless study with the planted parameters would measure, by exact enumeration.

Within a class of items all labels are independent with known chances, and who answers is a set of people
whose chance is known, so every expectation is a sum over classes and sets of people.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voirdire.testing.classes import Classes
from voirdire.testing.planted import PlantedJudge

__all__ = ["Pairable", "judge_figures", "pairable", "people_figures", "repeat_figures"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Pairable:
    """Items with two people's labels or more: ``chance`` (c, sets) of an item's class and who answers.

    ``member`` (sets, raters) marks who is in a set, ``size`` (sets,) counts them. ``any_chance`` is the same
    for all sets, single-rated items included.
    """

    classes: Classes
    chance: Floats
    any_chance: Floats
    member: Floats
    size: Floats


def pairable(classes: Classes, single_rated: float) -> Pairable:
    """Enumerate who answers: everyone is asked on most items, one person on the share ``single_rated``."""
    n = classes.presence.shape[1]
    member = ((np.arange(2**n)[:, None] >> np.arange(n)) & 1).astype(np.float64)
    size = member.sum(axis=1)
    here = classes.presence[:, None, :]
    asked_all = np.where(member > 0, here, 1 - here).prod(axis=2)
    asked_one = np.zeros_like(asked_all)
    for rater in range(n):
        asked_one[:, 2**rater] = classes.presence[:, rater] / n
    every = classes.weight[:, None] * ((1 - single_rated) * asked_all + single_rated * asked_one)
    return Pairable(classes, np.where(size >= 2, every, 0.0), every, member, size)


def people_figures(items: Pairable, *, ordered: bool) -> dict[str, float]:
    """Person-person figures: raw agreement, and agreement beyond chance as an audit computes it.

    Fleiss' kappa is nominal; alpha is ordinal and ``person_person`` has quadratic weights by rank where
    ``ordered``.
    """
    chance, size = items.chance, np.maximum(items.size, 1)
    same = np.eye(len(items.classes.labels))
    weights = rank_weights(len(same)) if ordered else same
    label = _labels(items, chance)
    alpha_weights = _ordinal_weights(label) if ordered else same
    listed = items.any_chance * (items.size > 0)
    pair_count = chance * size * (size - 1)
    observed = _mean_agreement(items, chance, same)
    marginal = _labels(items, listed / size) / listed.sum()
    shares = _labels(items, chance / size) / chance.sum()
    return {
        "pairwise_agreement": observed,
        "pooled_agreement": _mean_agreement(items, pair_count, same),
        "krippendorff_alpha": _corrected(
            _mean_agreement(items, chance * size, alpha_weights),
            _expected(label / label.sum(), alpha_weights),
        ),
        "fleiss_kappa": _corrected(observed, _expected(marginal, same)),
        "person_person": _corrected(_mean_agreement(items, chance, weights), _expected(shares, weights)),
    }


def judge_figures(items: Pairable, judge: int, *, ordered: bool) -> dict[str, float]:
    """Judge-person figures of the judge at position ``judge`` on the same items, and where one answers."""
    single = np.where(items.size == 1, items.any_chance, 0.0)
    same = np.eye(len(items.classes.labels))
    weights = rank_weights(len(same)) if ordered else same
    return {
        "judge_agreement": _against(items, items.chance, judge, same)[0],
        "judge_person": _against(items, items.chance, judge, weights)[1],
        "judge_agreement_single": _against(items, single, judge, same)[0],
        "judge_person_single": _against(items, single, judge, weights)[1],
    }


def repeat_figures(classes: Classes, judge: int, planted: PlantedJudge, runs: int) -> dict[str, float]:
    """Unanimity and Fleiss' kappa over ``runs`` parsed runs of one judge on each item."""
    verdict, noise = classes.judges[:, judge, :], planted.noise
    anew = noise * verdict
    same = [(1 - noise + anew[:, k]) ** runs for k in range(verdict.shape[1])]
    unanimous = sum(
        verdict[:, k] * same[k] + (1 - verdict[:, k]) * anew[:, k] ** runs for k in range(verdict.shape[1])
    )
    kept = (1 - noise) ** 2
    pair = kept + (1 - kept) * (verdict**2).sum(axis=1)
    marginal = classes.weight @ verdict
    observed, expected = float(classes.weight @ pair), float((marginal**2).sum())
    return {
        "unanimity": float(classes.weight @ unanimous),
        "repeat_agreement": observed,
        "repeat_fleiss_kappa": _corrected(observed, expected),
    }


def rank_weights(q: int) -> Floats:
    """Quadratic agreement weights by rank (q, q): 1 on the diagonal, 0 between the ends of the scale."""
    steps = np.subtract.outer(np.arange(q), np.arange(q)) / max(q - 1, 1)
    weights: Floats = 1 - steps**2
    return weights


def _ordinal_weights(label: Floats) -> Floats:
    """Agreement weights whose disagreement is Krippendorff's ordinal distance given label counts (q,)."""
    middle = np.cumsum(label) - label / 2
    distance = np.subtract.outer(middle, middle) ** 2
    weights: Floats = 1 - distance / max(distance.max(), np.finfo(float).tiny)
    return weights


def _mean_agreement(items: Pairable, weight: Floats, weights: Floats) -> float:
    """Agreement of pairs of people, each class and set counted with ``weight`` (c, sets)."""
    return float((weight * _pair_agreement(items, weights)).sum() / weight.sum())


def _pair_agreement(items: Pairable, weights: Floats) -> Floats:
    """Mean agreement over the pairs of a set of people, (c, sets); 0 where a set has no pair."""
    people, member = items.classes.people, items.member
    agree = np.einsum("chk,kl,cgl->chg", people, weights, people)
    total = np.einsum("sh,chg,sg->cs", member, agree, member) - np.einsum("sh,chh->cs", member, agree)
    shares: Floats = total / np.maximum(items.size * (items.size - 1), 1)
    return shares


def _labels(items: Pairable, weight: Floats) -> Floats:
    """Expected labels of everyone in the set, each item weighted by ``weight`` (c, sets); shape (q,)."""
    labels: Floats = np.einsum("cs,sh,chk->k", weight, items.member, items.classes.people, optimize=True)
    return labels


def _against(items: Pairable, chance: Floats, judge: int, weights: Floats) -> tuple[float, float]:
    if chance.sum() <= 0:
        return np.nan, np.nan
    verdict = items.classes.judges[:, judge, :]
    agree = np.einsum("chk,kl,cl->ch", items.classes.people, weights, verdict)
    weight = chance / np.maximum(items.size, 1)
    observed = np.einsum("cs,sh,ch->", weight, items.member, agree, optimize=True) / chance.sum()
    person = _labels(items, weight) / chance.sum()
    given = chance.sum(axis=1) @ verdict / chance.sum()
    return float(observed), _corrected(observed, float(given @ weights @ person))


def _expected(marginal: Floats, weights: Floats) -> float:
    return float(marginal @ weights @ marginal)


def _corrected(observed: float, expected: float) -> float:
    return float((observed - expected) / (1 - expected)) if expected < 1 else np.nan
