"""Contested items: several people, and no label that more than half of them gave."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np

from voirdire.checks.against_people import most_labels
from voirdire.checks.context import Context
from voirdire.checks.finding import Cell, Evidence, LabelCounts, Missing, Row
from voirdire.checks.panels import several
from voirdire.checks.words import listing
from voirdire.study import Panel

__all__ = ["contested", "said_by_judges"]


def contested(context: Context, most: int) -> tuple[list[Row], int]:
    """The first ``most`` contested items, most people first, and how many there are."""
    found: list[tuple[int, int, int]] = []
    panels = [
        context.people(name, context.policies(name)[0])
        for name in context.audited()
        if most_labels(context, name)
    ]
    for place, panel in enumerate(panels):
        people = panel.raters_per_item
        split = np.flatnonzero(several(panel.coded) & (2 * panel.coded.counts().max(axis=1) <= people))
        found += zip((-people[split]).tolist(), [place] * len(split), split.tolist(), strict=True)
    rows = [_row(context, panels[place], item) for _, place, item in heapq.nsmallest(most, found)]
    return rows, len(found)


def said_by_judges(context: Context, metric: str, item: int) -> Cell:
    """What the judges said of one item of the people's panel, as text."""
    policy = context.policies(metric)[0]
    judges: Sequence[int] = context.study.judges_of(metric)
    said = []
    for judge in judges:
        verdicts = context.verdicts(metric, judge, policy)
        if verdicts.given[item]:
            label = verdicts.scale.labels[int(verdicts.codes[item])]
            said.append(label if len(judges) == 1 else f"{context.study.raters[judge].id}: {label}")
    return listing(said) if said else Missing("none", "no verdict")


def _row(context: Context, panel: Panel, item: int) -> Row:
    coded = panel.coded
    counts = np.bincount(coded.label[coded.item == item], minlength=coded.q)
    top = counts.max()
    ties = [panel.scale.labels[code] for code in np.flatnonzero(counts == top)]
    name = context.study.items.ids[panel.items[item]]
    cells: dict[str, Cell] = {
        "item": name,
        "metric": panel.metric.label,
        "people": LabelCounts(
            {label: int(n) for label, n in zip(panel.scale.labels, counts, strict=True) if n}
        ),
        "judge": said_by_judges(context, panel.metric.name, item),
        "state": f"tied {int(top)}–{int(top)}: {listing(ties)}" if len(ties) > 1 else "split",
    }
    return Row(cells, Evidence(panel.metric.name, items=(name,)))
