"""A benchmark's conversations as a study, so that judging, review, audit and rates work on it unchanged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from voirdire.bench.conversation import Conversation
from voirdire.bench.simulator_audit import simulator_failed
from voirdire.bench.suite import Bench
from voirdire.bench.template import MetricTemplate
from voirdire.errors import UserError
from voirdire.study.build import build
from voirdire.study.column import Column
from voirdire.study.config import MetricConfig, ScaleConfig, StudyConfig, TableConfig
from voirdire.study.parts import part_name
from voirdire.study.ratings import Source
from voirdire.study.raw import RawTable
from voirdire.study.study import Study

__all__ = [
    "FAILED",
    "LABELS",
    "OPPORTUNITY",
    "SILENT",
    "declared",
    "opportunity_of",
    "study_of",
    "study_tables",
]

LABELS = ("absent", "present")
OPPORTUNITY = "opportunity"
"""The part of a metric on which a judge says whether there was an occasion at all."""
SILENT = "no turn"
"""How a conversation ended in which the system said nothing."""
FAILED = "failed"
OCCASION = "Present where this happened in the conversation, absent where it did not: {}"
COLUMNS = (
    "item_id",
    "system",
    "family",
    "scenario",
    "variant",
    "conversation_repeat",
    "cluster",
    "variant_of",
    "ended",
    "simulator",
    "transcript",
)


def study_of(bench: Bench, conversations: Iterable[Conversation]) -> Study:
    """The study of ``conversations``: an item each, the benchmark's metrics, and no label yet.

    An item is named by its conversation and carries ``system``, ``family``, ``scenario``, ``variant``, every
    axis of variants, ``conversation_repeat``, ``cluster`` (its metric), ``variant_of`` (what matched
    variants share), ``ended`` and ``simulator`` (ok or failed). Conversations of metrics that ``bench``
    lacks, or of cases that were edited since, are left out. Two conversations in one place are a user's
    error.
    """
    table, config = study_tables(bench, conversations)
    return build([(table, TableConfig(file=table.name, kind="items"))], config, name=bench.config.name)


def study_tables(bench: Bench, conversations: Iterable[Conversation]) -> tuple[RawTable, StudyConfig]:
    """The items' table and what is declared of the study, to read together with labels and verdicts."""
    taken = sorted(set(bench.config.axes) & {*COLUMNS, "text", "label", "metric", "rater_id", "run"})
    if taken:
        raise UserError(f"an axis is called '{taken[0]}'", where="bench.yaml", fix="give it another name")
    axes = {variant.name: dict(variant.values) for variant in bench.variants}
    names = (*COLUMNS, *bench.config.axes)
    rows: list[list[str]] = [[] for _ in names]
    for conversation in _current(bench, conversations):
        cells = (*_cells(conversation), *axes[conversation.variant].values())
        for column, cell in zip(rows, cells, strict=True):
            column.append(cell)
    columns: dict[str, Column] = {}
    for name in names:
        columns[name] = Column.of(rows.pop(0))
    if not len(columns["item_id"]):
        raise UserError("no conversation is there yet", where=bench.config.name, fix="voirdire bench run")
    number = np.arange(1, len(columns["item_id"]) + 1)
    return RawTable(Source("conversations"), columns, number, text=False), declared(bench)


def opportunity_of(metric: MetricTemplate) -> str:
    """The name of the metric's part on its occasion, empty where the metric does not ask.

    >>> opportunity_of.__name__
    'opportunity_of'
    """
    return part_name(metric.metric, OPPORTUNITY) if metric.scoring.opportunity else ""


def _current(bench: Bench, conversations: Iterable[Conversation]) -> Iterator[Conversation]:
    """Those that the benchmark would hold as they were held, each place taken once."""
    cases = {case.hash for case in bench.cases(unreviewed=True)}
    seen: set[tuple[str, str, int]] = set()
    for conversation in conversations:
        if conversation.case_hash not in cases:
            continue
        place = conversation.case_hash, conversation.system, conversation.repeat
        if place in seen:
            raise UserError(
                f"system '{conversation.system}' or the user was changed, and both versions are kept",
                where=f"metric {conversation.metric}, scenario {conversation.scenario}",
                fix="name the run whose conversations are meant",
            )
        seen.add(place)
        yield conversation


def _cells(conversation: Conversation) -> tuple[str, ...]:
    silent = not any(turn.reply for turn in conversation.spoken)
    ended = SILENT if silent and conversation.ended != "error" else conversation.ended
    return (
        conversation.id,
        conversation.system,
        conversation.family,
        conversation.scenario,
        conversation.variant,
        str(conversation.repeat),
        conversation.metric,
        f"{conversation.metric}/{conversation.scenario}",
        ended,
        FAILED if simulator_failed(conversation.audit) else "ok",
        conversation.transcript,
    )


def declared(bench: Bench) -> StudyConfig:
    """What a study of the benchmark's conversations declares: its metrics, and on their occasions."""
    metrics: dict[str, MetricConfig] = {}
    for metric in bench.metrics:
        scoring, scale = metric.scoring, ScaleConfig(kind="binary", labels=list(LABELS))
        metrics[metric.metric] = MetricConfig(
            title=metric.title,
            scale=scale,
            polarity=metric.polarity,
            rubric=scoring.question,
            present=list(scoring.present),
            absent=list(scoring.absent),
            group=metric.benchmark,
        )
        if name := opportunity_of(metric):
            metrics[name] = MetricConfig(
                title=f"{metric.title}: was there an occasion?",
                scale=scale,
                rubric=OCCASION.format(scoring.opportunity),
                group=metric.benchmark,
            )
    return StudyConfig(
        name=bench.config.name,
        demo=bench.config.demo,
        unrated=True,
        metrics=metrics,
        slices=["system", *bench.config.axes],
    )
