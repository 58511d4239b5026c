"""Rows that are alike are predicted once: which rows are alike, and that nothing changes."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.align import fusion, selection
from voirdire.align.features import Features
from voirdire.align.numerics import used_codes
from voirdire.align.observe import features_of
from voirdire.opening import open as open_study
from voirdire.study import Study

PAIRS = ("first", "tie", "second", None)
WORDS = ("yes", "no", "perhaps", None)


def verdicts(labels: tuple[str | None, ...], n: int, seed: int, runs: int, judges: int = 2) -> Study:
    """``n`` items on two metrics, the judges' verdicts on them in one order or the other, some missing."""
    rng = np.random.default_rng(seed)
    columns: dict[str, list[str | None]] = {name: [] for name in NAMES}
    for i in range(n):
        metric = "mk"[i % 2]
        people = [("ann", "human", "0", labels[0]), ("bo", "human", "0", labels[rng.integers(2)])]
        replies = [
            (f"judge {j}", "judge", str(run), labels[rng.integers(len(labels))])
            for j in range(judges)
            for run in range(runs)
            if rng.random() < 0.8
        ]
        for rater, kind, run, label in (*people, *replies):
            shown = ("", "ab", "ba")[rng.integers(3)] if kind == "judge" else ""
            row = (f"i{i}", metric, rater, kind, run, label, shown)
            for name, cell in zip(NAMES, row, strict=True):
                columns[name].append(cell)
    return open_study(columns)


NAMES = ("item_id", "metric", "rater_id", "rater_kind", "run", "label", "presented")


def assert_alike(features: Features, other: Features) -> None:
    """Both hold the same rows in every field."""
    for name in ("metric", "system", "covariates", "contrasts"):
        np.testing.assert_array_equal(getattr(features, name), getattr(other, name))
    for one, two in zip(features.judges, other.judges, strict=True):
        for part in fields(one):
            np.testing.assert_array_equal(getattr(one, part.name), getattr(two, part.name), err_msg=part.name)


@settings(max_examples=30, deadline=None)
@given(st.sampled_from([PAIRS, WORDS]), st.integers(0, 10_000), st.integers(1, 2), st.integers(1, 2))
def test_rows_of_a_kind_are_alike_in_every_field(
    labels: tuple[str | None, ...], seed: int, runs: int, judges: int
) -> None:
    features = features_of(verdicts(labels, 500, seed, runs, judges)).features
    found = features.kinds()
    assert (found is None) == (runs > 1)
    if found is not None:
        row, kind = found
        assert len(row) < len(features)
        assert_alike(features.take(row[kind]), features)


def test_rows_with_numbers_of_their_own_are_of_no_kind(llm_rubric: Study) -> None:
    features = features_of(verdicts(WORDS, 500, 1, 1)).features
    assert features.kinds() is not None
    measured = np.arange(float(len(features)))[:, None]
    assert replace(features, covariates=measured).kinds() is None
    assert replace(features, contrasts=measured).kinds() is None
    assert features.take(np.arange(20)).kinds() is None  # could be of more kinds than there are rows
    stating = features_of(llm_rubric, metrics=["Q0"]).features
    assert all(output.states for output in stating.judges)
    assert not any(output.coded for output in stating.judges)


def test_an_aspect_of_stated_probabilities_is_not_told_by_its_code(llm_rubric: Study) -> None:
    encoding = features_of(llm_rubric, metrics=["Q0"]).encoding.viewed(llm_rubric, "decomposed")
    features = features_of(llm_rubric, encoding=encoding).features
    assert not any(output.states or output.coded for output in features.judges)


@pytest.mark.parametrize("labels", [PAIRS, WORDS])
def test_predictions_are_the_same_row_by_row_and_kind_by_kind(labels: tuple[str | None, ...]) -> None:
    observed = features_of(verdicts(labels, 600, 5, 1))
    features, target = observed.features, observed.target
    pool = selection.fit(features, target, rng=np.random.default_rng(1))
    assert len(pool.members) > 3
    unseen = replace(features, metric=np.where(np.arange(600) % 3, features.metric, -1).astype(np.int32))
    for rows in (features, unseen):
        assert rows.kinds() is not None
        alone = replace(rows, judges=tuple(replace(output, coded=False) for output in rows.judges))
        assert alone.kinds() is None
        np.testing.assert_allclose(pool.predict(rows), pool.predict(alone), rtol=0, atol=1e-12)


def test_predictions_do_not_depend_on_the_parts_that_rows_are_read_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    observed = features_of(verdicts(WORDS, 400, 6, 2))
    pool = selection.fit(observed.features, observed.target, rng=np.random.default_rng(1))
    whole = pool.predict(observed.features)
    monkeypatch.setattr("voirdire.align.features.CHUNK", 7)
    np.testing.assert_allclose(pool.predict(observed.features), whole, rtol=0, atol=1e-12)


def test_stated_probabilities_do_not_depend_on_the_parts_that_replies_are_read_in(
    llm_rubric: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = features_of(llm_rubric, metrics=["Q0", "Q1"])
    monkeypatch.setattr("voirdire.align.output.CHUNK", 7)
    assert_alike(features_of(llm_rubric, metrics=["Q0", "Q1"]).features, whole.features)


def test_bounds_do_not_depend_on_the_parts_that_rows_are_read_in(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    share, labels = rng.dirichlet(np.ones(3), size=50_000), rng.multinomial(1, [0.2, 0.3, 0.5], size=50_000)
    whole = fusion.share_bounds(share, labels.astype(float), 3.0)
    order = rng.permutation(50_000)
    apart = fusion.share_bounds(share[order], labels[order].astype(float), 3.0)
    for one, two in zip(whole, apart, strict=True):
        np.testing.assert_array_equal(one[order], two)


@given(st.lists(st.integers(0, 9), max_size=30))
def test_used_codes_are_those_of_numpy(codes: list[int]) -> None:
    used, place = used_codes(np.array(codes, dtype=np.int32), 10)
    expected = np.unique(np.array(codes, dtype=np.int32), return_inverse=True)
    assert [used.tolist(), place.tolist()] == [part.tolist() for part in expected]
