"""Fake judges: each answers items by a rule that is known, so that a test knows what an audit must find.

Every judge is a function of the items' labels (or of what is shown) and a seed; the same arguments give the
same verdicts. ``None`` stands for a reply that could not be parsed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from voirdire.errors import UserError

__all__ = [
    "always",
    "copy_majority",
    "lean",
    "noisy",
    "prefer_family",
    "prefer_first",
    "sometimes_unparsed",
]

Verdict = str | None


def always(label: str, n: int) -> list[Verdict]:
    """The judge that says ``label`` on all ``n`` items.

    >>> always("pass", 2)
    ['pass', 'pass']
    """
    return [label] * n


def noisy(truth: Sequence[str], labels: Sequence[str], *, accuracy: float, seed: int) -> list[Verdict]:
    """The judge that gives the true label with chance ``accuracy``, else one of the others of ``labels``.

    >>> noisy(["pass", "fail"], ["pass", "fail"], accuracy=0.0, seed=1)
    ['fail', 'pass']
    """
    _share("accuracy", accuracy)
    unknown = sorted(set(truth) - set(labels))
    if unknown:
        raise UserError(f"true label '{unknown[0]}' is no label", expected=f"one of {', '.join(labels)}")
    rng = np.random.default_rng(seed)
    right, pick = rng.random(len(truth)) < accuracy, rng.random(len(truth))
    others = {label: [other for other in labels if other != label] for label in labels}
    return [
        label if hit or not others[label] else others[label][int(draw * len(others[label]))]
        for label, hit, draw in zip(truth, right.tolist(), pick.tolist(), strict=True)
    ]


def lean(verdicts: Sequence[Verdict], towards: str, *, share: float, seed: int) -> list[Verdict]:
    """The judge that turns ``share`` of its verdicts into ``towards``: a lenient one where that is "pass".

    >>> lean(["fail", "fail"], "pass", share=1.0, seed=1)
    ['pass', 'pass']
    """
    return _replace(verdicts, towards, np.full(len(verdicts), _share("share", share)), seed)


def prefer_first(
    better: Sequence[str], presented: Sequence[str], *, share: float, seed: int
) -> list[Verdict]:
    """The position-biased judge of pairs: ``share`` of its verdicts go to the side that was shown first.

    ``better`` names the better side ("first" or "second" of the pair as stored, or "tie"), ``presented`` the
    order shown: "ab" shows the first side first, "ba" the second. Verdicts name sides as stored.

    >>> prefer_first(["second", "second"], ["ab", "ba"], share=1.0, seed=1)
    ['first', 'second']
    """
    order = {"ab": "first", "ba": "second"}
    unknown = sorted(set(presented) - set(order))
    if unknown:
        raise UserError(f"presented is '{unknown[0]}'", expected="ab or ba")
    biased = np.random.default_rng(seed).random(len(better)) < _share("share", share)
    return [
        order[shown] if turned else verdict
        for verdict, shown, turned in zip(better, presented, biased.tolist(), strict=True)
    ]


def prefer_family(
    verdicts: Sequence[Verdict], families: Sequence[str], own: str, *, towards: str, share: float, seed: int
) -> list[Verdict]:
    """The judge that turns ``share`` of its verdicts on systems of its ``own`` family into ``towards``.

    >>> prefer_family(["fail", "fail"], ["A", "B"], "A", towards="pass", share=1.0, seed=1)
    ['pass', 'fail']
    """
    chance = np.where([family == own for family in families], _share("share", share), 0.0)
    return _replace(verdicts, towards, chance, seed)


def copy_majority(labels: Mapping[str, Sequence[str]], *, tie: Verdict = None) -> dict[str, Verdict]:
    """The judge that repeats what most people said of each item, and says ``tie`` on an even split.

    >>> copy_majority({"item-1": ["pass", "pass", "fail"], "item-2": ["pass", "fail"]})
    {'item-1': 'pass', 'item-2': None}
    """
    verdicts: dict[str, Verdict] = {}
    for item, given in labels.items():
        first = Counter(given).most_common(2)
        tied = not first or (len(first) == 2 and first[0][1] == first[1][1])
        verdicts[item] = tie if tied else first[0][0]
    return verdicts


def sometimes_unparsed(verdicts: Sequence[Verdict], *, share: float, seed: int) -> list[Verdict]:
    """The judge whose reply cannot be parsed on ``share`` of the items.

    >>> sometimes_unparsed(["pass", "fail"], share=1.0, seed=1)
    [None, None]
    """
    return _replace(verdicts, None, np.full(len(verdicts), _share("share", share)), seed)


def _replace(
    verdicts: Sequence[Verdict], by: Verdict, chance: np.ndarray[tuple[int], np.dtype[np.float64]], seed: int
) -> list[Verdict]:
    turned = np.random.default_rng(seed).random(len(verdicts)) < chance
    return [by if turn else verdict for verdict, turn in zip(verdicts, turned.tolist(), strict=True)]


def _share(name: str, value: float) -> float:
    if not 0 <= value <= 1:
        raise UserError(f"{name} is {value}", expected="a share from 0 to 1")
    return value
