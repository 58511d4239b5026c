"""What a user may choose about an audit, in Python as on the command line."""

from __future__ import annotations

from dataclasses import dataclass

from voirdire.checks.reading import READINGS
from voirdire.errors import UserError, check_names, check_share, check_whole

__all__ = ["AuditOptions"]

WHOLE = {"resamples": (100, 1_000_000), "seed": (0, 2**63 - 1), "worst": (0, 10_000)}
"""Options that are whole numbers, with the least and the most that they may be."""


@dataclass(frozen=True, kw_only=True)
class AuditOptions:
    """Options of one audit.

    ``level`` is the intervals' coverage. ``margin`` is how far below person-person agreement a judge may be
    and still stand in. ``resamples`` is the number of bootstrap resamples, ``seed`` makes them repeatable.
    ``reading`` names the scale of words for coefficients. ``worst`` is how many disagreements are listed.
    ``checks`` names the checks to run, all where empty. ``align`` adds how well the judge knows how people
    would judge, which takes up to a minute or so.

    >>> AuditOptions(level=0.9, checks=("people", "rates")).margin
    0.1
    """

    level: float = 0.95
    margin: float = 0.10
    resamples: int = 2000
    seed: int = 20261129
    reading: str = "mchugh"
    worst: int = 20
    checks: tuple[str, ...] = ()
    align: bool = False

    def __post_init__(self) -> None:
        check_share("level", self.level, 0.5)
        check_share("margin", self.margin, 0)
        for name, (low, high) in WHOLE.items():
            check_whole(name, getattr(self, name), low, high)
        check_names("checks", self.checks)
        if self.reading not in READINGS:
            raise UserError(
                f"no reading scale named '{self.reading}'", expected=f"one of {', '.join(READINGS)}"
            )
