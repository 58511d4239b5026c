"""What a file cannot tell, asked of its owner: who judges, label order, several verdicts, clusters."""

from __future__ import annotations

import re
from dataclasses import dataclass

from voirdire.errors import UserError
from voirdire.study.metric import Metric
from voirdire.study.scale import Scale
from voirdire.study.study import Study

__all__ = [
    "CLUSTERS",
    "JUDGES",
    "Question",
    "admits_key",
    "open_questions",
    "order_key",
    "scale_groups",
    "seemingly_undecided",
]

JUDGES = "judges"
CLUSTERS = "clusters"
UNDECIDED = re.compile(
    r"border|unsure|not.?sure|uncertain|unclear|undecided|maybe|partial|mixed|can'?t|cannot"
)
MOST_NAMED = 30


@dataclass(frozen=True)
class Question:
    """One question with its ``choices``; the answer names some of them, separated by commas.

    ``every`` says that an answer names all of them. ``default`` is the answer of somebody who does not know.
    """

    key: str
    text: str
    choices: tuple[str, ...]
    default: str = ""
    every: bool = False

    def parse(self, answer: str) -> tuple[str, ...]:
        """The choices that ``answer`` names, in its order; a name that is no choice is a user's error.

        >>> Question("order", "Order?", ("pass", "fail"), every=True).parse("fail, pass")
        ('fail', 'pass')
        """
        named = tuple(part.strip() for part in answer.split(",") if part.strip())
        unknown = [name for name in named if name not in self.choices]
        expected = f"{'all' if self.every else 'some'} of {', '.join(self.choices[:MOST_NAMED])}"
        if unknown:
            raise UserError(f"'{unknown[0]}' is none of the choices", expected=expected)
        if len(set(named)) < len(named) or (named and self.every and len(named) < len(self.choices)):
            raise UserError("each choice is named once", expected=expected)
        return named


def seemingly_undecided(scale: Scale) -> tuple[str, ...]:
    """The labels whose wording suggests that they admit several verdicts, where two verdicts remain."""
    labels = tuple(label for label in scale.labels if UNDECIDED.search(label.lower()))
    return labels if len(scale.labels) - len(labels) > 1 else ()


def scale_groups(study: Study) -> list[tuple[Scale, tuple[Metric, ...]]]:
    """The scales of a study, each with the metrics on it, the most used first."""
    groups: dict[tuple[str, bool, tuple[str, ...]], list[Metric]] = {}
    for metric in study.metrics:
        groups.setdefault((metric.scale.kind, metric.scale.ordered, metric.scale.labels), []).append(metric)
    found = [(metrics[0].scale, tuple(metrics)) for metrics in groups.values()]
    return sorted(found, key=lambda group: -len(group[1]))


def order_key(metrics: tuple[Metric, ...]) -> str:
    """The key of the question in which order the labels of ``metrics`` stand."""
    return f"order of {metrics[0].name}"


def admits_key(metrics: tuple[Metric, ...]) -> str:
    """The key of the question which labels of ``metrics`` admit several verdicts."""
    return f"several verdicts of {metrics[0].name}"


def open_questions(study: Study) -> list[Question]:
    """The questions that ``study``, read without a declaration, leaves open."""
    raters = tuple(rater.id for rater in study.raters)
    judges = ", ".join(rater.id for rater in study.raters if rater.kind == "judge")
    questions = [Question(JUDGES, "Which raters are judges?", raters, judges)]
    for scale, metrics in scale_groups(study):
        whom = f"'{metrics[0].label}'" + (
            f" and {len(metrics) - 1:,} more metrics" if len(metrics) > 1 else ""
        )
        if scale.ordered or scale.kind in ("pairwise", "numeric") or len(scale.labels) < 3:
            continue
        undecided = ", ".join(seemingly_undecided(scale))
        ask = f"Labels of {whom}: {', '.join(scale.labels)}."
        questions += [
            Question(
                order_key(metrics), f"{ask} Their order, lowest first (Enter: none)", scale.labels, every=True
            ),
            Question(admits_key(metrics), f"{ask} Which admit several verdicts?", scale.labels, undecided),
        ]
    attributes = tuple(study.items.attributes)
    if attributes:
        text = "Which item attributes name the prompt or source that items share (Enter: none)?"
        questions.append(Question(CLUSTERS, text, attributes))
    return questions
