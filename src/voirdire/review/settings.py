"""Settings of a round of review: what is asked, of which metrics, and how it is shown."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from voirdire.errors import UserError
from voirdire.study.config import ScaleConfig
from voirdire.study.metric import Metric
from voirdire.study.scales import with_sets

__all__ = ["BORDERLINE", "CHALLENGES", "PROTOCOL", "UNSURE", "OfferedScale", "RoundSettings", "offered_scale"]

UNSURE = "not sure"
BORDERLINE = "borderline"
UNSURE_NAMES = ("not sure", "unsure", "not_sure", "cannot judge", "can't tell", "don't know", "dont know")
CHALLENGES = {
    "none": "Nothing",
    "unclear": "The criterion is unclear",
    "hard": "Clear, but hard to apply here",
    "ambiguous": "Genuinely ambiguous",
    "evidence": "Not enough evidence",
}
"""What can make an item hard to label, by the name under which it is kept."""

PROTOCOL = """\
Read the whole item before you label it, and judge it by the criterion that stands above it, not by taste.

Work alone. You see nobody else's labels, no machine's verdict and no system's name, and nobody sees yours \
before the round closes.

Two answers are kept apart. *Borderline*: you read it well, and it is both, or in between. *Not sure*: you \
cannot judge this one. Neither is worse than another answer; say what you think.

Mark the turns you relied on and say what made it hard. Your work is saved as you go. You can pause at any \
time, go on from another device with the same link, and change an answer until the round closes.
"""
ALONE = "Work alone. You see nobody else's labels, no machine's verdict and no system's name, and nobody"
SHOWN = """\
With each item you are shown a judge's verdict, on purpose: confirm it where it is right, and correct it \
where it is not. You see no other person's labels and no system's name, and nobody"""
CONFIRMING = PROTOCOL.replace(ALONE, SHOWN)
"""The protocol of a round in which a judge's verdict is shown."""


class OfferedScale(ScaleConfig):
    """A metric's labels as raters are offered them; ``added`` are those that the study does not declare."""

    added: list[str] = Field(default_factory=list)

    @property
    def unsure(self) -> str:
        """The label that says that one cannot judge, empty where there is none."""
        return next((label for label in self.labels if _is_unsure(label)), "")

    @property
    def verdicts(self) -> tuple[str, ...]:
        """The labels that are verdicts, in order."""
        return tuple(label for label in self.labels if label not in self.indeterminate)

    @property
    def between(self) -> tuple[str, ...]:
        """Indeterminate labels other than "not sure", such as borderline."""
        return tuple(label for label in self.indeterminate if not _is_unsure(label))


class RoundSettings(BaseModel):
    """One round of labelling.

    ``mode`` is ``blind``, or ``confirm`` where the verdict of ``judge`` is shown and the labels are anchored.
    ``shown`` are the items' columns that raters see, all texts where empty. On a metric of ``sets`` a rater
    may give several labels. ``closes_at`` is a time with its offset, empty for a round that is closed by
    hand. ``reveal`` lets raters see, once it is closed, how others and the judges labelled their items.
    ``criteria`` are hashes of each metric's criterion as it was asked. ``seed`` makes every random order
    repeatable.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str = Field(min_length=1, max_length=200)
    metrics: list[str] = Field(min_length=1)
    scales: dict[str, OfferedScale]
    criteria: dict[str, str] = Field(default_factory=dict)
    mode: Literal["blind", "confirm"] = "blind"
    judge: str = ""
    shown: list[str] = Field(default_factory=list)
    sets: list[str] = Field(default_factory=list)
    protocol: str = PROTOCOL
    closes_at: str = ""
    reveal: bool = False
    seed: int = 20261129

    @property
    def protocol_read(self) -> str:
        """The protocol as raters read it: ours does not promise blindness where a verdict is shown."""
        return CONFIRMING if self.mode == "confirm" and self.protocol == PROTOCOL else self.protocol


def offered_scale(metric: Metric, *, borderline: bool = False) -> OfferedScale:
    """The labels that raters may give on ``metric``: its own, "not sure", and ``borderline`` if wanted.

    A metric without labels, and a pairwise one that does not call the sides first and second, are users'
    errors. What is added admits every verdict.

    >>> from voirdire.study.scale import Scale
    >>> fair = Metric("fair", Scale("ordinal", ("1", "2"), True, (1.0, 2.0)))
    >>> offered_scale(fair).labels, offered_scale(fair).added
    (['1', 'not sure', '2'], ['not sure'])
    """
    scale = metric.scale
    if not scale.labels:
        raise UserError(
            "has no labels to offer",
            where=f"metric '{metric.name}'",
            expected="its scale",
            fix="list its labels in study.yaml: metrics, scale, labels",
        )
    if scale.kind == "pairwise" and not {"first", "second"} <= set(scale.labels):
        raise UserError(
            f"is pairwise with the labels {', '.join(scale.labels)}",
            where=f"metric '{metric.name}'",
            expected="first and second, and tie where none may be better",
            fix="name them so in study.yaml: metrics, scale, labels",
        )
    own = [label for label in scale.labels if not label.startswith("[")]
    wanted = [*([BORDERLINE] if borderline else []), *([] if any(map(_is_unsure, own)) else [UNSURE])]
    added = [label for label in wanted if label not in own]
    whole = with_sets(scale, dict.fromkeys(added, scale.verdicts)) if added else scale
    return OfferedScale(
        kind=whole.kind,
        labels=list(whole.labels),
        ordered=whole.ordered,
        values=None if whole.values is None else list(whole.values),
        indeterminate={label: list(admits) for label, admits in whole.indeterminate.items()},
        separator=scale.separator or "",
        added=added,
    )


def _is_unsure(label: str) -> bool:
    return label.strip().lower() in UNSURE_NAMES
