"""To a labelling tool and back: every label, skip and response set is still there, whatever it is called."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import voirdire
from voirdire import ExportOptions, ToolOptions, UserError
from voirdire.opening import open as open_study
from voirdire.study import STATUSES, Study
from voirdire.writers.key import Key, read_key

TOOLS = ("label-studio", "argilla")
HOSTILE = ["</Choice><script>", "&amp;", '"quoted"', "$text", "e\u0301", "\u202eabc", "🙂", "a,b", "null", "[]", "'"]
MARK = "comment"
"""A metric's name that in a tool would be taken for a field beside another question."""

plain = st.text(st.characters(codec="utf-8", exclude_categories=["C"]), min_size=1, max_size=8)
word = st.one_of(st.sampled_from(HOSTILE), plain).filter(lambda text: text.strip() == text and "|" not in text)
name = st.one_of(st.sampled_from([MARK, "warmth__rationale", "text", "7", "007"]), word)
words = st.lists(word.filter(lambda text: not text.startswith("[")), min_size=2, max_size=4, unique=True)
points = st.just(["1", "2", "3"])
numbers = st.just([str(n / 2) if n % 2 else str(n // 2) for n in range(1, 13)])


@st.composite
def studies(draw: st.DrawFn) -> dict[str, list[Any]]:
    """A table of two metrics with skips, response sets, reasons and runs; the first rater uses every label."""
    metrics = draw(st.lists(name, min_size=2, max_size=2, unique=True))
    scales = {metric: draw(st.one_of(words, points, numbers)) for metric in metrics}
    sets = {metric: draw(st.booleans()) for metric in metrics}
    people = draw(st.lists(name, min_size=1, max_size=3, unique=True))
    rows = [
        (f"base {at}", metric, people[0], label, None, "0")
        for metric, labels in scales.items()
        for at, label in enumerate(labels)
    ]
    for item in draw(st.lists(word, min_size=1, max_size=3, unique=True)):
        for metric in metrics:
            for person in draw(st.lists(st.sampled_from(people), unique=True)):
                labels = st.one_of(st.none(), st.sampled_from(scales[metric]))
                several = st.lists(st.sampled_from(scales[metric]), min_size=2, max_size=2, unique=True)
                label = draw(st.one_of(labels, several) if sets[metric] else labels)
                rows.append((item, metric, person, label, draw(st.one_of(st.none(), word)), "0"))
    names = ("item_id", "metric", "rater_id", "label", "rationale", "run")
    return {column: [row[at] for row in rows] for at, column in enumerate(names)}


def said(study: Study) -> Counter[tuple[Any, ...]]:
    """Every rating that a person gave, by names; a missing reason is None."""
    ratings = study.ratings
    reasons = ratings.attributes.get("rationale")
    found: Counter[tuple[Any, ...]] = Counter()
    for row in range(len(ratings)):
        rater = study.raters[ratings.rater[row]]
        metric = study.metrics[ratings.metric[row]]
        code = int(ratings.label[row])
        label = frozenset(metric.scale.members(metric.scale.labels[code])) if code >= 0 else None
        item = study.items.ids[ratings.item[row]]
        if rater.kind == "human":
            reason = reasons[row] if reasons is not None else None
            found[item, metric.name, rater.id, label, STATUSES[ratings.status[row]], reason] += 1
    return found


def target(folder: Path, tool: str) -> Path:
    return folder / ("tasks.json" if tool == "label-studio" else "dataset")


def there_and_back(study: Study, folder: Path, tool: str, **more: Any) -> Study:
    path = target(folder, tool)
    voirdire.export(study, path, ExportOptions(to=tool, tool=ToolOptions(**more)))
    key = path.with_suffix(".key")
    back = open_study(path)
    return read_key(key).restore(back) if key.exists() else back


@pytest.mark.parametrize("tool", TOOLS)
@settings(max_examples=50, deadline=None)
@given(table=studies())
def test_a_round_trip_keeps_every_rating(
    tmp_path_factory: pytest.TempPathFactory, tool: str, table: dict[str, list[Any]]
) -> None:
    study = open_study(table)
    assert said(there_and_back(study, tmp_path_factory.mktemp("tool"), tool)) == said(study)
