"""What a user may choose about an audit: one frozen record for Python, the command line and study.yaml
alike.
"""

from __future__ import annotations

from dataclasses import dataclass

from voirdire.checks.reading import READINGS
from voirdire.errors import UserError

__all__ = ["AuditOptions"]


@dataclass(frozen=True, kw_only=True)
class AuditOptions:
    """Options of one audit.

    ``level`` is the intervals' coverage. ``margin`` is how far below person-person agreement a judge may be
    and still stand in. ``resamples`` is the number of bootstrap resamples, ``seed`` makes them repeatable.
    ``reading`` names the scale of words for coefficients. ``worst`` is how many disagreements are listed.
    ``checks`` names the checks to run, all where empty. ``align`` adds how well the judge knows how people
    would judge, which takes up to a minute or so.
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
        if not 0.5 <= self.level < 1:
            raise UserError(f"level is {self.level}", expected="a share from 0.5 to below 1", fix="use 0.95")
        if not 0 <= self.margin < 1:
            raise UserError(f"margin is {self.margin}", expected="a share from 0 to below 1", fix="use 0.10")
        if not 100 <= self.resamples <= 1_000_000:
            raise UserError(f"resamples is {self.resamples}", expected="a whole number from 100 to 1,000,000")
        if not 0 <= self.worst <= 10_000:
            raise UserError(f"worst is {self.worst}", expected="a whole number from 0 to 10,000")
        if self.reading not in READINGS:
            raise UserError(
                f"no reading scale named '{self.reading}'", expected=f"one of {', '.join(READINGS)}"
            )
