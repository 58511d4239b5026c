"""Where each item goes: trusted, to people, to one more person, or to the owner of the rubric, and why."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from voirdire.align.contested import disputes
from voirdire.align.fusion import LARGEST_KAPPA
from voirdire.study.scale import Scale

__all__ = [
    "ASK_ONE_MORE",
    "CONTESTED_ROUTE",
    "ESCALATE",
    "ROUTES",
    "TRUST",
    "Routed",
    "alike",
    "chance_contested",
    "gain_of_one_more",
    "may_flip",
    "routes_of",
]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
ROUTES = ("trust", "ask_one_more", "escalate", "contested")
TRUST, ASK_ONE_MORE, ESCALATE, CONTESTED_ROUTE = range(4)
SUPPORT, STAYS = 0.6, 0.8
"""A row is contested where, with a chance of 80 %, no label has the support of 60 % of people."""


@dataclass(frozen=True, eq=False)
class Routed:
    """For n rows the ``route`` (n,), a position in :data:`ROUTES`, and what speaks for it.

    ``gain`` (n,) is by how much one more label is expected to raise the chance that the decision is what a
    random person says; ``contested`` (n,) the chance that the row is contested. Both are NaN where kappa is
    not measurable.
    """

    route: NDArray[np.intp]
    gain: Floats
    contested: Floats


def routes_of(mean: Floats, votes: Floats, scale: Scale, *, trusted: Flags) -> Routed:
    """Route rows with posterior Dir(``votes`` times ``mean``) of their label shares.

    ``mean`` is (n, C), ``votes`` (n,) the judge's kappa and the labels that exist, NaN where kappa is not
    measurable. Rows that are not ``trusted`` (n,) are contested where the posterior says so, go to one more
    person where that label may change the likeliest label, and are otherwise escalated: then one label
    changes nothing, and several people or a better judge are needed.
    """
    gain, split = gain_of_one_more(mean, votes), chance_contested(mean, votes, alike(scale))
    route = np.full(len(mean), ESCALATE, dtype=np.intp)
    route[may_flip(mean, votes)] = ASK_ONE_MORE
    route[split >= STAYS] = CONTESTED_ROUTE
    route[trusted] = TRUST
    return Routed(route, gain, split)


def alike(scale: Scale) -> Flags:
    """Sets of labels that do not dispute each other (W, C), none within another.

    Single labels; on an ordered scale neighbours that are a third of its length apart at most.

    >>> alike(Scale("ordinal", ("1", "2", "3", "4"), ordered=True)).astype(int).tolist()
    [[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]]
    """
    if not scale.ordered:
        return np.eye(len(scale.labels), dtype=np.bool_)
    near = np.triu(~disputes(scale))
    last = near.shape[1] - near[:, ::-1].argmax(axis=1)
    sets: Flags = near[np.diff(last, prepend=0) > 0]
    return sets


def may_flip(mean: Floats, votes: Floats) -> Flags:
    """Rows (n,) on which one more label can change the likeliest label: a runner-up within 1 / votes.

    >>> may_flip(np.array([[0.6, 0.4], [0.9, 0.1]]), np.array([3.0, 3.0])).tolist()
    [True, False]
    """
    ordered = np.sort(mean, axis=1)
    flips: Flags = (ordered[:, -1] - ordered[:, -2]) * votes < 1
    return flips


def gain_of_one_more(mean: Floats, votes: Floats) -> Floats:
    """Expected rise (n,) of the largest posterior share by one more label: E_y[max m'] - max m.

    After label y the mean is (A m + e_y) / (A + 1), A being ``votes``; only y itself can overtake the
    likeliest label. 0 where no label can.

    >>> gain_of_one_more(np.array([[0.5, 0.5], [0.9, 0.1]]), np.array([1.0, 3.0])).tolist()
    [0.25, 0.0]
    """
    a, top = votes[:, None], mean.max(axis=1)
    after = np.maximum(a * top[:, None], a * mean + 1) / (a + 1)
    gain: Floats = np.maximum((mean * after).sum(axis=1) - top, 0.0)
    # rounding aside it is 0 exactly where the decision stands whatever the label
    return np.where(may_flip(mean, votes) | np.isnan(votes), gain, 0.0)


def chance_contested(mean: Floats, votes: Floats, sets: Flags) -> Floats:
    """Chance (n,) that none of the ``sets`` (W, C) of labels has a share of 60 % among people.

    A set's share is Beta(A s, A (1 - s)), s its share of the mean. Of sets without a common label only one
    can have 60 %, so their chances add up; of overlapping ones the likeliest counts, and the result is an
    upper bound.

    >>> chance_contested(np.array([[0.5, 0.5]]), np.array([2.0]), np.eye(2, dtype=bool)).round(2).tolist()
    [0.2]
    """
    a = np.minimum(votes, LARGEST_KAPPA)[:, None]
    share = mean @ sets.T
    inside = (share > 1e-12) & (share < 1 - 1e-12)
    middle = np.where(inside, share, 0.5)
    reaches = np.where(inside, 1 - betainc(a * middle, a * (1 - middle), SUPPORT), share.round())
    overlap = bool((sets.sum(axis=0) > 1).any())
    reached = reaches.max(axis=1) if overlap else reaches.sum(axis=1)
    return np.where(np.isnan(votes), np.nan, np.clip(1 - reached, 0.0, 1.0))
