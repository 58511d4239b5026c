"""What a user may choose about selective verdicts: one frozen record for Python and the command line."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real

from voirdire.errors import UserError, check_names, check_share, check_whole

__all__ = ["ALIGNED", "PROBABILITY", "TARGETS", "SelectOptions", "parse_cascade"]

TARGETS = ("label", "set", "loss")
ALIGNED, PROBABILITY = "aligned", "probability"


@dataclass(frozen=True, kw_only=True)
class SelectOptions:
    """Options of one selection.

    ``agreement`` is what trusted verdicts shall reach, and ``delta`` the chance that the threshold is drawn
    too low. ``metrics`` and ``judges`` are all where empty. ``cascade`` names judges with their cost an item,
    cheapest first; each is asked about what the ones before could not be trusted with. The promise is for
    what they are trusted with together, with ``each_stage`` for every judge's part by itself. ``target`` is
    what is promised: ``label``, a random person gives the verdict's label; ``set``, a random person's label
    is among ``set_size`` named ones; ``loss``, the predicted distribution's mean Brier loss, halved to lie in
    0 to 1, is at most 1 - agreement. ``confidence`` is ``aligned`` (from the distribution fitted to people),
    ``probability`` (the judge's own) or the name of a column of its ratings. ``select`` is the map: ``pool``,
    ``one_se`` or a calibrator by name, fitted on ``fit_share`` of the labelled clusters; the others set the
    threshold.
    """

    agreement: float = 0.85
    delta: float = 0.1
    metrics: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    cascade: tuple[tuple[str, float], ...] = ()
    each_stage: bool = False
    target: str = "label"
    set_size: int = 2
    confidence: str = ALIGNED
    select: str = "pool"
    fit_share: float = 0.3
    seed: int = 20261129

    def __post_init__(self) -> None:
        for name, low in (("agreement", 1e-6), ("delta", 1e-9), ("fit_share", 0.1)):
            check_share(name, getattr(self, name), low)
        for name in ("metrics", "judges"):
            check_names(name, getattr(self, name))
        check_whole("set_size", self.set_size, 1, 1000)
        check_whole("seed", self.seed, 0, 2**63 - 1)
        if self.target not in TARGETS:
            raise UserError(f"target is {self.target!r}", expected=f"one of {', '.join(TARGETS)}")
        if self.target != "label" and self.confidence not in (ALIGNED, PROBABILITY):
            raise UserError(
                f"column '{self.confidence}' says how sure a verdict is, not how labels spread",
                fix=f"with target {self.target} use confidence {ALIGNED} or {PROBABILITY}",
            )
        _check_cascade(self.cascade, self.judges)

    @property
    def alpha(self) -> float:
        """The error rate that trusted verdicts may have."""
        return round(1 - self.agreement, 12)


def parse_cascade(text: str) -> tuple[tuple[str, float], ...]:
    """Judges with their cost, from ``NAME:COST`` between commas.

    >>> parse_cascade("small:1, large:10")
    (('small', 1.0), ('large', 10.0))
    """
    found = []
    for part in text.split(",") if text.strip() else []:
        name, colon, cost = part.strip().rpartition(":")
        try:
            found.append((name.strip(), float(cost)))
        except ValueError:
            colon = ""
        if not colon or not name.strip():
            raise UserError(
                f"--cascade {text}",
                expected="NAME:COST between commas",
                fix="write --cascade small:1,large:10",
            )
    return tuple(found)


def _check_cascade(cascade: tuple[tuple[str, float], ...], judges: tuple[str, ...]) -> None:
    if cascade and judges:
        raise UserError("both judges and a cascade are named", fix="name the judges in the cascade alone")
    for part in cascade:
        if not (isinstance(part, tuple) and len(part) == 2 and isinstance(part[1], Real)):
            raise UserError(f"cascade holds {part!r}", expected="pairs of a judge and its cost")
        if not 0 <= part[1] < float("inf"):
            raise UserError(f"judge '{part[0]}' costs {part[1]}", expected="a cost from 0 up")
    names = [name for name, _ in cascade]
    if len(set(names)) < len(names):
        raise UserError("the cascade names a judge twice", expected="each judge once")
    costs = [cost for _, cost in cascade]
    if costs != sorted(costs):
        raise UserError("the cascade's costs fall", expected="the cheapest judge first")
