"""What a reader of the coverage must know: runs mixed, one-sided labels, what is not recorded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from voirdire.checks.context import Context
from voirdire.checks.words import capital, count, listing, percent
from voirdire.study.ratings import OK

__all__ = ["bewares", "gaps", "left_out", "pools_model_sets"]

FEWEST = 20
"""Labels that a part needs before the absence of a label in it says anything."""


def bewares(
    context: Context, raters: NDArray[np.intp], metric: NDArray[np.intp], item: NDArray[np.intp]
) -> Iterator[str]:
    """Sentences about model sets, labels used in one part of the items, merged rows and missing labels.

    ``raters``, ``metric`` and ``item`` (n,) describe the rated units.
    """
    yield from _model_sets(context)
    yield from _one_sided_labels(context, raters, metric, item)
    counts = context.study.counts
    if counts.get("merged_duplicates"):
        yield (
            f"{capital(count(counts['merged_duplicates'], 'row'))} repeated an identical rating and were "
            "merged."
        )
    if counts.get("missing_labels"):
        yield (
            f"{count(counts['missing_labels'], 'rating')} had no label: "
            "they are counted under their status and are never a class."
        )
    flagged = left_out(context)
    if flagged:
        yield (
            f"{count(flagged, 'label')} were given beside the judge's verdict or shown to it; agreement "
            "leaves them out."
        )


def left_out(context: Context) -> int:
    """How many labels were given beside the judge's verdict or shown to it, and are in no figure."""
    ratings = context.study.ratings
    return int(((ratings.label >= 0) & (ratings.status == OK) & ~context.study.usable).sum())


def gaps(context: Context) -> Iterator[str]:
    """What the record lacks: rubrics, clusters, sample design, fields, and either side of the comparison."""
    study = context.study
    people, judges = study.raters_of("human"), study.raters_of("judge")
    if not people:
        yield "no person's label: the judge can be described, and not compared"
    if not judges:
        yield "no judge's verdict: the people can be described, and no judge audited"
    audited = set(context.compared())
    bare = [metric.label for metric in study.metrics if metric.name in audited and not metric.rubric]
    if bare:
        which = "" if len(audited) == 1 else f" for {len(bare):,} of {count(len(audited), 'metric')}"
        yield f"rubric shown to people: not recorded{which}"
    unexplained = [
        metric.label
        for metric in study.metrics
        if metric.name in audited and metric.rubric and not (metric.present and metric.absent)
    ]
    if unexplained:
        yield f"examples of pass and fail: not recorded for {listing(unexplained, most=4)}"
    if study.items.cluster is None and len(study.items) > 1:
        yield "what items share (`clusters` in study.yaml): not declared, so each counts as drawn alone"
    if not study.design:
        yield "sample design: not recorded, so figures cannot be weighted to the population"
    rated = {int(code) for name in context.compared() for code in context.people(name).raters}
    unknown = sum(not study.raters[code].expertise for code in rated)
    if unknown:
        yield f"field: not recorded for {unknown:,} of {count(len(rated), 'person', 'people')}"


def pools_model_sets(context: Context, metrics: Sequence[str]) -> str:
    """The note of a figure that pools people's labels from several model sets, empty where there is one."""
    column = context.study.ratings.attributes.get("model_set")
    if column is None or not metrics:
        return ""
    rows = np.concatenate([context.study.rows(name, kind="human") for name in metrics])
    found = [f"'{column.values[code]}'" for code in np.unique(column.codes[rows]) if code >= 0]
    return f"pools model sets {listing(found)}" if len(found) > 1 else ""


def _model_sets(context: Context) -> Iterator[str]:
    column = context.study.ratings.attributes.get("model_set")
    if column is None or not context.compared():
        return
    # only people's labels can come from the wrong run: the judge's are the run under audit
    rows = np.concatenate([context.study.rows(name, kind="human") for name in context.compared()])
    codes = column.codes[rows]
    n = len(codes)
    named = [(value, int((codes == code).sum())) for code, value in enumerate(column.values)]
    said = [f"{found:,} of {n:,} labels come from model set '{value}'" for value, found in named if found]
    unstated = int((codes < 0).sum())
    if said:
        tail = f", {unstated:,} state no set" if unstated else ""
        yield f"{listing(said)}{tail}. A figure that pools them mixes runs of the systems, and says so."


def _one_sided_labels(
    context: Context, raters: NDArray[np.intp], metric: NDArray[np.intp], item: NDArray[np.intp]
) -> Iterator[str]:
    """Labels that people used on several-rater items and not on single-rated ones, or the reverse."""
    study, ratings = context.study, context.study.ratings
    if not (raters == 1).any() or not (raters > 1).any():
        return
    compared = np.isin(
        np.arange(len(study.metrics)), [study.metric_index(name) for name in context.compared()]
    )
    rows = np.flatnonzero(study.usable & study.is_kind("human")[ratings.rater] & compared[ratings.metric])
    unit = metric.astype(np.int64) * len(study.items) + item
    place = np.searchsorted(
        unit, ratings.metric[rows].astype(np.int64) * len(study.items) + ratings.item[rows]
    )
    single = raters[place] == 1
    for scale in dict.fromkeys(study.metric(name).scale.labels for name in context.compared()):
        mine = np.array([one.scale.labels == scale for one in study.metrics], dtype=bool)[
            ratings.metric[rows]
        ]
        several, alone = mine & ~single, mine & single
        if several.sum() < FEWEST or alone.sum() < FEWEST:
            continue
        for code, label in enumerate(scale):
            here = int((ratings.label[rows[several]] == code).sum())
            there = int((ratings.label[rows[alone]] == code).sum())
            if bool(here) != bool(there) and max(here / several.sum(), there / alone.sum()) >= 0.05:
                yield (
                    f"'{label}' is {percent(here / several.sum())} of {int(several.sum()):,} labels on items "
                    f"with several people and {percent(there / alone.sum())} of {int(alone.sum()):,} on "
                    "items with one. Check that both were offered the same scale."
                )
