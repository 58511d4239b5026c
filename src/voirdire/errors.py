"""The two ways a user's mistake is reported: one fault, or all faults of one source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from numbers import Integral, Real
from typing import Any

__all__ = ["Fault", "UserError", "UserErrors", "check_names", "check_share", "check_whole"]

SHOWN = 20


@dataclass(frozen=True, slots=True)
class Fault:
    """One mistake in a user's input: what is wrong, where, what was expected and the nearest fix."""

    what: str
    where: str = ""
    expected: str = ""
    fix: str = ""

    def __str__(self) -> str:
        parts = [f"{self.where}: {self.what}" if self.where else self.what]
        if self.expected:
            parts.append(f"expected {self.expected}")
        if self.fix:
            parts.append(f"fix: {self.fix}")
        return "; ".join(parts)


class UserError(Exception):
    """A mistake that the user can mend; its text is one line that says what, where, expected and fix.

    >>> raise UserError("no column 'labl'", where="labels.csv", fix="did you mean 'label'?")
    Traceback (most recent call last):
        ...
    voirdire.errors.UserError: labels.csv: no column 'labl'; fix: did you mean 'label'?
    """

    def __init__(self, what: str, *, where: str = "", expected: str = "", fix: str = "") -> None:
        self.faults: tuple[Fault, ...] = (Fault(what, where, expected, fix),)
        super().__init__(str(self.faults[0]))


class UserErrors(UserError):
    """Every fault found in one source at once: the first 20 in full, and the count of all.

    ``total`` is the number of faults found when only the first ones were kept.
    """

    def __init__(self, faults: Sequence[Fault], *, total: int | None = None) -> None:
        assert faults, "an error needs at least one fault"
        self.faults = tuple(faults)
        self.total = len(faults) if total is None else total
        if self.total == 1:
            text = str(self.faults[0])
        else:
            shown = [f"  {fault}" for fault in self.faults[:SHOWN]]
            more = self.total - len(shown)
            shown += [f"  ... and {more:,} more"] if more else []
            text = "\n".join([f"{self.total:,} faults:", *shown])
        Exception.__init__(self, text)

    def __reduce__(self) -> tuple[Any, ...]:
        # another process makes the error again from its faults, and not from its text
        return partial(UserErrors, total=self.total), (self.faults,)


def check_share(name: str, value: object, low: float) -> None:
    """Refuse an option that is no number from ``low`` to below 1."""
    if not (isinstance(value, Real) and low <= float(value) < 1):
        raise UserError(f"{name} is {value!r}", expected=f"a share from {low:g} to below 1")


def check_whole(name: str, value: object, low: int, high: int) -> None:
    """Refuse an option that is no whole number from ``low`` to ``high``."""
    if not (isinstance(value, Integral) and low <= int(value) <= high):
        raise UserError(f"{name} is {value!r}", expected=f"a whole number from {low:,} to {high:,}")


def check_names(name: str, value: object) -> None:
    """Refuse one text where several names are meant: its letters would be taken for the names."""
    if isinstance(value, str):
        raise UserError(f"{name} is '{value}'", expected="several names", fix=f"write {name}=('{value}',)")
