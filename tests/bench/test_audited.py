"""Where people labelled a sample of conversations, rates are corrected for the judge's errors; else not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bench.made import made, rated
from voirdire.bench.audited import Audited, audited_rates
from voirdire.bench.cells import ALL
from voirdire.bench.outcomes import Outcomes
from voirdire.bench.tree import tree_of
from voirdire.opening import open as open_study
from voirdire.study.study import Study

METRICS = tuple(rated(f"m{code:02}", "negative" if code % 2 else "positive") for code in range(40))


def suite(seed: int, *, bias: float = 0.25) -> tuple[Outcomes, np.ndarray]:
    """Verdicts of a judge that sees the behaviour too often, and where it truly is."""
    rng = np.random.default_rng(seed)
    level = rng.beta(4, 4, (40, 1, 1, 1, 1)) * np.array([0.7, 1.1]).reshape(1, 1, 1, 2, 1)
    truth = rng.random((40, 3, 2, 2, 2)) < np.minimum(level, 1)
    seen = np.where(truth, rng.random(truth.shape) < 0.95, rng.random(truth.shape) < bias)
    return made(seen, METRICS), truth.ravel()


def study_with_people(outcomes: Outcomes, truth: np.ndarray, labelled: np.ndarray, **columns: Any) -> Study:
    """The judge's verdict on every conversation, and two people's labels on those ``labelled``."""
    rows: dict[str, list[Any]] = {}
    kinds = [("J", "judge", outcomes.present, np.ones(len(outcomes), dtype=bool))]
    kinds += [(name, "human", truth.astype(int), labelled) for name in ("Ann", "Bo")]
    for rater, kind, verdict, used in kinds:
        for row in np.flatnonzero(used).tolist():
            metric = outcomes.metrics[outcomes.metric[row]].name
            cells = {
                "item_id": outcomes.ids[row],
                "metric": metric,
                "rater_id": rater,
                "rater_kind": kind,
                "label": ("absent", "present")[verdict[row]],
                "system": outcomes.systems[outcomes.system[row]],
                "cluster": metric,
                "variant_of": f"{metric}/{outcomes.scenario[row]}",
                **{name: values[row] for name, values in columns.items()},
            }
            for name, cell in cells.items():
                rows.setdefault(name, []).append(cell)
    declared = {
        metric.name: {
            "polarity": metric.polarity,
            "scale": {"kind": "binary", "labels": ["absent", "present"]},
        }
        for metric in outcomes.metrics
        if metric.name in rows["metric"]
    }
    return open_study(rows, config={"metrics": declared})


def audited(study: Study) -> dict[tuple[str, str, str], Any]:
    found = audited_rates(study, METRICS, tree_of(METRICS), seed=1)
    assert not found.why
    return {(one.node, one.kind, one.system): one for one in found.rates}


def test_a_biased_judge_is_corrected_by_system_and_kind() -> None:
    outcomes, truth = suite(1)
    labelled = np.random.default_rng(2).random(len(outcomes)) < 0.4
    found = audited(study_with_people(outcomes, truth, labelled))
    passed = truth == (outcomes.polarity == 1)
    for kind in ("positive", "negative"):
        mine = outcomes.polarity == (kind == "positive")
        for system in (ALL, "sys0", "sys1"):
            rows = mine if system == ALL else mine & (outcomes.system == outcomes.systems.index(system))
            one = found["overall", kind, system]
            assert one.corrected.low <= passed[rows].mean() <= one.corrected.high
            naive = outcomes.passed[rows].mean()
            assert abs(one.corrected.value - passed[rows].mean()) < abs(naive - passed[rows].mean()) / 2
            assert (one.items, one.labelled) == (rows.sum(), (rows & labelled).sum())
            assert (one.metrics, one.of, one.raters) == (20, 20, 2)
    assert found["overall", "both", ALL].metrics == 40


def test_few_metrics_are_enough_and_a_single_one_resamples_its_scenarios() -> None:
    outcomes, truth = suite(3)
    outcomes = outcomes.take(outcomes.metric < 3)
    found = audited(study_with_people(outcomes, truth, np.ones(len(outcomes), dtype=bool)))
    own = {node.path[-1]: node.id for node in tree_of(METRICS) if node.level == "metric"}
    # three scenarios of eight conversations are 24, too few for a metric of its own
    assert (own["m01"], "negative", ALL) not in found
    whole = found["overall", "both", ALL]
    assert (whole.metrics, whole.of, whole.labelled) == (3, 40, 72)
    passed = truth[: len(outcomes)] == (outcomes.polarity == 1)
    assert whole.corrected.value == pytest.approx(passed.mean(), abs=0.02)
    assert whole.corrected.n_clusters == 3


def test_chances_of_being_labelled_are_used() -> None:
    outcomes, truth = suite(4, bias=0.4)
    # people look at what the judge saw far more often: labels alone would say it is nearly always there
    chance = np.where(outcomes.present == 1, 0.6, 0.15)
    labelled = np.random.default_rng(5).random(len(outcomes)) < chance
    told = {"sampling_probability": [repr(float(one)) for one in chance]}
    found = audited(study_with_people(outcomes, truth, labelled, **told))
    plain = audited(study_with_people(outcomes, truth, labelled))
    mine = outcomes.polarity == 1
    true = truth[mine].mean()
    one, other = found["overall", "positive", ALL], plain["overall", "positive", ALL]
    assert one.corrected.low <= true <= one.corrected.high
    assert abs(one.labels_alone.value - true) < abs(other.labels_alone.value - true) / 2


def test_without_a_label_nothing_is_audited() -> None:
    outcomes, truth = suite(6)
    study = study_with_people(outcomes, truth, np.zeros(len(outcomes), dtype=bool))
    assert audited_rates(study, METRICS, tree_of(METRICS)) == Audited()


def test_too_few_labels_say_how_many_are_needed() -> None:
    outcomes, truth = suite(7)
    labelled = np.zeros(len(outcomes), dtype=bool)
    labelled[:10] = True
    found = audited_rates(study_with_people(outcomes, truth, labelled), METRICS, tree_of(METRICS))
    assert (found.rates, found.items, found.labels, found.raters) == ((), 10, 20, 2)
    assert "10 conversations, of 30" in found.why


@pytest.mark.coverage_simulation
def test_corrected_rates_cover() -> None:
    """New metrics of the same kind: of 2 audits' 8 rates by kind and system at least 6 hold the truth."""
    inside = []
    for seed in range(2):
        outcomes, truth = suite(100 + seed)
        labelled = np.random.default_rng(seed).random(len(outcomes)) < 0.4
        found = audited(study_with_people(outcomes, truth, labelled))
        level = np.random.default_rng(0).beta(4, 4, 10**6)
        for system, times in (("sys0", 0.7), ("sys1", 1.1)):
            there = np.minimum(level * times, 1).mean()
            for kind, wanted in (("positive", there), ("negative", 1 - there)):
                one = found["overall", kind, system].corrected
                inside.append(one.low <= wanted <= one.high)
    assert sum(inside) >= 6
