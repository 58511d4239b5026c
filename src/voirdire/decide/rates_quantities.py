"""What is reported of a metric: a pass rate, a mean, the share of each label, wins and ties of pairs."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from voirdire.study.metric import Metric
from voirdire.study.outcomes import passing
from voirdire.study.scale import Scale

__all__ = ["Quantity", "quantities"]

Floats = NDArray[np.float64]
MOST_SHARES = 12
"""Of a scale with more labels the mean is reported and not every label's share."""


@dataclass(frozen=True, eq=False)
class Quantity:
    """A mean over people's labels: ``value`` (C,) of each label, ``swapped`` (C,) from the other side.

    ``share`` says that values are 0 and 1; ``label`` names the one label whose share it is, '' otherwise.
    Systems are ranked by the ``main`` one.
    """

    name: str
    value: Floats
    swapped: Floats
    share: bool
    main: bool = False
    label: str = ""

    @property
    def sided(self) -> bool:
        """Whether it differs by the side of a pair it is seen from: then all pairs together have none."""
        return bool((self.value != self.swapped).any())

    @property
    def span(self) -> float:
        """How far the values lie apart."""
        return float(np.ptp(self.value))


def quantities(metric: Metric, scale: Scale) -> tuple[Quantity, ...]:
    """What to report on ``metric``, whose people's labels are those of ``scale``.

    >>> from voirdire.study import Metric, Scale
    >>> scale = Scale("ordinal", ("1", "2", "3"), ordered=True, values=(1, 2, 3))
    >>> [quantity.name for quantity in quantities(Metric("clarity", scale), scale)]
    ['mean', 'share of 1', 'share of 2', 'share of 3']
    """
    if scale.kind == "pairwise":
        return _of_pairs(scale)
    good = passing(replace(metric, scale=scale))
    name = None if good is None else scale.labels[good]
    shares = [_share(f"share of {label}", label, scale) for label in scale.labels]
    if name in scale.labels:
        first = _share("pass rate", name, scale, main=True)
        return (first, *shares) if len(scale.labels) > 2 else (first,)
    shares = shares if len(scale.labels) <= MOST_SHARES else []
    if scale.values is not None:
        value = np.asarray(scale.values, dtype=np.float64)
        return (Quantity("mean", value, value, share=False, main=True), *shares)
    if len(scale.labels) == 2:
        return (_share(f"share of {scale.labels[1]}", scale.labels[1], scale, main=True),)
    return tuple(shares)


def _share(name: str, label: str, scale: Scale, *, main: bool = False) -> Quantity:
    value = np.array([float(each == label) for each in scale.labels])
    return Quantity(name, value, value, share=True, main=main, label=label)


def _of_pairs(scale: Scale) -> tuple[Quantity, ...]:
    """Wins, ties and the score that counts a tie as half; a label other than first and second is a tie."""
    first = np.array([float(label == "first") for label in scale.labels])
    second = np.array([float(label == "second") for label in scale.labels])
    tie = 1 - first - second
    return (
        Quantity("score", first + tie / 2, second + tie / 2, share=False, main=True),
        Quantity("win rate", first, second, share=True),
        Quantity("tie rate", tie, tie, share=True),
    )
