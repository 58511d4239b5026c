"""What a user may choose about a label plan, and how raters with their loads are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from voirdire.errors import UserError, check_names, check_share, check_whole

__all__ = [
    "ALL",
    "DECISIONS",
    "DESIGNS",
    "FITTING",
    "FLOORS",
    "MEANS",
    "PURPOSES",
    "PlanOptions",
    "parse_raters",
]

FITTING, FLOORS, MEANS, DECISIONS, ALL = "fitting", "floors", "means", "decisions", "all"
PURPOSES = (FITTING, FLOORS, MEANS, DECISIONS)
DESIGNS = ("random", "balanced")
NO_LIMIT = 2**31


@dataclass(frozen=True, kw_only=True)
class PlanOptions:
    """Options of one label plan.

    ``budget`` is the number of labels, one label being what one rater says of one item on one metric.
    ``purpose`` is what they shall buy: ``fitting`` (a better map from the judge to people), ``floors`` (how
    far people agree), ``means`` (each system's rate), ``decisions`` (single items) or ``all``, a mixture of
    the first three. ``design`` of the labels to fit on is ``random`` or ``balanced`` over the judge's labels
    and the metrics. ``raters`` are people of the study and ``new_raters`` others, each with the most labels
    they give; all people of the study where both are empty. ``judges`` and ``metrics`` are all where empty;
    ``select`` is the map, as in :class:`voirdire.RatesOptions`. ``curve`` also fits a learning curve to say
    what the labels buy, which takes longer. ``seed`` makes all repeatable.
    """

    budget: int = 300
    purpose: str = ALL
    design: str = "random"
    raters: Mapping[str, int] = field(default_factory=dict)
    new_raters: Mapping[str, int] = field(default_factory=dict)
    judges: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    select: str = "auto"
    curve: bool = False
    level: float = 0.95
    seed: int = 20261129

    def __post_init__(self) -> None:
        check_whole("budget", self.budget, 1, 10_000_000)
        check_whole("seed", self.seed, 0, 2**63 - 1)
        check_share("level", self.level, 0.5)
        for name in ("judges", "metrics"):
            check_names(name, getattr(self, name))
        for name, known in (("purpose", (*PURPOSES, ALL)), ("design", DESIGNS)):
            if getattr(self, name) not in known:
                raise UserError(f"{name} is {getattr(self, name)!r}", expected=f"one of {', '.join(known)}")
        for name in ("raters", "new_raters"):
            _check_loads(name, getattr(self, name))
        both = set(self.raters) & set(self.new_raters)
        if both:
            raise UserError(f"rater '{min(both)}' is named as known and as new", fix="name them once")


def _check_loads(name: str, loads: object) -> None:
    if not isinstance(loads, Mapping):
        raise UserError(
            f"{name} is {loads!r}", expected="names with the most labels that each gives", fix="{'Ann': 100}"
        )
    for rater, load in loads.items():
        check_whole(f"the load of rater '{rater}'", load, 1, NO_LIMIT)


def parse_raters(texts: Sequence[str]) -> dict[str, int]:
    """Names with the most labels that each gives, from ``NAME`` or ``NAME:LOAD``.

    >>> parse_raters(["Ann:40", "Bo"])["Ann"]
    40
    """
    found: dict[str, int] = {}
    for text in texts:
        name, colon, load = text.rpartition(":")
        if not colon:
            name, load = text, str(NO_LIMIT)
        if not name.strip() or not load.strip().isdigit():
            raise UserError(f"rater '{text}'", expected="NAME or NAME:LOAD", fix="write --rater Ann:40")
        if name.strip() in found:
            raise UserError(f"rater '{name.strip()}' is named twice", fix="name each rater once")
        found[name.strip()] = int(load)
    return found
