"""What a user may choose about the ranking of systems and the contest guard."""

from __future__ import annotations

from dataclasses import dataclass

from voirdire.errors import check_names, check_share, check_whole

__all__ = ["SystemsOptions"]


@dataclass(frozen=True, kw_only=True)
class SystemsOptions:
    """Options of :func:`judged_systems` and :func:`self_preference`.

    ``judges`` and ``metrics`` are all where empty. Systems with fewer than ``fewest`` rows that people and
    the judge both scored are left out and named, as are those beyond the 60 with the most. ``smallest`` is
    the self-preference worth finding, as a share of the distance between the lowest and the highest label;
    ``power`` is the chance of finding it.
    ``draws`` simulate simultaneous intervals; ``seed`` makes all repeatable.

    >>> SystemsOptions(fewest=20).level
    0.95
    """

    judges: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    fewest: int = 10
    smallest: float = 0.1
    power: float = 0.8
    level: float = 0.95
    draws: int = 4000
    seed: int = 20261129

    def __post_init__(self) -> None:
        check_share("level", self.level, 0.5)
        check_share("power", self.power, 0.5)
        check_share("smallest", self.smallest, 0.001)
        check_whole("fewest", self.fewest, 3, 2**31)
        check_whole("draws", self.draws, 100, 1_000_000)
        check_whole("seed", self.seed, 0, 2**63 - 1)
        for name in ("judges", "metrics"):
            check_names(name, getattr(self, name))
