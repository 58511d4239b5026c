"""Signing a metric: a person's check of its version, written into the metric's own file."""

from __future__ import annotations

from pathlib import Path

import yaml

from voirdire.bench.suite import read_parts
from voirdire.bench.template import MetricTemplate, Reviewed
from voirdire.errors import UserError

__all__ = ["sign_metric"]

INDENT = "  "


def sign_metric(folder: str | Path, name: str, review: Reviewed) -> Path:
    """Add ``review`` to the file of the metric called ``name`` and return that file; comments are kept.

    The review must be of the version that the file holds. A model's draft cannot be signed before a person
    has edited it and taken out ``draft: true``.
    """
    parts = read_parts(folder)
    place = next((file for file, metric in parts.metrics.items() if metric.metric == name), None)
    if place is None:
        known = ", ".join(sorted(metric.metric for metric in parts.metrics.values()))
        raise UserError(f"no metric '{name}' that can be read", where=str(folder), expected=f"one of {known}")
    metric = parts.metrics[place]
    if metric.draft:
        raise UserError("is a model's draft", where=place, fix="edit it and take out draft: true")
    if review.version != metric.version:
        raise UserError(
            f"the review is of version {review.version}", where=place, expected=f"version {metric.version}"
        )
    file = parts.folder / place
    text = file.read_text(encoding="utf-8-sig")
    signed = _signed(text, review, place)
    assert _kept(signed, metric, review), "the signed file holds the same metric and the review"
    file.write_text(signed, encoding="utf-8")
    return file


def _signed(text: str, review: Reviewed, where: str) -> str:
    """``text`` with the review as the last entry of its reviews."""
    root = yaml.compose(text, yaml.SafeLoader)
    assert isinstance(root, yaml.MappingNode)
    node = next((value for key, value in root.value if key.value == "reviews"), None)
    lines = text.splitlines()
    if node is None:
        return "\n".join([*lines, "", "reviews:", *_entry(review, INDENT), ""])
    if not isinstance(node, yaml.SequenceNode) or node.flow_style or not node.value:
        raise UserError("reviews is no list with one entry a line", where=where, fix="take out its key")
    end = node.value[-1].value[-1][1].end_mark
    after = end.line + (end.column > 0)
    return "\n".join([*lines[:after], *_entry(review, " " * node.start_mark.column), *lines[after:], ""])


def _entry(review: Reviewed, indent: str) -> list[str]:
    document = {name: value for name, value in review.model_dump().items() if value not in ("", {})}
    date = document.pop("date")
    parts = document.pop("parts", {})
    written = yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=1000).splitlines()
    written.insert(1, f"date: {date}")
    if parts:
        written.append(
            f"parts: {yaml.safe_dump(parts, sort_keys=False, default_flow_style=True, width=1000)}".strip()
        )
    return [f"{indent}{'- ' if place == 0 else '  '}{line}" for place, line in enumerate(written)]


def _kept(text: str, metric: MetricTemplate, review: Reviewed) -> bool:
    read = MetricTemplate.model_validate(yaml.safe_load(text))
    return read.version == metric.version and read.reviews[-1] == review
