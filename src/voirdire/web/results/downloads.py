"""Downloads: figures, outcomes, verdicts and transcripts as files, written some conversations at a time."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import yaml

from voirdire.bench.outcomes import LACKING, MISSING, Codes, Signs
from voirdire.bench.template import MetricTemplate
from voirdire.study.column import Column
from voirdire.web.results import addresses
from voirdire.web.results.evidence import Evidence, Told
from voirdire.web.results.shown import Shown
from voirdire.writers.columns import Table
from voirdire.writers.formats import write_table

__all__ = [
    "FIGURES",
    "TRANSCRIPTS",
    "Download",
    "downloads",
    "figures",
    "metric_file",
    "metric_files",
    "outcomes",
    "transcripts",
]

FIGURES = "data/results.json"
OUTCOMES = ("data/outcomes.csv", "data/outcomes.parquet")
TRANSCRIPTS = ("data/transcripts.jsonl", "data/verdicts.jsonl")
AT_A_TIME = 200


@dataclass(frozen=True)
class Download:
    """A file and what it holds, in words."""

    path: str
    what: str


def downloads(shown: Shown) -> Iterator[Download]:
    """Every file but the metrics'."""
    yield Download(FIGURES, "Every figure with its interval, as JSON that follows the published schema")
    for path in OUTCOMES:
        yield Download(
            path, "One row a conversation: metric, scenario, variant, system, verdict, pass, why missing"
        )
    if shown.kept is not None:
        yield Download(TRANSCRIPTS[0], "Every transcript with its scripted moves, end and simulator audit")
        yield Download(
            TRANSCRIPTS[1], "Every verdict that counts, with rationale, quotes, hash, finish and tokens"
        )


def figures(shown: Shown) -> bytes:
    """The results as JSON."""
    document = shown.results.to_dict()
    return f"{json.dumps(document, ensure_ascii=False, allow_nan=False)}\n".encode()


def outcomes(shown: Shown, path: str) -> bytes:
    """One row a conversation, in the format of the suffix of ``path``."""
    with tempfile.TemporaryDirectory() as folder:
        return write_table(_table(shown), Path(folder) / f"outcomes{Path(path).suffix}").read_bytes()


def _table(shown: Shown) -> Table:
    found = shown.results.outcomes
    metrics = found.metrics

    def coded(codes: Codes, values: Sequence[str]) -> Column:
        return Column(codes.astype(np.int32), tuple(values))

    columns = {
        "conversation": Column.of(found.ids) if found.ids else Column.missing(len(found)),
        "metric": coded(found.metric, [metric.name for metric in metrics]),
        "metric_version": Column.of([metric.version for metric in metrics]).take(found.metric),
        "polarity": Column.of([str(metric.polarity) for metric in metrics]).take(found.metric),
        "benchmark": Column.of([metric.benchmark for metric in metrics]).take(found.metric),
        "subarea": Column.of([metric.subarea for metric in metrics]).take(found.metric),
        "area": Column.of([metric.area for metric in metrics]).take(found.metric),
        "scenario": coded(found.scenario, found.scenarios),
        "variant": coded(found.variant, found.variants),
        "system": coded(found.system, found.systems),
        "present": _signs(found.present),
        "passed": _signs(shown.passed),
        "opportunity": _signs(found.opportunity),
        "simulator_failed": _signs(found.faulty.astype(np.int8)),
        "missing_because": Column(found.lacking.astype(np.int32) - 1, LACKING[1:]),
    }
    return Table(columns, {"repeat": found.repeat.astype(np.int64)})


def _signs(signs: Signs) -> Column:
    """1 and 0 as true and false, nothing where missing."""
    return Column(np.where(signs == MISSING, -1, signs).astype(np.int32), ("false", "true"))


def transcripts(shown: Shown, evidence: Evidence, path: str) -> Iterator[bytes]:
    """A line a conversation, or a line a verdict, metric by metric."""
    found = shown.results.outcomes
    for code, metric in enumerate(found.metrics):
        ids = iter([found.ids[row] for row in shown.rows(code).tolist()])
        while chunk := list(islice(ids, AT_A_TIME)):
            for told in evidence.told(metric.name, chunk):
                for line in _held(told) if path == TRANSCRIPTS[0] else _given(told, metric.name):
                    yield f"{json.dumps(line, ensure_ascii=False)}\n".encode()


def _held(told: Told) -> Iterator[dict[str, object]]:
    one = asdict(told.conversation)
    yield {**one, "transcript_hash": told.conversation.transcript_hash}


def _given(told: Told, metric: str) -> Iterator[dict[str, object]]:
    every = [(metric, verdict) for verdict in told.verdicts]
    if told.occasion is not None:
        every.append((f"{metric}, occasion", told.occasion))
    for asked, verdict in every:
        yield {"conversation": told.conversation.id, "metric": asked, **asdict(verdict)}


def metric_files(shown: Shown) -> Iterator[tuple[str, MetricTemplate]]:
    """The address of each metric's file, and the metric as it was run."""
    for metric in shown.kept.bench.metrics if shown.kept else ():
        yield f"data/metrics/{addresses.slug(metric.metric)}.yaml", metric


def metric_file(metric: MetricTemplate) -> bytes:
    """The metric as a YAML file that a benchmark's folder can hold again."""
    document = metric.model_dump(mode="json", by_alias=True)
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=100).encode()
