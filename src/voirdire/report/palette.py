"""Which colour and letter stand for a label: verdicts by name, other labels by lightness in their order."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from voirdire.checks.finding import Evidence
from voirdire.study import Scale, Study

__all__ = ["LabelPart", "label_parts", "scale_of", "share_parts", "tones"]

_FAVOURABLE = frozenset(("pass", "yes", "true", "present", "good", "correct", "safe", "1"))
_UNFAVOURABLE = frozenset(("fail", "no", "false", "absent", "bad", "wrong", "unsafe", "0"))
_UNDECIDED = frozenset(("borderline", "tie", "unsure", "not sure", "uncertain", "unclear", "ambiguous"))
_WORD = re.compile(r"[^\W_]+")
STEPS = 7
"""Number of lightness steps that the style sheet defines, from pale to full."""


@dataclass(frozen=True)
class LabelPart:
    """One label's share of a cell: its ``letter``, how many gave it, and the class that colours it.

    Where shares are shown and nobody is counted, ``n`` is the percentage. ``start`` and ``share`` are
    its place on a bar, from 0 to 1.
    """

    label: str
    letter: str
    n: int
    tone: str
    start: float
    share: float


def scale_of(study: Study, evidence: Evidence | None) -> Scale | None:
    """The scale of the metric that a row is about: the one it names, or a study's only one."""
    if evidence is not None and evidence.metric:
        return study.metric(evidence.metric).scale
    return study.metrics[0].scale if len(study.metrics) == 1 else None


def tones(labels: Sequence[str], indeterminate: frozenset[str] = frozenset()) -> dict[str, str]:
    """Each label's colour class: verdicts and borderline where three labels or fewer say so, else one hue.

    >>> tones(("pass", "borderline", "fail"))
    {'pass': 'L-pass', 'borderline': 'L-mid', 'fail': 'L-fail'}
    >>> tones(("1", "2", "3", "4"))
    {'1': 'L-s1', '2': 'L-s3', '3': 'L-s5', '4': 'L-s7'}
    """
    named = {label: _named(label, indeterminate) for label in labels}
    if len(labels) <= 3 and all(named.values()) and len(set(named.values())) == len(labels):
        return named
    last = max(len(labels) - 1, 1)
    return {label: f"L-s{1 + round(place * (STEPS - 1) / last)}" for place, label in enumerate(labels)}


def label_parts(counts: Mapping[str, int], scale: Scale | None = None) -> tuple[LabelPart, ...]:
    """The labels of one cell that were given at all, in the scale's order and colours.

    >>> [(part.letter, part.n, part.share) for part in label_parts({"pass": 3, "borderline": 0, "fail": 1})]
    [('P', 3, 0.75), ('F', 1, 0.25)]
    """
    total = sum(counts.values())
    return _parts({label: n / total for label, n in counts.items() if n}, counts, scale)


def share_parts(shares: Mapping[str, float], scale: Scale | None = None) -> tuple[LabelPart, ...]:
    """The labels of a predicted distribution, in the scale's order and colours; ``n`` is in percent.

    >>> [(part.letter, part.n, part.start) for part in share_parts({"pass": 0.75, "fail": 0.25})]
    [('P', 75, 0.0), ('F', 25, 0.75)]
    """
    return _parts(shares, {label: round(100 * share) for label, share in shares.items()}, scale)


def _parts(
    shares: Mapping[str, float], counts: Mapping[str, int], scale: Scale | None
) -> tuple[LabelPart, ...]:
    known = tuple(scale.labels) if scale is not None else ()
    labels = (*known, *(label for label in counts if label not in known))
    indeterminate = frozenset(scale.indeterminate) if scale is not None else frozenset()
    colour, letter = tones(labels, indeterminate), letters(labels)
    parts, before = [], 0.0
    for label in labels:
        if share := shares.get(label, 0.0):
            parts.append(LabelPart(label, letter[label], counts[label], colour[label], before, share))
            before += share
    return tuple(parts)


def letters(labels: Sequence[str]) -> dict[str, str]:
    """The shortest capitals, of one to three letters, that tell the labels apart; short numbers stay whole.

    Labels of several words have their initials where a first letter does not do.

    >>> letters(("first", "tie", "second", "tie_inconsistent"))
    {'first': 'F', 'tie': 'T', 'second': 'S', 'tie_inconsistent': 'TI'}
    >>> letters(("pass", "partly", "fail")), letters(("-0.5", "10"))
    ({'pass': 'PAS', 'partly': 'PAR', 'fail': 'FAI'}, {'-0.5': '−0.5', '10': '10'})
    """
    if all(label.lstrip("-").replace(".", "", 1).isdecimal() and len(label) <= 5 for label in labels):
        return {label: label.replace("-", "−") for label in labels}
    first = {label: label.strip()[:1].upper() or "?" for label in labels}
    initials = {
        label: "".join(word[0] for word in _WORD.findall(label))[:3].upper() or "?" for label in labels
    }
    longer = ({label: label.strip()[:size].upper() or "?" for label in labels} for size in (2, 3))
    for short in (first, initials, *longer):
        if len(set(short.values())) == len(labels):
            return short
    return {label: str(place + 1) for place, label in enumerate(labels)}


def _named(label: str, indeterminate: frozenset[str]) -> str:
    word = label.strip().casefold()
    if label in indeterminate or word in _UNDECIDED:
        return "L-mid"
    if word in _FAVOURABLE:
        return "L-pass"
    return "L-fail" if word in _UNFAVOURABLE else ""
