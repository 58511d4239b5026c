"""The contested rule: which labels dispute, how many rows it flags, and whether they are the right ones."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from voirdire.align.contested import (
    UNMEASURED,
    Flagging,
    Rows,
    area,
    dispute_chance,
    disputes,
    flagging,
    observed_disputes,
    rate_matched,
    rule_in_words,
)
from voirdire.align.fusion import posterior_draws
from voirdire.align.verdict import votes_in_words
from voirdire.stats.estimate import Estimate, undefined
from voirdire.study.scale import Scale

KAPPA = 3.0
ANY = ~np.eye(3, dtype=bool)


def made(rng: np.random.Generator, n: int = 3000, k: int = 4) -> tuple[np.ndarray, np.ndarray]:
    q = 0.98 * rng.dirichlet(np.ones(3), size=n) + 0.02 / 3
    truth = posterior_draws(q, np.zeros_like(q), KAPPA, rng)
    return q, rng.multinomial(k, truth).astype(float)


def ordinal(*labels: str, values: tuple[float, ...] | None = None) -> Scale:
    return Scale("ordinal", labels, ordered=True, values=values)


def test_neighbours_do_not_dispute_on_a_scale_of_four_and_do_on_one_of_three() -> None:
    apart = [(one, two) for one, two in np.argwhere(disputes(ordinal("1", "2", "3", "4"))) if one < two]
    assert apart == [(0, 2), (0, 3), (1, 3)]
    for scale in (ordinal("a", "b", "c"), Scale("nominal", ("a", "b", "c")), ordinal("a", "b")):
        assert (disputes(scale) == ~np.eye(len(scale.labels), dtype=bool)).all()
    seven = disputes(ordinal(*"1234567"))
    assert (np.argwhere(seven)[:, 0] - np.argwhere(seven)[:, 1]).__abs__().min() == 3


def test_values_decide_where_the_labels_have_them() -> None:
    signs = disputes(ordinal("-1", "-0.5", "0.5", "1", values=(-1.0, -0.5, 0.5, 1.0)))
    assert signs[1, 2]  # neighbours in order, half of the scale apart
    assert not signs[0, 1]
    assert not signs[2, 3]


def test_chance_and_share_of_disputes_by_brute_force(rng: np.random.Generator) -> None:
    apart = disputes(ordinal("1", "2", "3", "4"))
    labels = rng.integers(0, 4, size=5)
    counts = np.bincount(labels, minlength=4).astype(float)[None]
    pairs = [apart[one, two] for one, two in combinations(labels.tolist(), 2)]
    assert observed_disputes(counts, apart)[0] == pytest.approx(np.mean(pairs))
    q = rng.dirichlet(np.ones(4), size=1)
    drawn = posterior_draws(np.repeat(q, 200_000, axis=0), np.zeros((200_000, 4)), KAPPA, rng)
    expected = np.einsum("nc,cd,nd->n", drawn, apart.astype(float), drawn).mean()
    assert dispute_chance(q, apart, KAPPA)[0] == pytest.approx(expected, abs=0.003)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=40), st.floats(0, 1))
def test_no_threshold_comes_nearer_to_the_rate(tenths: list[int], rate: float) -> None:
    chance = np.array(tenths) / 10
    mine = abs((chance >= rate_matched(chance, rate)).mean() - rate)
    others = [abs((chance >= t).mean() - rate) for t in (*chance, 2.0)]
    assert mine == pytest.approx(min(others))


def test_area_is_that_of_another_package_and_its_interval_covers() -> None:
    rng = np.random.default_rng(4)
    held, values = 0, []
    for _ in range(60):
        positive = rng.random(150) < 0.4
        score = np.round(rng.normal(size=150) + positive, 1)
        found = area(score, positive, np.arange(150))
        assert found.value == pytest.approx(roc_auc_score(positive, score))
        values.append(found.value)
        held += found.low <= 0.7602 <= found.high  # normal scores one apart: Phi(1 / sqrt 2)
    assert np.mean(values) == pytest.approx(0.7602, abs=0.02)
    assert held >= 52
    assert area(np.ones(3), np.ones(3, dtype=bool), np.arange(3)).undefined == "no_variation"


def flagged(q: np.ndarray, counts: np.ndarray, kappa: float, metric: np.ndarray | None = None) -> Flagging:
    n = len(q)
    codes = np.zeros(n, dtype=np.int32) if metric is None else metric
    rows = Rows(q, counts, ANY, codes, np.arange(n) // 2, np.arange(n) // 2 % 5)
    return flagging(rows, kappa, ("one", "two"), rng=np.random.default_rng(2))


def test_flags_are_as_many_as_disputes_and_on_the_disputed_rows(rng: np.random.Generator) -> None:
    found = flagged(*made(rng), KAPPA)
    assert found.expected == pytest.approx(found.disputed.value, abs=0.02)
    assert found.wanted == pytest.approx(found.disputed.value)  # every row has two labels
    assert found.flagged.value == pytest.approx(found.disputed.value, abs=0.02)
    assert found.if_flagged.low > found.if_not.high
    assert 0.5 < found.auc.value < found.auc_ceiling < 1


def test_each_metric_is_flagged_as_often_as_it_is_disputed(rng: np.random.Generator) -> None:
    q, counts = made(rng)
    metric = (rng.random(3000) < 0.4).astype(np.int32)
    counts[metric == 1] = np.eye(3)[counts[metric == 1].argmax(axis=1)] * 4  # nobody disputes the second
    found = flagged(q, counts, KAPPA, metric)
    assert found.thresholds["two"] == math.inf
    first = observed_disputes(counts[metric == 0], ANY).mean()
    assert found.flagged.value == pytest.approx(first * (metric == 0).mean(), abs=0.02)
    few = flagged(q[:30], counts[:30], KAPPA, metric[:30])
    assert set(few.thresholds) <= {"one"}  # the second has too few rows for a threshold of its own


def test_rows_with_one_label_count_by_what_is_predicted_for_them(rng: np.random.Generator) -> None:
    q, counts = made(rng)
    clear = q.max(axis=1) > 0.7
    counts[clear] = np.eye(3)[counts[clear].argmax(axis=1)]  # of the clear rows one label alone is known
    found = flagged(q, counts, KAPPA)
    assert found.wanted < found.disputed.value - 0.03
    assert found.flagged.value == pytest.approx(found.wanted, abs=0.02)
    truth = KAPPA / (KAPPA + 1) * (1 - (q**2).sum(axis=1)).mean()
    assert found.wanted == pytest.approx(truth, abs=0.02)


def test_without_two_labels_a_row_the_threshold_is_the_fixed_one(rng: np.random.Generator) -> None:
    q, counts = made(rng, n=200, k=1)
    found = flagged(q, counts, math.nan)
    assert (found.threshold, found.thresholds) == (UNMEASURED, {})
    assert found.disputed.undefined
    assert found.auc.undefined == "no_pairable_items"
    assert math.isnan(found.auc_ceiling)
    assert math.isnan(found.wanted)
    assert found.flagged.value == pytest.approx(((1 - (q**2).sum(axis=1)) >= UNMEASURED).mean())


def test_where_people_never_dispute_no_row_is_flagged(rng: np.random.Generator) -> None:
    q, counts = made(rng, n=200)
    found = flagged(q, np.eye(3)[counts.argmax(axis=1)] * 4, KAPPA)
    assert (found.disputed.value, found.auc.undefined) == (0.0, "no_variation")
    assert found.flagged.value == 0.0
    assert found.threshold == math.inf


def test_the_rule_is_one_sentence() -> None:
    four = ordinal("1", "2", "3", "4")
    fitted = rule_in_words(four)
    assert fitted.startswith(
        "A row is contested where two people give labels more than a third of the scale apart"
    )
    assert "as many rows of each metric lay above it as pairs of people did so" in fitted
    assert "22 % or more" in rule_in_words(four, at=0.218)
    assert "48 % or more: no item has two labels" in rule_in_words(four, fitted=False)


@pytest.mark.parametrize(
    ("kappa", "words"),
    [
        (Estimate(2.49, 1.76, 3.73), "2.49 [1.76, 3.73]"),
        (Estimate(math.inf, 9.37, math.inf), "more than 9.37"),
        (Estimate(0.02, 0.0, math.inf), "not to be told from these labels"),
        (undefined("no_pairable_items"), "not measurable (no item has two labels)"),
    ],
)
def test_votes_without_an_upper_end_are_not_shown_as_a_number(kappa: Estimate, words: str) -> None:
    assert votes_in_words(kappa) == words
