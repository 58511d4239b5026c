"""Whatever a study holds, its audit ends in findings: no exception, no number without a reason, no broken
table.
"""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks.studies import BORDERLINE, PAIR, PASS_FAIL, SEVERITY, study
from voirdire.checks.audit import Audit, audit
from voirdire.checks.finding import Bounds, Cell
from voirdire.checks.options import AuditOptions
from voirdire.stats import Estimate
from voirdire.study import Metric, Scale, Study

QUICK = AuditOptions(resamples=100)
SCALES = (
    PASS_FAIL,
    BORDERLINE,
    SEVERITY,
    PAIR,
    Scale("numeric", ("0.1", "0.25", "0.7", "2"), values=(0.1, 0.25, 0.7, 2.0)),
    Scale("nominal", ("only",)),
    Scale("ordinal", ("low", "high"), ordered=True),
    Scale("binary", ("absent", "present")),
)
RATERS = ("ann", "bob", "cy", "one", "two")


@st.composite
def studies(draw: st.DrawFn) -> Study:
    """Up to 12 items, two metrics, three people, two judges, two runs, clusters, slices, unparsed replies."""
    scales = draw(st.lists(st.sampled_from(SCALES), min_size=1, max_size=2))
    metrics = [
        Metric(f"m{k}", scale, polarity=draw(st.sampled_from(["", "positive", "negative"])))
        for k, scale in enumerate(scales)
    ]
    cells = draw(
        st.lists(
            st.tuples(
                st.integers(0, 11),
                st.integers(0, len(metrics) - 1),
                st.sampled_from(RATERS),
                st.integers(0, 1),
                st.integers(0, 4),
            ),
            max_size=80,
            unique_by=lambda cell: cell[:4],
        )
    )
    rows = []
    for item, metric, rater, run, label in cells:
        labels = metrics[metric].scale.labels
        rows.append(
            (f"i{item}", f"m{metric}", rater, labels[label] if label < len(labels) else None, str(run))
        )
    items = [f"i{k}" for k in range(12)]
    attributes = {
        "system": {item: f"s{k % 3}" for k, item in enumerate(items)},
        "age": {item: "teen" if k % 2 else "adult" for k, item in enumerate(items)},
        "system_a": {item: "ab"[k % 2] for k, item in enumerate(items)},
        "system_b": {item: "ba"[k % 2] for k, item in enumerate(items)},
    }
    cluster = {item: f"c{k // 3}" for k, item in enumerate(items)} if draw(st.booleans()) else None
    return study(
        rows,
        metrics,
        judges=("one", "two"),
        attributes=attributes,
        cluster=cluster,
        slice_by=("age", "system"),
    )


@settings(max_examples=40, deadline=None)
@given(studies())
def test_an_audit_always_ends_in_findings(made: Study) -> None:
    done = audit(made, QUICK)
    assert done.answer
    for cell in _cells(done):
        for estimate in cell.by_policy.values() if isinstance(cell, Bounds) else [cell]:
            if isinstance(estimate, Estimate):
                assert not estimate.has_interval or estimate.low <= estimate.high
                assert not math.isinf(estimate.value)
            assert not (isinstance(estimate, float) and math.isnan(estimate)), "a bare NaN has no reason"


@settings(max_examples=15, deadline=None)
@given(studies(), st.integers(0, 2**32 - 1))
def test_one_seed_gives_one_audit(made: Study, seed: int) -> None:
    options = AuditOptions(resamples=100, seed=seed)
    one, two = audit(made, options), audit(made, options)
    assert repr(one.findings) == repr(two.findings)
    assert (one.answer, one.lede, one.facts, one.actions) == (two.answer, two.lede, two.facts, two.actions)


def test_a_continuous_score_is_no_table_of_labels() -> None:
    """20,000 distinct values: a count of items by labels would be 3 GB."""
    n = 20_000
    labels = tuple(f"{k / n:.5f}" for k in range(n))
    metric = Metric("score", Scale("numeric", labels, values=tuple(float(one) for one in labels)))
    rows = [
        (f"i{k}", "score", rater, labels[(k * 7 + shift) % n])
        for rater, shift in (("ann", 0), ("bob", 3), ("judge", 5))
        for k in range(n)
    ]
    done = audit(_coded(rows, metric), QUICK)
    assert done.stand_in[0].answer == "yes"
    assert done.stand_in[0].judge_person.defined[0].value == pytest.approx(1.0, abs=0.01)


def _coded(rows: list[tuple[str, str, str, str]], metric: Metric) -> Study:
    """The study of :func:`studies.study`, whose look-ups by name would take minutes on this many items."""
    import numpy as np

    from voirdire.study import Column, Items, Rater, Ratings

    place = {label: code for code, label in enumerate(metric.scale.labels)}
    items, raters = Column.of([row[0] for row in rows]), Column.of([row[2] for row in rows])
    n = len(rows)
    ratings = Ratings(
        item=items.codes,
        metric=np.zeros(n, dtype=np.int32),
        rater=raters.codes,
        run=Column.of(["0"] * n),
        raw=Column.of([row[3] for row in rows]),
        label=np.array([place[row[3]] for row in rows], dtype=np.int32),
        status=np.zeros(n, dtype=np.int8),
        source=np.zeros(n, dtype=np.int16),
        row=np.arange(n, dtype=np.int64),
    )
    people = tuple(Rater(one, "judge" if one == "judge" else "human") for one in raters.values)
    return Study("scores", Items(items.values), (metric,), people, ratings)


def _cells(done: Audit) -> list[Cell]:
    return [
        cell
        for found in done.findings
        for one in found.tables
        for row in one.rows
        for cell in row.cells.values()
    ]
