"""Response sets on the scales of several metrics that are aligned together."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from voirdire.study.scale import Scale
from voirdire.study.scales import members_of, with_sets
from voirdire.study.scaling import set_name

__all__ = ["members_in", "sets_of_judges_alone", "share_sets"]


def share_sets(scales: Sequence[Scale]) -> list[Scale]:
    """Each scale with the response sets that were given on the others, where it has their verdicts.

    Which sets raters happened to give is no difference between two scales.

    >>> plain = Scale("nominal", ("a", "b", "c"))
    >>> one, two = share_sets([with_sets(plain, {"a|b": ("a", "b")}), plain])
    >>> two.labels
    ('a', 'b', 'c', 'a|b')
    """
    given = {
        label: admitted
        for scale in scales
        if scale.has_sets
        for label, admitted in scale.indeterminate.items()
        if _is_set(scale, label)
    }
    shared = []
    for scale in scales:
        mine = {label: admitted for label, admitted in given.items() if set(admitted) <= set(scale.labels)}
        shared.append(with_sets(scale, mine) if mine else scale)
    return shared


def sets_of_judges_alone(scale: Scale, people: Collection[str], judges: Collection[str]) -> set[str]:
    """Response sets that judges gave where no person gave an indeterminate label: people were forced."""
    if any(label in scale.indeterminate for label in people):
        return set()
    return {label for label in set(judges) - set(people) if _is_set(scale, label)}


def members_in(scale: Scale, label: str) -> tuple[str, ...]:
    """The human labels that a judge's own label lists, empty where it is one of them or no set of them.

    >>> members_in(Scale("nominal", ("a", "b", "c"), separator="|"), "a|c")
    ('a', 'c')
    """
    members = () if label in scale.labels else members_of(label, scale.separator) or ()
    return members if set(members) <= set(scale.labels) else ()


def _is_set(scale: Scale, label: str) -> bool:
    """Whether a label spells out what it admits, unlike one that is declared to admit it."""
    admitted = scale.indeterminate.get(label, ())
    return scale.has_sets and len(admitted) > 1 and set_name(scale, admitted) == label
