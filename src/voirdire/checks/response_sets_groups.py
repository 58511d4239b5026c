"""Metrics whose judges are compared together under both targets, and what pairs tell of forced choices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voirdire.align.set_choice import JudgeChoice, judge_choice
from voirdire.align.set_matrices import PAIRS_ADVISED, SetMatrices, paired_labels, set_matrices
from voirdire.align.set_sensitivity import SetSensitivity, set_sensitivity
from voirdire.align.set_table import SetTable
from voirdire.checks.context import Context
from voirdire.checks.judges import judged_metrics
from voirdire.checks.words import count, listing

__all__ = ["TAU", "Group", "groups_of"]

TAU = 0.5
"""A verdict is accepted where more than this share of people accept it."""
FEW_RESAMPLES = 400
"""Resamples where a study has too many items for more."""


@dataclass(frozen=True, eq=False)
class Group:
    """Metrics of one set of verdicts: their rows, the comparison on all, and on each of several.

    ``matrices`` are learned from pairs that the study declares, ``lacking`` says how many more they need.
    ``named_only`` marks metrics that asked for one verdict: what people accept is read off ``matrices``.
    ``sensitivity`` is there where people gave no set and no pairs tell what they accept.
    """

    name: str
    table: SetTable
    choice: JudgeChoice
    alone: tuple[tuple[str, JudgeChoice], ...] = ()
    sensitivity: tuple[SetSensitivity, ...] = ()
    matrices: SetMatrices | None = None
    lacking: str = ""
    named_only: bool = False

    @property
    def metric(self) -> str:
        """The metric that the group is, or '' for several."""
        return self.choice.metrics[0] if len(self.choice.metrics) == 1 else ""


def groups_of(context: Context) -> Iterator[Group]:
    """Every group in which somebody gave, or pairs tell of, a label that admits several verdicts."""
    asked = {metric.forced for metric in context.study.metrics if metric.forced}
    alike: dict[tuple[frozenset[str], bool], list[str]] = {}
    for name in judged_metrics(context):
        verdicts = frozenset(context.study.metric(name).scale.verdicts)
        alike.setdefault((verdicts, name in asked), []).append(name)
    for (_, named_only), names in alike.items():
        for metrics in _compatible(context, names):
            table = SetTable.of(context.study, metrics)
            matrices, lacking = _matrices(context, metrics)
            sets = _several_accepted(table) or (named_only and matrices is not None)
            if sets and len(table.common()):
                yield _group(context, table, matrices, lacking, named_only=named_only)


def _compatible(context: Context, names: Sequence[str]) -> list[list[str]]:
    """The metrics in groups within which no label admits different verdicts."""
    groups: list[tuple[dict[str, frozenset[str]], list[str]]] = []
    for name in names:
        scale = context.study.metric(name).scale
        admits = {label: scale.members(label) for label in scale.labels}
        home = next((g for g in groups if all(g[0].get(k, v) == v for k, v in admits.items())), None)
        if home is None:
            groups.append((admits, [name]))
        else:
            home[0].update(admits)
            home[1].append(name)
    return [metrics for _, metrics in groups]


def _several_accepted(table: SetTable) -> bool:
    """Whether anybody gave a label that admits more than one verdict."""
    wide = np.array([len(table.scale.members(label)) > 1 for label in table.scale.labels])
    return bool(table.counts[:, wide].any() or table.verdicts[:, :, wide].any())


def _matrices(context: Context, metrics: Sequence[str]) -> tuple[SetMatrices | None, str]:
    """How sets and forced choices go together on the pairs declared of ``metrics``, or what is lacking."""
    declared = {metric.name: metric.forced for metric in context.study.metrics if metric.forced}
    pairs = {sets: one for sets, one in declared.items() if sets in metrics or one in metrics}
    if not pairs:
        return None, ""
    found = paired_labels(context.study, pairs)
    if len(found) < PAIRS_ADVISED:
        return None, (
            f"{count(PAIRS_ADVISED - len(found), 'more pair')} of a set and a forced choice by one person on "
            f"one item of {listing(list(pairs))}: {len(found):,} are too few to learn who names what"
        )
    options = context.options
    learned = set_matrices(
        found, level=options.level, resamples=options.resamples, rng=context.rng("set_matrices")
    )
    return learned, ""


def _group(
    context: Context, table: SetTable, matrices: SetMatrices | None, lacking: str, *, named_only: bool
) -> Group:
    several = len(table.metrics) > 1 and len(table.common().judges) > 1
    parts = [(name, _rows_of(table, k)) for k, name in enumerate(table.metrics if several else ())]
    labels = [context.study.metric(name).label for name in table.metrics]
    pooled = f"{count(len(labels), 'metric')} with {listing(table.scale.verdicts)}"
    unknown = not table.people_give_sets and matrices is None and len(table.common().judges) > 1
    return Group(
        labels[0] if len(labels) == 1 else pooled,
        table,
        _compare(context, table, matrices, named_only),
        tuple(
            (name, _compare(context, part, matrices, named_only))
            for name, part in parts
            if len(part.common().judges) > 1
        ),
        set_sensitivity(table) if unknown else (),
        matrices,
        lacking,
        named_only,
    )


def _rows_of(table: SetTable, metric: int) -> SetTable:
    rows: NDArray[np.bool_] = table.metric == metric
    return table.take(rows)


def _compare(
    context: Context, table: SetTable, matrices: SetMatrices | None, named_only: bool
) -> JudgeChoice:
    return judge_choice(
        table,
        tau=TAU,
        forced=matrices.forced_choice(table.scale) if matrices is not None and not named_only else None,
        accepted=matrices.accepted(table.scale) if matrices is not None and named_only else None,
        level=context.options.level,
        resamples=context.resamples(len(table)) or FEW_RESAMPLES,
        rng=context.rng("response_sets"),
    )
