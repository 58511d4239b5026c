"""study.yaml as a commented draft: what the files show, what their owner answered, and what is still open."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import chain

import yaml

from voirdire.registry import register
from voirdire.study.config import TableConfig
from voirdire.study.metric import Metric
from voirdire.study.scale import Scale
from voirdire.study.study import Study
from voirdire.writers.questions import (
    CLUSTERS,
    JUDGES,
    admits_key,
    order_key,
    scale_groups,
    seemingly_undecided,
)

__all__ = ["bare_declaration", "declaration"]

PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*( [A-Za-z0-9_./-]+)*")
MOST_COLUMNS = 40
MOST_METRICS = 40
MOST_RATERS = 60
Answers = Mapping[str, Sequence[str]]


@register("writer", "study.yaml")
def declaration(study: Study, tables: Sequence[TableConfig], answers: Answers) -> str:
    """The text of study.yaml for ``study``, read from ``tables``, with the ``answers`` to its open questions.

    The text loads as it is; what nobody knows yet stands in comments.
    """
    parts = [
        ["# What the files of this study cannot say about themselves. Lines with # are suggestions."],
        [f"name: {scalar(study.name)}", "# design: how the items were chosen for rating", *_assumed(study)],
        _tables(tables),
        _metrics(study, answers),
        _raters(study, answers),
        _clusters(answers),
        [f"slices: {listed(study.slice_by)}"],
        [
            "# What else can be declared: missing: [NA, '-'], normalise: [trim, case, nfc],",
            "# on_duplicate: first, population: {metrics: 809, items: 48540}.",
        ],
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def bare_declaration(name: str, tables: Mapping[str, Sequence[str]], why: str) -> str:
    """The text of a study.yaml that only lists ``tables``, the columns of each file, where more is not clear.

    ``why`` is what kept the files from being read together.
    """
    lines = [
        f"# {' '.join(why.split())}",
        "# Say of each file what a row is and what its columns mean.",
        "",
    ]
    lines += [f"name: {scalar(name)}", "", "tables:"]
    for file, columns in tables.items():
        shown = ", ".join(" ".join(column.split()) for column in columns[:MOST_COLUMNS])
        lines += [
            f"  - file: {scalar(file)}",
            f"    # its columns: {shown}{', ...' if len(columns) > MOST_COLUMNS else ''}",
            "    kind: ratings      # or items, or reviews",
            "    # columns: {item_id: ..., metric: ..., rater_id: ..., label: ...}",
            "    # item_from: [...]      # columns that together name the item",
            "    # set: {rater_id: ..., rater_kind: judge}      # what every row of the file shares",
        ]
    return "\n".join(lines) + "\n"


def scalar(text: str) -> str:
    """``text`` as one YAML scalar, quoted unless it is a plain word.

    >>> scalar("pass"), scalar("-0.5"), scalar("a: b")
    ('pass', '"-0.5"', '"a: b"')
    """
    if PLAIN.fullmatch(text):
        return text
    return yaml.safe_dump(text, default_style='"', allow_unicode=True, width=2**31).rstrip("\n")


def listed(texts: Sequence[str]) -> str:
    """``texts`` as one YAML list on a line."""
    return f"[{', '.join(map(scalar, texts))}]"


def _mapped(texts: Mapping[str, str]) -> str:
    return f"{{{', '.join(f'{scalar(key)}: {scalar(value)}' for key, value in texts.items())}}}"


def _assumed(study: Study) -> list[str]:
    if not study.assumptions:
        return []
    return ["#", "# Read so far as:", *(f"#   {' '.join(note.split())}" for note in study.assumptions)]


def _tables(tables: Sequence[TableConfig]) -> list[str]:
    lines = ["tables:"]
    for table in tables:
        lines.append(f"  - file: {scalar(table.file)}")
        lines += [f"    kind: {table.kind}"] if table.kind != "ratings" else []
        lines += [f"    layout: {table.layout}"] if table.layout else []
        lines += [f"    raters: {listed(table.raters)}"] if table.raters else []
        lines += [f"    metrics: {listed(table.metrics)}"] if table.metrics else []
        lines += [f"    columns: {_mapped(table.columns)}"] if table.columns else []
        lines += [f"    item_from: {listed(table.item_from)}"] if table.item_from else []
        lines += [f"    missing: {listed(table.missing)}"] if table.missing is not None else []
        lines += [f"    set: {_mapped(table.set)}"] if table.set else []
    return lines


def _metrics(study: Study, answers: Answers) -> list[str]:
    groups = scale_groups(study)
    lines = ["metrics:"]
    for at, (scale, metrics) in enumerate(groups):
        common = at == 0 and (len(groups) == 1 or len(metrics) > MOST_METRICS)
        named = [scalar(metric.name) for metric in metrics]
        if common:
            lines += [f"  # {line}" for line in _wrapped(named)] if len(named) > 1 else []
            lines += ['  "*":' if len(named) > 1 else f"  {named[0]}:", *_metric(scale, metrics, answers)]
        else:
            lines += chain.from_iterable([f"  {name}:", *_metric(scale, metrics, answers)] for name in named)
    return lines


def _metric(scale: Scale, metrics: tuple[Metric, ...], answers: Answers) -> list[str]:
    order = answers.get(order_key(metrics), ())
    labels = tuple(order) or scale.labels
    admits = answers.get(admits_key(metrics), ())
    kind = "ordinal" if order else scale.kind
    lines = ["    # title: what a reader sees", "    # rubric: the written criterion that raters were given"]
    lines += ["    # polarity: positive or negative", "    scale:", f"      kind: {kind}"]
    if scale.kind == "numeric":
        low, high = scale.labels[0], scale.labels[-1]
        return [*lines, f"      # low: {low}", f"      # high: {high}     # labels outside are invalid"]
    settled = scale.ordered or order or len(labels) < 3 or scale.kind == "pairwise"
    wording = "" if settled else "      # in order, if they have one"
    lines.append(f"      labels: {listed(labels)}{wording}")
    return [*lines, *_indeterminate(scale, labels, admits)]


def _indeterminate(scale: Scale, labels: Sequence[str], admits: Sequence[str]) -> list[str]:
    """Which labels admit several verdicts: as answered, else as a suggestion in a comment."""
    mark = "" if admits else "# "
    named = admits or seemingly_undecided(scale)
    verdicts = [label for label in labels if label not in named]
    if not named or len(verdicts) < 2:
        return []
    admitted = ", ".join(f"{scalar(label)}: {listed(verdicts)}" for label in named)
    lines = [] if admits else ["      # Labels that admit several verdicts, and the verdicts they admit:"]
    return [
        *lines,
        f"      {mark}indeterminate: {{{admitted}}}",
        f"    # policy: as {verdicts[-1]}      # how such labels are counted; or kept apart, left out",
    ]


def _raters(study: Study, answers: Answers) -> list[str]:
    judges = answers.get(JUDGES)
    chosen = {rater.id for rater in study.raters if rater.kind == "judge"} if judges is None else set(judges)
    lines = ["raters:"]
    people = [rater for rater in study.raters if rater.id not in chosen]
    for rater in study.raters:
        if rater.id in chosen:
            lines.append(f"  {scalar(rater.id)}: {{kind: judge}}      # model: ..., family: ...")
    shown = people if len(people) <= MOST_RATERS else people[:1]
    for rater in shown:
        kind = "human" if rater.kind == "judge" else rater.kind
        lines.append(f"  {scalar(rater.id)}: {{kind: {kind}}}      # expertise: ...")
    lines += (
        [f"  # ... and {len(people) - 1:,} more, people unless the file says otherwise"]
        if len(shown) < len(people)
        else []
    )
    return lines


def _clusters(answers: Answers) -> list[str]:
    chosen = answers.get(CLUSTERS, ())
    note = "# Items that share a prompt or a source are not independent: name the attribute they share."
    return [note, f"clusters: {listed(chosen)}" if chosen else "# clusters: [prompt_id]"]


def _wrapped(names: Sequence[str]) -> list[str]:
    shown = ", ".join(names[:10]) + (f", ... ({len(names):,} metrics)" if len(names) > 10 else "")
    return [f"Shared by {shown}"]
