"""Scale: the labels a metric may receive, their order, and which labels admit several verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

from voirdire.errors import UserError

__all__ = ["PAIRWISE_LABELS", "Kind", "Scale"]

Kind = Literal["binary", "nominal", "ordinal", "numeric", "pairwise"]
PAIRWISE_LABELS = ("first", "tie", "second")


@dataclass(frozen=True)
class Scale:
    """The labels of one metric.

    ``labels`` are every label that may be given, in declared order where ``ordered``. ``values`` are their
    numeric values, or None. ``indeterminate`` maps a label that admits several verdicts (borderline, not
    sure, a response set) to the verdicts it admits. ``separator`` splits a text label into a response set.

    >>> Scale("ordinal", ("fail", "borderline", "pass"), ordered=True,
    ...       indeterminate={"borderline": ("pass", "fail")}).verdicts
    ('fail', 'pass')
    """

    kind: Kind
    labels: tuple[str, ...]
    ordered: bool = False
    values: tuple[float, ...] | None = None
    indeterminate: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    separator: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "indeterminate", MappingProxyType(dict(self.indeterminate)))
        known = set(self.labels)
        if len(known) != len(self.labels):
            twice = next(label for label in self.labels if self.labels.count(label) > 1)
            raise UserError(f"scale lists label '{twice}' twice", fix="list each label once")
        if self.values is not None and len(self.values) != len(self.labels):
            raise UserError(f"scale has {len(self.labels)} labels and {len(self.values)} values")
        for label, admitted in self.indeterminate.items():
            unknown = [name for name in (label, *admitted) if name not in known]
            if unknown:
                raise UserError(
                    f"indeterminate label '{label}' names '{unknown[0]}', which the scale does not list",
                    expected=f"one of {', '.join(self.labels)}",
                )

    def __reduce__(self) -> tuple[type[Scale], tuple[Any, ...]]:
        # a mapping proxy can be neither pickled nor copied
        admits = dict(self.indeterminate)
        return Scale, (self.kind, self.labels, self.ordered, self.values, admits, self.separator)

    @property
    def verdicts(self) -> tuple[str, ...]:
        """The labels that are verdicts: all but the indeterminate ones."""
        return tuple(label for label in self.labels if label not in self.indeterminate)

    @property
    def has_sets(self) -> bool:
        """Whether a label may be a response set."""
        return self.separator is not None

    def members(self, label: str) -> frozenset[str]:
        """The verdicts that ``label`` stands for: itself, or what an indeterminate label admits.

        A response set may hold an indeterminate label, and then admits what that admits.
        """
        admitted = self.indeterminate.get(label, (label,))
        return frozenset(verdict for each in admitted for verdict in self.indeterminate.get(each, (each,)))

    def code(self, label: str) -> int:
        """Position of ``label`` in ``labels``, −1 where the scale does not list it."""
        return self.labels.index(label) if label in self.labels else -1
