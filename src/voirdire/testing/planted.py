"""What is planted in a known-truth study: metrics, people, judges and systems, each given by numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voirdire.errors import UserError

__all__ = ["Difficulty", "PlantedJudge", "PlantedMetric", "PlantedRater", "PlantedSystem", "people"]

MOST_PEOPLE = 12


@dataclass(frozen=True, kw_only=True)
class Difficulty:
    """One kind of item: ``share`` of all items; on it ``guess`` of all labels are uniform guesses.

    ``indeterminate`` is the share of people's labels that are the metric's indeterminate label.
    """

    share: float
    guess: float = 0.0
    indeterminate: float = 0.0


@dataclass(frozen=True, kw_only=True)
class PlantedRater:
    """A person: ``accuracy`` is the chance to give the true label where they do not guess.

    ``lean`` is the share of labels that they turn into the metric's first label whatever the item,
    ``missing`` the share of items that they skip. ``confusion`` (q, q), rows the true label, replaces
    ``accuracy``.
    """

    id: str
    accuracy: float = 0.85
    lean: float = 0.0
    missing: float = 0.0
    confusion: tuple[tuple[float, ...], ...] | None = None
    expertise: str = ""

    def __post_init__(self) -> None:
        for name in ("accuracy", "lean", "missing"):
            _share(getattr(self, name), f"{name} of '{self.id}'")


@dataclass(frozen=True, kw_only=True)
class PlantedJudge(PlantedRater):
    """A judge: a rater that answers ``runs`` times and never says the indeterminate label.

    ``favour`` is the further share of verdicts that it turns into the first label for systems of its own
    ``family``. ``noise`` is the chance that a run is drawn anew instead of repeating the judge's verdict on
    the item; ``unparsed`` the share of runs without a usable reply.
    """

    model: str = ""
    family: str = ""
    favour: float = 0.0
    noise: float = 0.0
    unparsed: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("favour", "noise", "unparsed"):
            _share(getattr(self, name), f"{name} of '{self.id}'")


@dataclass(frozen=True, kw_only=True)
class PlantedSystem:
    """A system under test: ``shift`` is added to the chance that the first label is true."""

    name: str
    family: str = ""
    shift: float = 0.0


@dataclass(frozen=True, kw_only=True)
class PlantedMetric:
    """A metric with its items: ``prevalence`` (q,) is each label's chance to be true.

    Every person of ``people`` labels every item, apart from what they skip; on the share ``single_rated`` of
    items one of them, drawn at random, is asked. ``indeterminate`` names a label that admits every verdict
    ('' for none). ``runs`` is how often each judge answers. ``cluster_size`` items in a row make a cluster,
    and with probability ``cluster_pull`` an item has its cluster's truth and difficulty instead of its own.
    """

    name: str = "quality"
    labels: tuple[str, ...] = ("pass", "fail")
    ordered: bool = False
    prevalence: tuple[float, ...] = (0.6, 0.4)
    difficulty: tuple[Difficulty, ...] = (Difficulty(share=0.7), Difficulty(share=0.3, guess=0.6))
    people: tuple[PlantedRater, ...] = ()
    items: int = 200
    single_rated: float = 0.0
    indeterminate: str = ""
    polarity: str = ""
    runs: int = 1
    cluster_size: int = 1
    cluster_pull: float = 0.0

    def __post_init__(self) -> None:
        where = f"planted metric '{self.name}'"
        for name in ("items", "runs", "cluster_size"):
            if getattr(self, name) < 1:
                raise UserError(f"{name} is {getattr(self, name)}", where=where, expected="1 or more")
        if len(self.prevalence) != len(self.labels):
            raise UserError(f"{len(self.labels)} labels and {len(self.prevalence)} prevalences", where=where)
        _whole(self.prevalence, f"prevalences of {where}")
        _whole([level.share for level in self.difficulty], f"difficulty shares of {where}")
        if len(self.people) > MOST_PEOPLE:
            raise UserError(f"{len(self.people)} people", where=where, expected=f"at most {MOST_PEOPLE}")
        if self.indeterminate and self.ordered:
            raise UserError(
                "an ordered scale with an indeterminate label", where=where, fix="plant one of them"
            )
        if not self.indeterminate and any(level.indeterminate for level in self.difficulty):
            raise UserError("an indeterminate share and no indeterminate label", where=where)

    @property
    def all_labels(self) -> tuple[str, ...]:
        """The labels that people may give, the indeterminate one last."""
        return (*self.labels, self.indeterminate) if self.indeterminate else self.labels


def people(
    n: int, *, accuracy: float | Sequence[float] = 0.85, missing: float = 0.0
) -> tuple[PlantedRater, ...]:
    """``n`` people named person-1 to person-n; ``accuracy`` is one number or one a person.

    >>> [person.accuracy for person in people(2, accuracy=(0.9, 0.7))]
    [0.9, 0.7]
    """
    each = np.broadcast_to(np.asarray(accuracy, dtype=np.float64), (n,)).tolist()
    return tuple(
        PlantedRater(id=f"person-{number + 1}", accuracy=chance, missing=missing)
        for number, chance in enumerate(each)
    )


def confusion(rater: PlantedRater, metric: PlantedMetric) -> NDArray[np.float64]:
    """Chance of each label (columns) given the true one (rows), (q, q), where the rater does not guess.

    Errors are spread evenly, on an ordered scale halving with each further step from the truth.
    """
    if rater.confusion is not None:
        return np.asarray(rater.confusion, dtype=np.float64)
    q = len(metric.labels)
    steps = np.abs(np.subtract.outer(np.arange(q), np.arange(q)))
    error = np.where(steps == 0, 0.0, 0.5**steps if metric.ordered else 1.0)
    error /= np.maximum(error.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    chances: NDArray[np.float64] = rater.accuracy * np.eye(q) + (1 - rater.accuracy) * error
    return chances


def _share(value: float, what: str) -> None:
    if not 0 <= value <= 1:
        raise UserError(f"{what} is {value}", expected="a share from 0 to 1")


def _whole(shares: Sequence[float], what: str) -> None:
    if min(shares) < 0 or abs(sum(shares) - 1) > 1e-9:
        raise UserError(f"{what} are {list(shares)}", expected="shares from 0 to 1 that add up to 1")
