"""How far people agree on what a part of a benchmark asks, for label cards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from voirdire.bench.outcomes import Codes, Rated, Signs, passes
from voirdire.bench.study import LABELS
from voirdire.stats.coded import Coded
from voirdire.stats.engine import agreement
from voirdire.stats.estimate import Estimate, undefined
from voirdire.study.study import Study

__all__ = ["PeopleOn", "people_on"]

OTHER = 2
"""A label that is neither present nor absent, such as borderline, is a third category."""
NOTHING = undefined("no_labels")


@dataclass(frozen=True)
class PeopleOn:
    """Conversations that people labelled, their labels and raters, and Krippendorff's alpha."""

    items: int = 0
    labels: int = 0
    raters: int = 0
    alpha: Estimate = NOTHING

    @property
    def per_item(self) -> float:
        """People an item, on average; 0 without labels."""
        return self.labels / self.items if self.items else 0.0


def people_on(study: Study | None, metrics: Sequence[Rated], *, level: float = 0.95) -> PeopleOn:
    """People's labels on ``metrics`` together, as pass, fail and what is neither.

    Undefined without two people on a conversation. Alpha is nominal.

    Source: Krippendorff 2019, chapter 12.
    """
    known = {metric.name for metric in study.metrics} if study is not None else set()
    parts = [_labels(study, metric) for metric in metrics if study is not None and metric.name in known]
    if not sum(len(items) for items, _, _ in parts):
        return PeopleOn()
    item, rater, label = (np.concatenate(column) for column in zip(*parts, strict=True))
    assert study is not None, "labels come from a study"
    items, place = np.unique(item, return_inverse=True)
    raters, who = np.unique(rater, return_inverse=True)
    coded = Coded(
        place.astype(np.int32),
        who.astype(np.int32),
        label.astype(np.int32),
        len(items),
        len(raters),
        OTHER + 1,
        cluster=None,
    )
    alpha = agreement(coded, ["krippendorff_alpha"], interval="jackknife", level=level)["krippendorff_alpha"]
    return PeopleOn(len(items), coded.n_ratings, len(raters), alpha)


def _labels(study: Study, metric: Rated) -> tuple[Codes, Codes, Codes]:
    """Item, rater and pass, fail or neither of each label on ``metric``, one a person and item."""
    rows = study.rows(metric.name, kind="human")
    ratings = study.ratings
    _, first = np.unique(np.stack([ratings.item[rows], ratings.rater[rows]]), axis=1, return_index=True)
    rows = rows[first]
    names = study.metric(metric.name).scale.labels
    wanted: Signs = np.array([metric.polarity == "positive"], dtype=np.int8)
    meaning = [
        int(passes(np.array([LABELS.index(name)], dtype=np.int8), wanted)[0]) if name in LABELS else OTHER
        for name in names
    ]
    return ratings.item[rows], ratings.rater[rows], np.array(meaning, dtype=np.int32)[ratings.label[rows]]
