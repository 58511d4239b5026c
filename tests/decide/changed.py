"""Pairs of studies for the tests of comparisons: made by chance, with what was changed known."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from voirdire.opening import open as open_study
from voirdire.study import Study

Row = dict[str, object]


def rows_of(
    items: Iterable[int],
    *,
    right: float = 0.85,
    people: tuple[str, ...] = ("ann", "bo"),
    metrics: tuple[str, ...] = ("warm",),
    judge: str = "model",
    turn: float = 0.0,
    length: float = 0.0,
    seed: int = 1,
) -> list[Row]:
    """Items with a truth fixed by their number; ``right`` is the judge's accuracy, 0 for no judge.

    People are right nine times in ten, and a share ``turn`` of their yes becomes no. The same seed gives a
    rater the same label of an item. ``length`` moves an attribute of items.
    """
    found: list[Row] = []
    for i in items:
        truth = int(np.random.default_rng([5, i]).random() < 0.5)
        for metric in metrics:
            chance = np.random.default_rng([seed, i, len(metric)])
            item: Row = {"item_id": f"i{i}", "metric": metric, "cluster": f"c{i // 2}"}
            item["length"] = round(float(np.random.default_rng([6, i]).normal() + length), 3)
            u = chance.random(8)
            for k, person in enumerate(people):
                said = truth if u[k] < 0.9 else 1 - truth
                said = 0 if said and u[k + 3] < turn else said
                found.append(
                    {**item, "rater_id": person, "rater_kind": "human", "label": ("no", "yes")[said]}
                )
            if right:
                u_judge = np.random.default_rng([9, i, len(metric)]).random()
                said = truth if u_judge < right else 1 - truth
                found.append({**item, "rater_id": judge, "rater_kind": "judge", "label": ("no", "yes")[said]})
    return found


def study_of(rows: list[Row], name: str = "study") -> Study:
    columns = {key: [row[key] for row in rows] for key in rows[0]}
    return open_study(columns)
