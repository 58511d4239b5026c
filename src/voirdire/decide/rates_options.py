"""What a user may choose about corrected rates."""

from __future__ import annotations

from dataclasses import dataclass

from voirdire.errors import UserError, check_names, check_share, check_whole

__all__ = ["FEWEST", "RatesOptions"]

FEWEST = 30
"""A system with fewer labelled items has no interval of its own: normal theory would not hold."""


@dataclass(frozen=True, kw_only=True)
class RatesOptions:
    """Options of corrected rates.

    ``judges`` and ``metrics`` are all where empty. ``select`` is the map from the judge's output to people's
    labels: ``auto`` takes a quick one that applies, else ``pool``, ``one_se`` or a calibrator's name.
    ``probability`` names the column that holds each item's chance of being labelled, used where it exists.
    Systems with fewer than ``fewest`` labelled items borrow from the others. ``draws`` simulate the ranks;
    ``seed`` makes all repeatable.
    """

    judges: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    select: str = "auto"
    probability: str = "sampling_probability"
    fewest: int = FEWEST
    level: float = 0.95
    draws: int = 2000
    seed: int = 20261129

    def __post_init__(self) -> None:
        check_share("level", self.level, 0.5)
        check_whole("fewest", self.fewest, 3, 2**31)
        check_whole("draws", self.draws, 100, 1_000_000)
        check_whole("seed", self.seed, 0, 2**63 - 1)
        for name in ("judges", "metrics"):
            check_names(name, getattr(self, name))
        for name in ("select", "probability"):
            if not isinstance(getattr(self, name), str):
                raise UserError(f"{name} is {getattr(self, name)!r}", expected="a name")
