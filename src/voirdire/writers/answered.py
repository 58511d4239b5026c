"""What each rater said of each item in one go, as labelling tools keep it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from voirdire.errors import UserError
from voirdire.study.metric import Metric
from voirdire.study.ratings import OK, STATUSES
from voirdire.study.scale import Scale
from voirdire.study.scaling import set_name
from voirdire.study.study import Study

__all__ = ["Given", "answered", "as_numbers", "choices_of", "criterion_of", "remarked", "takes_sets"]

REMARKS = ("rationale", "confidence")
INVALID = STATUSES.index("invalid")
Label = str | tuple[str, ...] | None


@dataclass(frozen=True, eq=False)
class Given:
    """One rater's labels of one item in one run, by metric: several for a response set, None for a skip.

    ``remarks`` holds what stands beside a label, by metric and column; ``chance`` the judge's probability of
    the label that it gave.
    """

    rater: str
    labels: dict[str, Label] = field(default_factory=dict)
    remarks: dict[str, dict[str, str]] = field(default_factory=dict)
    chance: dict[str, float] = field(default_factory=dict)
    created_at: str = ""


def answered(study: Study, raters: Mapping[int, str]) -> list[list[Given]]:
    """What each of ``raters`` (ids by position) said, a list an item, in the order of the ratings."""
    ratings = study.ratings
    listed = np.zeros(len(study.raters), dtype=bool)
    listed[list(raters)] = True
    columns = {name: ratings.attributes[name] for name in REMARKS if name in ratings.attributes}
    when = ratings.attributes.get("created_at")
    found: list[dict[tuple[int, int], Given]] = [{} for _ in range(len(study.items))]
    for row in np.flatnonzero(listed[ratings.rater]).tolist():
        rater, metric = int(ratings.rater[row]), study.metrics[int(ratings.metric[row])]
        item = found[int(ratings.item[row])]
        at = (rater, int(ratings.run.codes[row]))
        if at not in item:
            item[at] = Given(raters[rater], created_at=(when[row] if when else "") or "")
        given = item[at]
        given.labels[metric.name] = _label(study, metric.scale, row)
        said = {name: text for name, column in columns.items() if (text := column[row])}
        if said:
            given.remarks[metric.name] = said
        chance = _chance(study, metric.scale, row)
        if chance is not None:
            given.chance[metric.name] = chance
    return [list(item.values()) for item in found]


def choices_of(metric: Metric) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
    """The verdicts to choose from, and the labels that admit several of them with those; sets are neither."""
    scale = metric.scale
    single = [label for label in scale.labels if not _members(scale, label)]
    undecided = {label: scale.indeterminate[label] for label in single if label in scale.indeterminate}
    verdicts = tuple(label for label in single if label not in undecided)
    blank = next((label for label in (*verdicts, *undecided) if not label.strip()), None)
    if blank is not None or not verdicts:
        what = f"has the label {blank!r}" if verdicts else "has no labels"
        raise UserError(
            what, where=f"metric '{metric.name}'", fix="declare its labels in study.yaml, and map this one"
        )
    return verdicts, undecided


def criterion_of(metric: Metric) -> str:
    """What raters have to know of a metric: its rubric, and examples of what it is and is not about.

    >>> scale = Scale("binary", ("no", "yes"))
    >>> criterion_of(Metric("warmth", scale, rubric="Is it kind?", present=("Oh dear!",)))
    'Is it kind?\\nPresent: Oh dear!'
    """
    examples = [("Present", example) for example in metric.present]
    examples += [("Absent", example) for example in metric.absent]
    return "\n".join(
        [*filter(None, [metric.rubric]), *(f"{which}: {example}" for which, example in examples)]
    )


def takes_sets(metric: Metric) -> bool:
    """Whether a rater may choose several labels of ``metric``."""
    return any(_members(metric.scale, label) for label in metric.scale.labels)


def as_numbers(metric: Metric) -> list[float] | None:
    """The numbers that the labels of ``metric`` are, spelled as any tool would; None where one is not."""
    try:
        numbers = [float(label) for label in metric.scale.labels]
    except ValueError:
        return None
    spelled = [str(int(one)) if one.is_integer() else repr(one) for one in numbers if abs(one) < 2**53]
    return numbers if tuple(spelled) == metric.scale.labels and not metric.scale.indeterminate else None


def remarked(study: Study) -> Iterator[tuple[str, str]]:
    """Each metric and column of remarks that a person filled in."""
    ratings = study.ratings
    for name in REMARKS:
        if name in ratings.attributes:
            said = study.is_kind("human")[ratings.rater] & ~ratings.attributes[name].is_missing
            for code in np.unique(ratings.metric[said]).tolist():
                yield study.metrics[code].name, name


def _label(study: Study, scale: Scale, row: int) -> Label:
    ratings = study.ratings
    if ratings.status[row] == INVALID:
        return ratings.raw[row]
    if ratings.status[row] != OK or ratings.label[row] < 0:
        return None
    label = scale.labels[int(ratings.label[row])]
    return _members(scale, label) or label


def _members(scale: Scale, label: str) -> tuple[str, ...]:
    """The labels of a response set, none where ``label`` is no set."""
    members = tuple(scale.indeterminate.get(label, ()))
    return members if len(members) > 1 and label == set_name(scale, members) else ()


def _chance(study: Study, scale: Scale, row: int) -> float | None:
    """The probability that the judge gave the label it chose, where it is known."""
    code = int(study.ratings.label[row])
    chances = study.ratings.probabilities.get(scale.labels[code]) if code >= 0 else None
    chance = float("nan") if chances is None else float(chances[row])
    return None if np.isnan(chance) else chance
