"""Label Studio's labeling interface for a study: what raters see, and one control a metric."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Collection, Mapping

from voirdire.errors import UserError
from voirdire.study.metric import Metric
from voirdire.writers.answered import as_numbers, choices_of, criterion_of, takes_sets

__all__ = ["control_of", "labeling_config", "object_names"]

UNWRITABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot hold, escaped or not."""
VARIABLE = re.compile(r"\$(?=\w)")
WORD_JOINER = "\u2060"
FEWEST_STARS, MOST_STARS = 2, 10


def labeling_config(
    metrics: Collection[Metric], shown: Mapping[str, bool], remarks: Collection[tuple[str, str]]
) -> str:
    """The interface as XML: the columns ``shown`` (true for transcripts), and a control for each metric.

    Labels that admit several verdicts stand apart from the verdicts. ``remarks`` are the metrics and columns
    of remarks that get a field of their own. A label with characters that XML cannot hold is a user's error.
    """
    view = ET.Element("View")
    names = object_names(shown)
    for column, is_transcript in shown.items():
        _add(view, "Header", value=_plain(column), size="5")
        if is_transcript:
            dialogue = {"layout": "dialogue", "nameKey": "role", "textKey": "content"}
            _add(view, "Paragraphs", name=names[column], value=f"${column}", **dialogue)
        else:
            _add(view, "Text", name=names[column], value=f"${column}")
    target = next(iter(names.values()))
    for metric in metrics:
        part = _add(view, "View", style="margin-top: 2em")
        _add(part, "Header", value=_plain(metric.label), size="4")
        for line in criterion_of(metric).splitlines():
            _add(part, "Header", value=_plain(line), size="6")
        _control(part, metric, target)
        for name, column in remarks:
            if name == metric.name:
                _add(part, "TextArea", name=f"{name}__{column}", toName=target, placeholder=column, rows="2")
    ET.indent(view)
    return ET.tostring(view, encoding="unicode") + "\n"


def object_names(shown: Collection[str]) -> dict[str, str]:
    """What the tag that shows a column is called."""
    return {column: f"shown_{number}" for number, column in enumerate(shown, start=1)}


def control_of(metric: Metric) -> str:
    """The type of the control that asks for ``metric``: choices, rating or number."""
    numbers = as_numbers(metric)
    if numbers is not None and metric.scale.kind == "numeric":
        return "number"
    stars = list(range(1, len(numbers or ()) + 1))
    return "rating" if numbers == stars and FEWEST_STARS <= len(stars) <= MOST_STARS else "choices"


def _control(part: ET.Element, metric: Metric, target: str) -> None:
    kind = control_of(metric)
    if kind == "number":
        _add(part, "Number", name=metric.name, toName=target)
        return
    if kind == "rating":
        _add(part, "Rating", name=metric.name, toName=target, maxRating=str(len(metric.scale.labels)))
        return
    verdicts, undecided = choices_of(metric)
    choice = "multiple" if takes_sets(metric) else "single"
    choices = _add(part, "Choices", name=metric.name, toName=target, choice=choice, showInline="true")
    for label in verdicts:
        _choice(choices, label, metric)
    if undecided:
        apart = _add(choices, "View")
        _add(apart, "Header", value="Undecided", size="6")
        for label, admitted in undecided.items():
            hint = {"hint": _plain(f"admits {' or '.join(admitted)}")} if admitted else {}
            _choice(apart, label, metric, **hint)


def _choice(parent: ET.Element, label: str, metric: Metric, **more: str) -> None:
    if UNWRITABLE.search(label):
        raise UserError(
            f"label {label!r} has characters that XML cannot hold",
            where=f"metric '{metric.name}'",
            fix="map it to another label in study.yaml",
        )
    shown = _plain(label)
    # what is shown may differ from the label; the alias is what is stored
    alias = {"alias": label} if shown != label else {}
    _add(parent, "Choice", value=shown, **alias, **more)


def _plain(text: str) -> str:
    """Text that is shown as it is: nothing that XML cannot hold, and no variable of the task.

    Label Studio puts the task's data in place of a dollar and the word after it, wherever they stand.
    """
    return VARIABLE.sub(f"${WORD_JOINER}", UNWRITABLE.sub("\ufffd", text))


def _add(parent: ET.Element, tag: str, **attributes: str) -> ET.Element:
    return ET.SubElement(parent, tag, attributes)
