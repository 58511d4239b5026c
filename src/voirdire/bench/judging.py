"""What a benchmark asks a judge: each conversation on its own metric, blind to all but what was said."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from voirdire.bench.study import SILENT, opportunity_of
from voirdire.bench.suite import Bench
from voirdire.errors import UserError
from voirdire.judges.judge import Judge
from voirdire.judges.planning import Plan, whole_plan
from voirdire.study.study import Study

__all__ = ["BLIND", "UNJUDGED", "judging_plan"]

BLIND = "the behaviour described here"
"""What every metric is called before a judge: names and titles may tell what is wanted."""
UNJUDGED = (SILENT, "error")
"""Ends of conversations that no judge is asked about."""
TRANSCRIPT = "transcript"


def judging_plan(
    bench: Bench, study: Study, judge: Judge, *, runs: int = 1, unreviewed: bool = False
) -> Plan:
    """Every verdict that the benchmark asks of ``judge``: on each conversation's own metric and occasion.

    ``study`` is that of :func:`~voirdire.bench.study.study_of`; ``runs`` repeats the verdict on the same
    transcript. The judge sees the transcript and the scoring: no polarity, title, metric's name, variant,
    persona or script. A conversation without a reply of the system, or that ended in an error, is not judged.
    Metrics whose version no review passed are left out, unless ``unreviewed``. What makes a verdict new is
    all that goes into it: an edited rubric asks anew for its own conversations, and for no others.
    """
    config = judge.config
    if config.recipe and judge.recipe.takes != "one":
        raise UserError(f"recipe {config.recipe} compares", where=f"judge {judge.name}", fix="binary_rubric")
    if set(config.sees) - {TRANSCRIPT}:
        raise UserError(
            f"a benchmark's judge sees transcripts alone, not '{config.sees[0]}'",
            where=f"judge {judge.name}",
            fix="leave out sees",
        )
    judge = replace(judge, config=config.model_copy(update={"sees": (TRANSCRIPT,), "metrics": ()}))
    asked: dict[str, list[int]] = {}
    by_metric = _places(study)
    for metric in bench.metrics:
        places = by_metric.get(metric.metric)
        chosen = not config.metrics or metric.metric in config.metrics
        if places is None or not chosen or not (unreviewed or metric.reviewed):
            continue
        asked[metric.metric] = places
        if name := opportunity_of(metric):
            asked[name] = places
    if not asked:
        raise UserError(
            "no metric to judge", where=bench.config.name, fix="have metrics reviewed, or pass --unreviewed"
        )
    return whole_plan(_blind(study, asked), judge, runs=runs, metrics=tuple(asked), asked=asked)


def _places(study: Study) -> dict[str, list[int]]:
    """Positions of the conversations that can be judged, by their metric."""
    ended, metric = study.items.attributes["ended"], study.items.attributes["cluster"]
    judged = np.ones(len(study.items), dtype=np.bool_)
    for reason in UNJUDGED:
        judged &= ~ended.equals(reason)
    return {
        name: np.flatnonzero(judged & (metric.codes == code)).tolist()
        for code, name in enumerate(metric.values)
    }


def _blind(study: Study, asked: Collection[str]) -> Study:
    """The study as a judge is shown it."""
    metrics = tuple(
        replace(metric, title=BLIND, polarity="", group="") if metric.name in asked else metric
        for metric in study.metrics
    )
    return replace(study, metrics=metrics)
