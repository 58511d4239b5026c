"""What a user may choose about the replacement tests."""

from __future__ import annotations

from dataclasses import dataclass

from voirdire.errors import UserError, check_names, check_share, check_whole

__all__ = ["ReplacementOptions"]

SMALL = ("exact", "wilcoxon", "skip")


@dataclass(frozen=True, kw_only=True)
class ReplacementOptions:
    """Options of the replacement tests.

    ``judges`` and ``metrics`` are all where empty. ``epsilon`` is how much worse than a person the judge may
    be; without it each person's declared expertise says (expert 0.2, skilled 0.15, crowd or not declared
    0.1). ``small`` is the test of a person below 30 items: exact, wilcoxon (as published) or skip.
    ``select`` is the map from judge to people's labels: ``auto`` takes a quick one, else ``pool``,
    ``one_se`` or a calibrator's name. Of more than ``most_rows`` labelled items of a metric the
    distributional test uses whole clusters drawn at random, 0 for no limit; ``distribution=False`` leaves
    that test out. The tests' false discovery rate
    is 1 - ``level``; ``seed`` makes all repeatable.
    """

    judges: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    epsilon: float | None = None
    small: str = "exact"
    select: str = "auto"
    most_rows: int = 2000
    distribution: bool = True
    level: float = 0.95
    seed: int = 20261129

    def __post_init__(self) -> None:
        for name in ("judges", "metrics"):
            check_names(name, getattr(self, name))
        if self.epsilon is not None:
            check_share("epsilon", self.epsilon, 0)
        if self.small not in SMALL:
            raise UserError(f"small is {self.small!r}", expected=f"one of {', '.join(SMALL)}")
        if not isinstance(self.select, str):
            raise UserError(f"select is {self.select!r}", expected="a name")
        check_whole("most_rows", self.most_rows, 0, 2**63 - 1)
        check_share("level", self.level, 0.5)
        check_whole("seed", self.seed, 0, 2**63 - 1)
