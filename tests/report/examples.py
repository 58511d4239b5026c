"""Audits made by hand: every kind of cell, undefined figures, hostile text, sixty metrics, no judge."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from voirdire.checks.audit import Answer, Audit, StandIn
from voirdire.checks.finding import (
    Action,
    Bounds,
    Cell,
    Column,
    Evidence,
    Finding,
    LabelCounts,
    Missing,
    Row,
    Table,
)
from voirdire.checks.options import AuditOptions
from voirdire.stats.estimate import NEW_RATERS, THESE_RATERS, Estimate, undefined
from voirdire.study import Column as Values
from voirdire.study import Items, Metric, Policy, Rater, Ratings, Scale, Source, Study

HOSTILE = (
    '</script><script>window.broken=1;alert("broken")</script>',
    "<img src=x onerror=\"window.broken=1;alert('broken')\">",
    "javascript:alert(1)",
    "\N{RIGHT-TO-LEFT OVERRIDE}desrever si siht",
    "long" * 120,
    "<!-- <script> -->",
    "{{ 7 * 7 }} ${alert(1)} &lt;b&gt; \N{LINE SEPARATOR} \x00 '\"",
)
POLICIES = ("kept apart", "left out", "as pass", "as fail")
SCALE = Scale("nominal", ("pass", "borderline", "fail"), indeterminate={"borderline": ("pass", "fail")})


def estimate(value: float, half: float = 0.2, **more: object) -> Estimate:
    """A coefficient with an interval ``half`` wide on each side."""
    known = {
        "low": max(-1, value - half),
        "high": min(1, value + half),
        "n_items": 36,
        "method": "percentile",
    }
    return Estimate(value, **{**known, "target": THESE_RATERS, **more})  # type: ignore[arg-type]


def bounds(*values: float | str, half: float = 0.2) -> Bounds:
    """One estimate a policy; a word is the reason why one is undefined."""
    return Bounds(
        {
            name: undefined(value) if isinstance(value, str) else estimate(value, half)
            for name, value in zip(POLICIES, values, strict=False)
        }
    )


def study(
    metrics: Sequence[str] = ("tone", "safety"),
    *,
    people: Sequence[str] = ("ann", "bob", "cem"),
    judges: Sequence[str] = ("judge-1",),
    n_items: int = 12,
    texts: Sequence[str] = ("Hello there.", "A second text."),
    name: str = "made study",
    demo: str = "Demonstration: made data.",
    seed: int = 7,
) -> Study:
    """A small study in which every rater labels every item on every metric, drawn from a seed."""
    rng = np.random.default_rng(seed)
    raters = (
        *(Rater(person, "human", expertise="law") for person in people),
        *(Rater(judge, "judge", model=judge) for judge in judges),
    )
    ids = tuple(f"item {place}" for place in range(n_items))
    shape = (len(metrics), n_items, len(raters))
    metric, item, rater = (axis.ravel().astype(np.int32) for axis in np.indices(shape))
    label = rng.integers(0, 3, metric.size).astype(np.int32)
    status = np.zeros(metric.size, dtype=np.int8)
    if len(label):
        label[-1], status[-1] = -1, 2
    raw = Values(label.copy(), SCALE.labels)
    ratings = Ratings(
        item=item,
        metric=metric,
        rater=rater,
        run=Values(np.zeros(metric.size, dtype=np.int32), ("0",)),
        raw=raw,
        label=label,
        status=status,
        source=np.zeros(metric.size, dtype=np.int16),
        row=np.arange(2, metric.size + 2),
        attributes={"rationale": Values.of([texts[k % len(texts)] for k in range(metric.size)])},
    )
    attributes = {"system": Values.of([f"system {place % 3}" for place in range(n_items)])}
    said = {"text": Values.of([texts[place % len(texts)] for place in range(n_items)])} if texts else {}
    return Study(
        name=name,
        items=Items(ids, attributes, said),
        metrics=tuple(Metric(metric, SCALE, policy=Policy("as fail")) for metric in metrics),
        raters=raters,
        ratings=ratings,
        sources=(Source("labels.csv", "3f9c" * 16),),
        assumptions=("Empty cells are missing labels.",),
        counts={"missing_labels": 1},
        slice_by=("system",),
        demo=demo,
    )


def stand_in(metric: str, answer: Answer, shift: float = 0.0, judge: str = "judge-1") -> StandIn:
    """A verdict whose figures are defined under every policy."""
    return StandIn(
        judge=judge,
        metrics=(metric,),
        answer=answer,
        reason="9 items; people barely agree",
        settle="84 more items",
        judge_person=bounds(0.17 + shift, 0.2 + shift, 0.27 + shift, 0.22 + shift),
        person_person=bounds(0.05, 0.1, 0.21, 0.12),
        difference=bounds(0.12 + shift, 0.1 + shift, 0.06 + shift, 0.1 + shift, half=0.3),
        level=0.98,
        n_items=9,
        n_people=5,
        rated_items=9,
        single_rated=0,
        evidence=Evidence(metric=metric),
    )


def single_rated(metrics: tuple[str, ...]) -> StandIn:
    """Several metrics where one person rated each item."""
    return StandIn(
        judge="judge-1",
        metrics=metrics,
        answer="cannot tell",
        reason="nobody to compare the expert with",
        settle="126 second labels",
        judge_person=Bounds({"as fail": estimate(0.7, 0.12)}),
        person_person=Bounds({"as fail": undefined("insufficient_raters")}),
        difference=Bounds({"as fail": undefined("insufficient_raters")}),
        level=0.95,
        n_items=0,
        n_people=14,
        rated_items=126,
        single_rated=126,
    )


def every_cell(metric: str = "tone") -> Finding:
    """A finding whose tables hold every kind of cell and every way in which one can lack a number."""
    columns = (
        Column("name", "Metric"),
        Column("items", "Items", "count"),
        Column("judge", "Judge–person κ", "coefficient"),
        Column("people", "Person–person α", "coefficient"),
        Column("rate", "Passed", "rate"),
        Column("gap", "Difference", "difference"),
        Column("p", "p", "p"),
        Column("labels", "People", "labels"),
        Column("verdict", "Stands in", "verdict"),
        Column("said", "Text", "prose"),
    )
    cells: list[dict[str, Cell]] = [
        {"name": metric, "items": 48540, "judge": bounds(0.17, 0.2, 0.27), "people": bounds(-0.4, 0.1)},
        {"judge": estimate(0.4, caution="Few items.")} | {"people": undefined("no_variation"), "p": 0.0004},
        {"judge": Estimate(1.0, no_interval="zero_width", n_items=9), "p": 0.04, "gap": estimate(-0.3)},
        {"rate": estimate(0.8334, n_items=4000, target=NEW_RATERS), "gap": estimate(0.001), "items": 0},
        {"rate": Missing("not recorded"), "people": Missing("withheld", "five people or fewer"), "items": 3},
        {"labels": LabelCounts({"pass": 2, "borderline": 1, "fail": 1}), "verdict": "yes", "judge": math.nan},
        {
            "labels": LabelCounts({"pass": 20, "borderline": 3, "fail": 10}),
            "verdict": "no\nworse than a person",
        },
        {"labels": LabelCounts({"1": 2, "2": 0, "3": 1, "4": 1, "5": 3}), "verdict": "cannot tell"},
        {"labels": LabelCounts({}), "judge": bounds("no_variation", "no_variation"), "said": HOSTILE[0]},
    ]
    rows = [Row({"name": f"row {place}"} | row, Evidence(metric=metric)) for place, row in enumerate(cells)]
    open_table = Table("cells", "Every kind of cell", columns, tuple(rows), ("judge", "people"))
    folded = Table("more", "The same, folded", columns[:4], tuple(rows[:2]), folded=True)
    return Finding(
        "against_people",
        "Does the judge agree with people?",
        "Less than people do.",
        (open_table, folded),
        ("Beware.",),
    )


def raters_finding(names: Sequence[str]) -> Finding:
    """One figure a rater, so many that a plot draws them."""
    columns = (
        Column("rater", "Rater"),
        Column("n", "Items", "count"),
        Column("lean", "Leniency", "difference"),
    )
    rows = tuple(
        Row({"rater": name, "n": 9, "lean": estimate(0.02 * place - 0.1)}, Evidence(raters=(name,)))
        for place, name in enumerate(names)
    )
    table = Table("leniency", "Leniency of each rater", columns, rows, ("lean",))
    return Finding("raters", "Who differs?", "Ann is stricter than the others.", (table,))


def coverage_finding() -> Finding:
    """How many items one, four and five people rated."""
    columns = (Column("raters", "Rated by"), Column("items", "Items", "count"))
    sizes = {"1 person": 126, "4 people": 9, "5 people": 27}
    rows = tuple(Row({"raters": name, "items": n}) for name, n in sizes.items())
    table = Table("raters_per_item", "Items by number of people", columns, rows)
    return Finding("coverage", "What was covered?", "Four in five items were seen by one person.", (table,))


def rates_finding() -> Finding:
    """A rate a system by the judge and by people, in one figure."""
    columns = (Column("system", "System"), Column("who", "By"), Column("rate", "Passed", "rate"))
    rows = tuple(
        Row({"system": f"system {place}", "who": who, "rate": estimate(0.9 - place / 10, 0.05)})
        for place in range(6)
        for who in ("people", "judge-1")
    )
    table = Table("rates", "How often each system passes", columns, rows, ("rate",))
    return Finding("rates", "What does the judge say, how often?", "System 0 passes most often.", (table,))


def audit(
    of: Study,
    entries: Sequence[StandIn] = (),
    findings: Sequence[Finding] = (),
    *,
    answer: str = "Not yet. On one metric the judge is worse than one more expert; the rest is open.",
) -> Audit:
    """An audit around hand-made findings."""
    return Audit(
        study=of,
        options=AuditOptions(),
        answer=answer,
        lede="κ is 0.70 where one expert rated each item, and 0.30 to 0.49 where several did.",
        facts={"Human labels": f"{len(of.ratings)}, by 3 people", "Items": str(len(of.items))},
        stand_in=tuple(entries),
        findings=tuple(findings),
        actions=(
            Action("Second expert on the single-rated items", "Makes agreement measurable.", "126 labels"),
        ),
        missing=("No rubric is recorded.",),
    )


def full() -> Audit:
    """Three answers, every kind of cell and a plot."""
    entries = (
        stand_in("tone", "yes", 0.4),
        stand_in("safety", "no", -0.3),
        single_rated(("tone", "safety")),
    )
    names = [f"rater {place}" for place in range(12)]
    return audit(study(), entries, (every_cell(), coverage_finding(), raters_finding(names), rates_finding()))


def hostile() -> Audit:
    """Every text that a user's data can put on the page tries to break out of it."""
    of = study(
        HOSTILE, people=HOSTILE, judges=(HOSTILE[0] + "!",), texts=HOSTILE, name=HOSTILE[0], demo=HOSTILE[1]
    )
    entries = [stand_in(name, "no", judge=HOSTILE[0] + "!") for name in HOSTILE]
    finding = every_cell(HOSTILE[0])
    words = Finding(HOSTILE[0], HOSTILE[1], HOSTILE[0], finding.tables, HOSTILE, missing=HOSTILE)
    return audit(of, entries, (words, raters_finding([*HOSTILE, *HOSTILE])), answer=HOSTILE[0])


def sixty() -> Audit:
    """Sixty metrics."""
    names = [f"metric {place:02d}" for place in range(60)]
    return audit(
        study(names), [stand_in(name, "cannot tell", place / 100) for place, name in enumerate(names)]
    )


def no_judge() -> Audit:
    """People alone."""
    return audit(study(judges=()), answer="Cannot tell. There is no judge in this study.")


def no_people() -> Audit:
    """A judge alone."""
    return audit(study(people=()), answer="Cannot tell. No person rated these items.")
