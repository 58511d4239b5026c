"""Corrected rates: do intervals and ranks cover, on planted studies and on real ones with few labels?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

import voirdire
from voirdire.decide.rates_rows import ALL
from voirdire.errors import UserError
from voirdire.study.column import Column
from voirdire.study.combined_labels import taken
from voirdire.study.study import Study
from voirdire.testing.rated_systems import rated_systems

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
DESIGNS = {
    "3 raters an item, prompts as clusters": {},
    "the same, unequal sampling": {"unequal": True},
    "the same, people of differing severity": {"severity": 0.6},
    "20 labelled prompts, systems borrow": {"labelled": 0.05},
}
REAL = ("pandalm", "llm_rubric")
SHARE = 0.1
WHOLE = 0.8
"""A cell has a full-label value where this share of its judged items is labelled."""


def run(runs: int) -> None:
    """``runs`` studies of each design, then ``runs`` draws of a tenth of the labels of each real study."""
    print("   promised: corrected 93-97 %, what is not corrected below; ranks at least 95 %")
    for title, design in DESIGNS.items():
        print(f"   {title}: {planted(runs, **design)}")
    print("   promised: 93-98 % of the cells contain the value of all labels")
    for name in REAL:
        for whole_items in (False, True):
            print(
                f"   {name}, {'items' if whole_items else 'labels'} drawn: {drawn(runs, name, whole_items)}"
            )


def planted(runs: int, *, select: str = "confusion_row", **design: float) -> str:
    """Coverage of each kind of interval over the systems of ``runs`` planted studies."""
    rng, hits, pairs = np.random.default_rng(3), Counter(), Counter()
    n = done = ranked = 0
    for k in range(runs):
        made = rated_systems(rng, **design)
        try:
            found = voirdire.rates(made.study, voirdire.RatesOptions(seed=k, select=select, draws=500))
        except UserError:  # fewer than 30 labelled items happened to be drawn
            continue
        done += 1
        order = sorted(made.truth, key=lambda system: -made.truth[system])
        systems = [row for row in found.rows if row.system != ALL]
        for row in systems:
            judge, truth = row.judges[0], made.truth[row.system]
            kinds = {
                "corrected": row.corrected,
                "new raters too": row.new_raters,
                "labels alone": row.labels_alone,
                "judge alone": judge.naive,
                "Rogan-Gladen": judge.rogan_gladen,
            }
            hits.update(name for name, each in kinds.items() if each and each.low <= truth <= each.high)
            n += 1
        ranked += all(
            row.rank.low <= order.index(row.system) + 1 <= row.rank.high for row in systems if row.rank
        )
        for each in found.differences:
            gap = made.truth[each.first] - made.truth[each.second]
            pairs[each.difference.low <= gap <= each.difference.high] += 1
    said = [f"{name} {count / n:.3f}" for name, count in hits.items()]
    return ", ".join(
        [*said, f"differences {pairs[True] / pairs.total():.3f}", f"all ranks {ranked / done:.3f}"]
    )


def drawn(runs: int, name: str, whole_items: bool, *, select: str = "auto") -> str:
    """Coverage of the full-label value of every cell, and how wide intervals are against labels alone."""
    study = judged(voirdire.open(DATA / name))
    full = voirdire.rates(study, voirdire.RatesOptions(select="metric_prior", draws=100))
    truth = {
        (row.metric, row.system, row.quantity): row.labels_alone.value
        for row in full.rows
        if row.n_labelled >= WHOLE * row.n_items
    }
    hits: dict[str, list[bool]] = defaultdict(list)
    ratio: dict[str, list[float]] = defaultdict(list)
    for k, part in enumerate(draws(study, runs, whole_items)):
        for row in voirdire.rates(part, voirdire.RatesOptions(seed=k, select=select, draws=100)).rows:
            value = truth.get((row.metric, row.system, row.quantity))
            if value is None:
                continue
            for kind, each in (
                ("all", row.corrected),
                (row.method, row.corrected),
                ("these items", row.these_items),
            ):
                if each.has_interval:
                    hits[kind].append(each.low - 1e-9 <= value <= each.high + 1e-9)
            width, alone = (
                row.corrected.high - row.corrected.low,
                row.labels_alone.high - row.labels_alone.low,
            )
            if alone > 1e-6:
                ratio[row.method].append(width / alone)
    said = [f"{kind} {np.mean(each):.3f} (n {len(each):,})" for kind, each in hits.items()]
    widths = [f"{method} {np.median(each):.2f}" for method, each in ratio.items()]
    return f"{', '.join(said)}; median width against labels alone: {', '.join(widths)}"


def judged(study: Study) -> Study:
    """The study without the ratings of items that no judge was asked about."""
    ratings = study.ratings
    unit = ratings.metric.astype(np.int64) * len(study.items) + ratings.item
    human = study.is_kind("human")[ratings.rater]
    return replace(study, ratings=taken(ratings, np.flatnonzero(np.isin(unit, unit[~human]))))


def draws(study: Study, runs: int, whole_items: bool) -> Iterator[Study]:
    """The study with a tenth of its human labels, or of its items with all their labels.

    Where labels are drawn an item with three is more likely to keep one than an item with one: its chance is
    recorded.
    """
    ratings, rng = study.ratings, np.random.default_rng(7)
    human = study.is_kind("human")[ratings.rater]
    rows, verdicts = np.flatnonzero(human), np.flatnonzero(~human)
    if not whole_items:
        unit = ratings.metric[rows].astype(np.int64) * len(study.items) + ratings.item[rows]
        k = np.bincount(unit, minlength=len(study.items) * len(study.metrics))
        chance = 1 - (1 - SHARE) ** k.reshape(len(study.metrics), -1).max(axis=0)
        column = Column.of([f"{one:.6f}" if one > 0 else None for one in chance.tolist()])
        attributes = {**study.items.attributes, "sampling_probability": column}
        study = replace(study, items=replace(study.items, attributes=attributes))
    for _ in range(runs):
        if whole_items:
            items = rng.choice(len(study.items), round(SHARE * len(study.items)), replace=False)
            kept = rows[np.isin(ratings.item[rows], items)]
        else:
            kept = rng.choice(rows, round(SHARE * len(rows)), replace=False)
        yield replace(study, ratings=taken(ratings, np.sort(np.concatenate([verdicts, kept]))))
