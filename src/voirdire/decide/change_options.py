"""What a user may choose about the comparison of two studies."""

from __future__ import annotations

from dataclasses import dataclass

from voirdire.decide.drift import TOLERANCE
from voirdire.errors import UserError, check_names, check_share, check_whole

__all__ = ["CompareOptions"]


@dataclass(frozen=True, kw_only=True)
class CompareOptions:
    """Options of a comparison of an old study with a new one.

    ``judges`` are judges of both studies, or ``old=new`` where a judge has another name now; empty for those
    that both have, or for the only one of either. ``metrics`` are all that both have where empty.
    ``tolerance`` is by how many nats the aligned score may drop. ``select`` is the map that is fitted to both
    judges: ``stack``, ``pool`` or another calibrator; '' fits none. ``permutations`` test whether the items
    are of another kind; ``resamples`` are the bootstrap's. ``seed`` makes all repeatable.
    """

    judges: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    tolerance: float = TOLERANCE
    select: str = "stack"
    level: float = 0.95
    resamples: int = 1000
    permutations: int = 199
    seed: int = 20261129

    def __post_init__(self) -> None:
        check_share("level", self.level, 0.5)
        check_whole("resamples", self.resamples, 100, 1_000_000)
        check_whole("permutations", self.permutations, 19, 100_000)
        check_whole("seed", self.seed, 0, 2**63 - 1)
        if not 0 <= self.tolerance < float("inf"):
            raise UserError(f"tolerance is {self.tolerance}", expected="0 nats or more")
        for name in ("judges", "metrics"):
            check_names(name, getattr(self, name))
