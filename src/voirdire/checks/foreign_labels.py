"""Labels that a judge gives and no person does: on those items it can agree with nobody."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from voirdire.checks.context import Context
from voirdire.checks.finding import Action
from voirdire.checks.panels import values_of
from voirdire.checks.stand_in_cases import Case
from voirdire.checks.words import count, listing, share

__all__ = ["foreign_actions", "foreign_labels"]

SHARE = 0.05
"""Below this share of a judge's verdicts its own labels are not worth a sentence."""
NARROW = 0.25
"""A judge whose values span less than this part of the people's seems to use another scale."""
MOST = 3


@dataclass(frozen=True)
class _Foreign:
    """Verdicts ``n`` of ``total`` with labels that no person gave; ``spelling`` where it looks like one."""

    judge: str
    metric: str
    labels: tuple[str, ...]
    n: int
    total: int
    spelling: bool


def foreign_labels(context: Context, every: Sequence[Case]) -> Iterator[str]:
    """A sentence for each judge and metric where words, or the span of numbers, are not the people's."""
    for one in list(_foreign(context, every))[:MOST]:
        shown = listing([f"'{label}'" for label in one.labels], most=3)
        yield (
            f"{one.judge} gives {shown} on {share(one.n, one.total)} of its verdicts on {one.metric}, and no "
            "person does: there it agrees with nobody, unless the labels are mapped."
        )
    yield from list(_other_spans(context, every))[:MOST]


def foreign_actions(context: Context, every: Sequence[Case]) -> Iterator[Action]:
    """What to do where the judge's labels look like other spellings of the people's."""
    for one in list(_foreign(context, every))[:MOST]:
        if one.spelling:
            shown = listing([f"'{label}'" for label in one.labels], most=3)
            yield Action(
                f"Say what {one.judge} means by {shown} on {one.metric}",
                "No person gives these labels. Where they are other spellings, `normalise` or `map` in "
                "study.yaml makes them one.",
                "0 labels",
                gain=100.0,
            )


def _foreign(context: Context, every: Sequence[Case]) -> Iterator[_Foreign]:
    for one in every:
        metric = context.study.metric(one.metric)
        if metric.scale.kind in ("ordinal", "numeric"):
            continue
        policy = context.policies(one.metric)[0]
        people, verdicts = context.people(one.metric, policy), context.verdicts(one.metric, one.judge, policy)
        given = np.bincount(people.coded.label, minlength=people.coded.q)
        said = np.bincount(verdicts.codes[verdicts.given], minlength=people.coded.q)
        codes = np.flatnonzero((given == 0) & (said > 0))
        n, total = int(said[codes].sum()), int(said.sum())
        if total and n >= SHARE * total:
            labels = tuple(people.scale.labels[code] for code in codes)
            theirs = {people.scale.labels[code].strip().casefold() for code in np.flatnonzero(given)}
            alike = any(label.strip().casefold() in theirs for label in labels)
            judge = context.study.raters[one.judge].id
            yield _Foreign(judge, metric.label, labels, n, total, alike or n == total)


def _other_spans(context: Context, every: Sequence[Case]) -> Iterator[str]:
    """Numbers whose spans differ so much that the two sides seem to have used different scales."""
    for one in every:
        metric = context.study.metric(one.metric)
        values = values_of(metric.scale)
        if metric.scale.kind not in ("ordinal", "numeric") or metric.scale.values is None or values is None:
            continue
        people, verdicts = context.people(one.metric), context.verdicts(one.metric, one.judge)
        theirs, its = values[people.coded.label], values[verdicts.codes[verdicts.given]]
        if not len(its) or not 0 < np.ptp(its) < NARROW * np.ptp(theirs):
            continue
        yield (
            f"On {metric.label} {context.study.raters[one.judge].id} uses {its.min():g} to {its.max():g} and "
            f"people {theirs.min():g} to {theirs.max():g}, in {count(len(its), 'verdict')}: is it one scale?"
        )
