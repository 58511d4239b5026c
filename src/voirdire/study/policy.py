"""Policy: one defensible way to map indeterminate labels, applied to everything before it is counted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voirdire.errors import UserError
from voirdire.study.scale import Scale

__all__ = ["KEPT_APART", "LEFT_OUT", "Policy", "policies"]

KEPT_APART = "kept apart"
LEFT_OUT = "left out"


@dataclass(frozen=True)
class Policy:
    """A named way to map a scale's indeterminate labels.

    ``name`` is "kept apart" (each is a label of its own), "left out" (such ratings are removed) or "as X"
    (counted as verdict X where they admit X, removed where they do not).
    """

    name: str

    def __post_init__(self) -> None:
        if self.name not in (KEPT_APART, LEFT_OUT) and not self.name.startswith("as "):
            raise UserError(f"no policy '{self.name}'", expected=f"'{KEPT_APART}', '{LEFT_OUT}' or 'as X'")

    @property
    def target(self) -> str | None:
        """The verdict that indeterminate labels become, or None."""
        return self.name.removeprefix("as ") if self.name.startswith("as ") else None

    def apply(self, scale: Scale) -> tuple[Scale, NDArray[np.int32]]:
        """The scale after mapping, and ``new[code]`` (q,) int32: each old code's new code, −1 where removed.

        >>> admits = {"borderline": ("pass", "fail")}
        >>> yes_no = Scale("nominal", ("pass", "borderline", "fail"), indeterminate=admits)
        >>> mapped, new = Policy("as fail").apply(yes_no)
        >>> mapped.labels, new.tolist()
        (('pass', 'fail'), [0, 1, 1])
        """
        if self.name == KEPT_APART or not scale.indeterminate:
            return scale, np.arange(len(scale.labels), dtype=np.int32)
        kept = [code for code, label in enumerate(scale.labels) if label not in scale.indeterminate]
        labels = tuple(scale.labels[code] for code in kept)
        values = None if scale.values is None else tuple(scale.values[code] for code in kept)
        new = np.full(len(scale.labels), -1, dtype=np.int32)
        new[kept] = np.arange(len(kept))
        if self.target is not None:
            for label, admitted in scale.indeterminate.items():
                if self.target in admitted:
                    new[scale.code(label)] = labels.index(self.target)
        return Scale(scale.kind, labels, scale.ordered, values), new


def policies(scale: Scale) -> tuple[Policy, ...]:
    """Every defensible policy for ``scale``: one where no label is indeterminate, else all mappings.

    >>> admits = {"borderline": ("pass", "fail")}
    >>> scale = Scale("nominal", ("pass", "borderline", "fail"), indeterminate=admits)
    >>> [policy.name for policy in policies(scale)]
    ['kept apart', 'left out', 'as pass', 'as fail']
    """
    if not scale.indeterminate:
        return (Policy(KEPT_APART),)
    admitted = {verdict for verdicts in scale.indeterminate.values() for verdict in verdicts}
    targets = [Policy(f"as {verdict}") for verdict in scale.verdicts if verdict in admitted]
    return (Policy(KEPT_APART), Policy(LEFT_OUT), *targets)
