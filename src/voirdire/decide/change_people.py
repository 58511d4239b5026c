"""Did people or rubric change? Who labels now, what was reworded, what they say of shared items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from voirdire.decide.change_cells import Both, Cells, Scoring
from voirdire.decide.change_options import CompareOptions
from voirdire.stats.clustered import clustered_mean
from voirdire.stats.estimate import Estimate, undefined
from voirdire.study.metric import Metric
from voirdire.study.study import Study

__all__ = ["LabelChange", "PeopleChange", "people_change"]

PARTS = ("rubric", "present", "absent", "polarity", "title", "policy", "tie")


@dataclass(frozen=True)
class LabelChange:
    """People's labels of shared items: by how much the mean, ``mean_name``, moved, paired by item."""

    metric: str
    n_items: int
    mean_name: str
    change: Estimate


@dataclass(frozen=True)
class PeopleChange:
    """Who labelled then and now, and which metrics were worded or scored differently.

    ``relabelled`` labels were changed by the same person on the same item, of ``repeated`` that both studies
    hold. ``reworded`` says metric by metric what is not as it was.
    """

    stayed: tuple[str, ...]
    left: tuple[str, ...]
    joined: tuple[str, ...]
    repeated: int
    relabelled: int
    reworded: dict[str, tuple[str, ...]]
    labels: tuple[LabelChange, ...]


def people_change(both: Both, cells: Sequence[Cells], options: CompareOptions) -> PeopleChange:
    """Compare the people, the metrics' declarations and the labels of shared items."""
    old, new = (_people(study) for study in (both.old, both.new))
    mine, theirs = _labels(both.old), _labels(both.new)
    repeated = [key for key in mine if key in theirs]
    reworded = {name: parts for name in both.metrics if (parts := tuple(_parts(both, name)))}
    return PeopleChange(
        tuple(name for name in old if name in new),
        tuple(name for name in old if name not in new),
        tuple(name for name in new if name not in old),
        len(repeated),
        sum(mine[key] != theirs[key] for key in repeated),
        reworded,
        tuple(_label_changes(both, cells, options)),
    )


def _people(study: Study) -> list[str]:
    used = {int(code) for code in np.unique(study.ratings.rater[study.usable])}
    return [study.raters[code].id for code in study.raters_of("human") if code in used]


def _labels(study: Study) -> dict[tuple[str, str, str], str]:
    """Every label of a person by item, metric and rater; the first run counts."""
    found: dict[tuple[str, str, str], str] = {}
    for metric in study.metrics:
        for row in study.rows(metric.name, kind="human").tolist():
            key = (
                study.items.ids[study.ratings.item[row]],
                metric.name,
                study.raters[study.ratings.rater[row]].id,
            )
            found.setdefault(key, metric.scale.labels[study.ratings.label[row]])
    return found


def _parts(both: Both, name: str) -> Iterator[str]:
    one, two = both.old.metric(name), both.new.metric(name)
    for part in PARTS:
        before, now = getattr(one, part), getattr(two, part)
        if before != now:
            yield part
    if _scale(one) != _scale(two):
        yield "scale"


def _scale(metric: Metric) -> tuple[object, ...]:
    """What of a scale is declared: labels that merely were not used yet are none."""
    scale = metric.scale
    return scale.kind, scale.ordered, tuple(sorted(scale.indeterminate.items()))


def _label_changes(both: Both, cells: Sequence[Cells], options: CompareOptions) -> Iterator[LabelChange]:
    for one in cells:
        used = one.people_old.any(axis=1) & one.people_new.any(axis=1)
        if one.metric not in both.metrics or not used.any() or (one.people_old == one.people_new)[used].all():
            continue
        scoring = Scoring.of(both.old.metric(one.metric))
        difference = scoring.mean(one.people_new, one.labels) - scoring.mean(one.people_old, one.labels)
        known = used & np.isfinite(difference)
        change = undefined("no_labels")
        if known.any():
            change = clustered_mean(difference[known], cluster=both.cluster[known], level=options.level)
        yield LabelChange(one.metric, int(known.sum()), scoring.name, change)
