"""Outcomes: what the judge saw in each conversation, and whether that is what experts ask for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voirdire.study.metric import Polarity

__all__ = ["LACKING", "MISSING", "Outcomes", "Rated", "Signs", "passes"]

Codes = NDArray[np.int32]
Signs = NDArray[np.int8]
MISSING = -1
"""No verdict: unparsed, refused, in error, or not asked for yet."""
LACKING = (
    "",
    "no turn",
    "conversation in error",
    "not judged",
    "unparsed",
    "ambiguous",
    "refusal",
    "truncated",
    "error",
)
"""Why a verdict is missing: nothing was said, or the judge's verdict is not there, or has that status."""
BY_ROW = (
    "metric",
    "scenario",
    "variant",
    "system",
    "repeat",
    "present",
    "opportunity",
    "faulty",
    "runs",
    "lacking",
)


@dataclass(frozen=True)
class Rated:
    """What results need to know of a metric; ``counts`` where a review passed this very version."""

    name: str
    title: str
    polarity: Polarity
    benchmark: str
    subarea: str
    area: str
    version: str
    counts: bool


@dataclass(frozen=True, eq=False)
class Outcomes:
    """One row a conversation, all arrays (n,).

    ``metric``, ``scenario`` (of its metric), ``variant`` and ``system`` are codes into the tuples of the same
    names, ``repeat`` numbers conversations of one kind; ``present`` is the judge's verdict on the behaviour
    (1, 0 or :data:`MISSING`), ``opportunity`` that on whether there was an occasion (1, 0, or MISSING where
    nobody asked), ``faulty`` marks conversations in which the simulator failed: out of role, a move not
    delivered, ended early. ``runs`` (n, k) are repeats of the verdict on the same transcript, of which the
    first is ``present``. ``lacking`` is 0, or the place in :data:`LACKING` of why there is no verdict.
    ``axes`` says of each variant the value on every axis; ``ids`` name the conversations, where there are
    transcripts.
    """

    metric: Codes
    scenario: Codes
    variant: Codes
    system: Codes
    repeat: Codes
    present: Signs
    opportunity: Signs
    faulty: NDArray[np.bool_]
    runs: Signs
    lacking: Signs
    metrics: tuple[Rated, ...]
    scenarios: tuple[str, ...]
    variants: tuple[str, ...]
    systems: tuple[str, ...]
    axes: tuple[Mapping[str, str], ...] = ()
    ids: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        assert np.array_equal(self.runs[:, 0], self.present), "the first run is the verdict"
        assert ((self.present == MISSING) == (self.lacking > 0)).all(), "a missing verdict has its reason"

    def __len__(self) -> int:
        return len(self.metric)

    @property
    def passed(self) -> Signs:
        """Whether each conversation went as experts ask for (n,): 1, 0, or MISSING without a verdict."""
        return passes(self.present, self.polarity)

    @property
    def polarity(self) -> Signs:
        """1 where the behaviour is wanted and 0 where it is not, (n,)."""
        return self.wanted[self.metric]

    @property
    def wanted(self) -> Signs:
        """1 for each metric (M,) of which the behaviour is wanted, else 0."""
        return np.array([metric.polarity == "positive" for metric in self.metrics], dtype=np.int8)

    def take(self, rows: NDArray[Any]) -> Outcomes:
        """The conversations at ``rows``, or where the mask ``rows`` is true."""
        return replace(
            self,
            **{name: getattr(self, name)[rows] for name in BY_ROW},
            ids=tuple(np.array(self.ids, dtype=object)[rows]) if self.ids else (),
        )


def passes(present: Signs, wanted: Signs) -> Signs:
    """Pass (n,) of verdicts ``present`` (n,) under polarity ``wanted`` (n,): the only place that applies it.

    Present passes where the behaviour is wanted, absent where it is not; a missing verdict stays missing.

    >>> passes(np.array([1, 0, 1, 0, -1], np.int8), np.array([1, 1, 0, 0, 0], np.int8)).tolist()
    [1, 0, 0, 1, -1]
    """
    passed: Signs = np.where(present == MISSING, MISSING, present == wanted).astype(np.int8)
    return passed
