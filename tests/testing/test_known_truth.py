"""The exact figures of known-truth studies against figures counted from large samples of them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from voirdire.errors import UserError
from voirdire.stats.coded import Coded
from voirdire.stats.fleiss import fleiss_kappa
from voirdire.stats.judge_person import judge_against_people
from voirdire.stats.krippendorff import krippendorff_alpha
from voirdire.study.policy import Policy, policies
from voirdire.testing import (
    Difficulty,
    KnownTruth,
    PlantedJudge,
    PlantedMetric,
    PlantedRater,
    PlantedSystem,
    known_truth,
    people,
    truth_name,
)
from voirdire.testing.classes import scale_of

PEOPLE = (
    PlantedRater(id="ann", accuracy=0.95, missing=0.05),
    PlantedRater(id="ben", accuracy=0.85, missing=0.3, lean=0.1),
    PlantedRater(id="cat", accuracy=0.7),
    PlantedRater(id="dan", confusion=((0.9, 0.1, 0.0), (0.2, 0.7, 0.1), (0.3, 0.3, 0.4)), missing=0.2),
)
QUALITY = PlantedMetric(
    name="quality",
    labels=("good", "fair", "poor"),
    prevalence=(0.5, 0.3, 0.2),
    difficulty=(
        Difficulty(share=0.6, indeterminate=0.03),
        Difficulty(share=0.4, guess=0.5, indeterminate=0.25),
    ),
    people=PEOPLE,
    items=120_000,
    single_rated=0.25,
    indeterminate="unsure",
    runs=3,
    cluster_size=4,
    cluster_pull=0.5,
)
JUDGES = (
    PlantedJudge(id="own", accuracy=0.8, family="A", favour=0.3, noise=0.4, lean=0.05),
    PlantedJudge(id="other", accuracy=0.9, unparsed=0.2),
)
SYSTEMS = (
    PlantedSystem(name="a1", family="A", shift=0.1),
    PlantedSystem(name="a2", family="A", shift=-0.2),
    PlantedSystem(name="b1", family="B"),
)

TOLERANCE = 0.01
"""About four standard errors of the least certain figure: 120,000 items in clusters of four."""


@pytest.fixture(scope="module")
def made() -> KnownTruth:
    return known_truth([QUALITY], judges=JUDGES, systems=SYSTEMS, seed=7)


def labels_of(made: KnownTruth, rater: str, run: str = "0") -> np.ndarray:
    """One rater's label codes by item, (n_items,), -1 where none: read back from the columns only."""
    columns = made.columns
    rows = columns["rater_id"].equals(rater) & columns["run"].equals(run)
    label = np.full(QUALITY.items, -1)
    label[columns["item_id"].codes[rows]] = columns["label"].codes[rows]
    return label


def counts_of(made: KnownTruth, policy: Policy) -> tuple[np.ndarray, np.ndarray, int]:
    """Label counts of people by item (n, q) under ``policy``, and the map from label code to new code."""
    scale, new = policy.apply(scale_of(QUALITY))
    q = len(scale.labels)
    counts = np.zeros((QUALITY.items, q))
    for person in PEOPLE:
        label = labels_of(made, person.id)
        mapped = np.where(label >= 0, new[label], -1)
        rows = np.flatnonzero(mapped >= 0)
        counts[rows, mapped[rows]] += 1
    return counts, new, q


@pytest.mark.parametrize("policy", policies(scale_of(QUALITY)), ids=lambda policy: policy.name)
def test_people_figures_are_what_a_large_sample_shows(made: KnownTruth, policy: Policy) -> None:
    counts, _, _ = counts_of(made, policy)
    size = counts.sum(axis=1)
    two = size >= 2
    c, r = counts[two], size[two]
    pairs = (c * (c - 1)).sum(axis=1)
    observed = (pairs / (r * (r - 1))).mean()
    pooled = pairs.sum() / (r * (r - 1)).sum()
    n = r.sum()
    label = c.sum(axis=0)
    alpha = 1 - (n - 1) * (n - (pairs / (r - 1)).sum()) / (n**2 - (label**2).sum())
    mean_all = (counts[size > 0] / size[size > 0, None]).mean(axis=0)
    mean_two = (c / r[:, None]).mean(axis=0)
    sample = {
        "pairwise_agreement": observed,
        "pooled_agreement": pooled,
        "krippendorff_alpha": alpha,
        "fleiss_kappa": 1 - (1 - observed) / (1 - (mean_all**2).sum()),
        "person_person": 1 - (1 - observed) / (1 - (mean_two**2).sum()),
    }
    for figure, value in sample.items():
        truth = made.truth[truth_name(figure, "quality", policy=policy.name)]
        assert value == pytest.approx(truth, abs=TOLERANCE), figure


@pytest.mark.parametrize("judge", ["own", "other"])
@pytest.mark.parametrize("policy", policies(scale_of(QUALITY)), ids=lambda policy: policy.name)
def test_judge_figures_are_what_a_large_sample_shows(made: KnownTruth, policy: Policy, judge: str) -> None:
    counts, new, q = counts_of(made, policy)
    verdict = labels_of(made, judge)
    size = counts.sum(axis=1)
    for suffix, rated in (("", size >= 2), ("_single", size == 1)):
        use = rated & (verdict >= 0)
        shares, given = counts[use] / size[use, None], new[verdict[use]]
        observed = shares[np.arange(len(given)), given].mean()
        expected = (np.bincount(given, minlength=q) / len(given)) @ shares.mean(axis=0)
        name = {"judge": judge, "policy": policy.name}
        assert observed == pytest.approx(
            made.truth[truth_name(f"judge_agreement{suffix}", "quality", **name)], abs=TOLERANCE
        )
        corrected = (observed - expected) / (1 - expected)
        assert corrected == pytest.approx(
            made.truth[truth_name(f"judge_person{suffix}", "quality", **name)], abs=TOLERANCE
        )


def test_difference_is_judge_minus_people(made: KnownTruth) -> None:
    for policy in policies(scale_of(QUALITY)):
        judge = made.truth[truth_name("judge_person", "quality", judge="own", policy=policy.name)]
        person = made.truth[truth_name("person_person", "quality", policy=policy.name)]
        gap = made.truth[truth_name("difference", "quality", judge="own", policy=policy.name)]
        assert gap == pytest.approx(judge - person, abs=1e-12)


@pytest.mark.parametrize("judge", JUDGES, ids=lambda judge: judge.id)
def test_accuracy_repeats_and_replies(made: KnownTruth, judge: PlantedJudge) -> None:
    truth = made.items["quality"].truth
    runs = np.array([labels_of(made, judge.id, str(run)) for run in range(3)])
    parsed = (runs >= 0).all(axis=0)
    agree = np.mean([(runs[a] == runs[b])[parsed].mean() for a, b in itertools.combinations(range(3), 2)])
    shares = np.bincount(runs[:, parsed].ravel(), minlength=3) / runs[:, parsed].size
    sample = {
        "judge_accuracy": (runs[0] == truth)[runs[0] >= 0].mean(),
        "unparsed": (runs < 0).mean(),
        "unanimity": (runs == runs[0]).all(axis=0)[parsed].mean(),
        "repeat_agreement": agree,
        "repeat_fleiss_kappa": (agree - (shares**2).sum()) / (1 - (shares**2).sum()),
    }
    for figure, value in sample.items():
        expected = made.truth[truth_name(figure, "quality", judge=judge.id)]
        assert value == pytest.approx(expected, abs=TOLERANCE), figure


def test_rates_by_system_and_label(made: KnownTruth) -> None:
    verdict, system = labels_of(made, "own"), made.items["quality"].system
    for code, label in enumerate(QUALITY.labels):
        overall = made.truth[truth_name("verdict_rate", "quality", judge="own", label=label)]
        assert (verdict == code).mean() == pytest.approx(overall, abs=TOLERANCE)
        for position, one in enumerate(SYSTEMS):
            rate = made.truth[
                truth_name("verdict_rate", "quality", judge="own", system=one.name, label=label)
            ]
            assert (verdict[system == position] == code).mean() == pytest.approx(rate, abs=TOLERANCE)
    given = made.columns["label"].codes[made.columns["rater_kind"].equals("human")]
    single = made.items["quality"].single_rated[
        made.columns["item_id"].codes[made.columns["rater_kind"].equals("human")]
    ]
    for code, label in enumerate(QUALITY.all_labels):
        rate = made.truth[truth_name("label_rate", "quality", label=label)]
        assert (given[~single] == code).mean() == pytest.approx(rate, abs=TOLERANCE)


def test_clusters_share_truth_and_leave_the_rates_alone(made: KnownTruth) -> None:
    hidden = made.items["quality"]
    first, second = hidden.level[0::4], hidden.level[1::4]
    assert (hidden.level == 0).mean() == pytest.approx(0.6, abs=TOLERANCE)
    assert np.corrcoef(first, second)[0, 1] == pytest.approx(0.25, abs=0.02), (
        "pulled together half of the time each"
    )


def test_the_share_of_single_rated_items_is_kept_exactly(made: KnownTruth) -> None:
    assert made.items["quality"].single_rated.mean() == 0.25


def test_same_seed_same_study_and_another_seed_another() -> None:
    metric = PlantedMetric(people=people(3), items=50)
    one, same, other = (
        known_truth([metric], seed=seed).columns["label"].codes.tolist() for seed in (1, 1, 2)
    )
    assert one == same
    assert one != other


def test_a_metric_does_not_depend_on_its_neighbours() -> None:
    first, second = (PlantedMetric(name=name, people=people(3), items=50) for name in ("one", "two"))
    alone = known_truth([second], seed=3)
    both = known_truth([first, second], seed=3)
    rows = both.columns["metric"].equals("two")
    assert both.columns["label"].codes[rows].tolist() == alone.columns["label"].codes.tolist()


def test_perfect_people_and_a_perfect_judge_have_agreement_one() -> None:
    metric = PlantedMetric(people=people(3, accuracy=1.0), difficulty=(Difficulty(share=1.0),), items=10)
    made = known_truth([metric], judges=[PlantedJudge(id="judge", accuracy=1.0)])
    assert made.truth[truth_name("person_person", "quality", policy="kept apart")] == pytest.approx(1)
    assert made.truth[
        truth_name("judge_person", "quality", judge="judge", policy="kept apart")
    ] == pytest.approx(1)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: PlantedRater(id="x", accuracy=1.2), "accuracy of 'x' is 1.2"),
        (lambda: PlantedJudge(id="x", noise=-0.1), "noise of 'x'"),
        (lambda: PlantedMetric(prevalence=(0.5, 0.6)), "add up to 1"),
        (lambda: PlantedMetric(people=people(13)), "at most 12"),
        (
            lambda: PlantedMetric(difficulty=(Difficulty(share=1, indeterminate=0.1),)),
            "no indeterminate label",
        ),
        (lambda: PlantedMetric(items=0), "items is 0.*1 or more"),
        (lambda: PlantedMetric(runs=0), "runs is 0"),
        (lambda: known_truth([PlantedMetric(), PlantedMetric()]), "same name"),
        (
            lambda: known_truth([PlantedMetric()], systems=[PlantedSystem(name="s", shift=0.9)]),
            "out of 0 to 1",
        ),
        (
            lambda: known_truth([PlantedMetric(people=people(2))], judges=[PlantedJudge(id="person-1")]),
            "same id",
        ),
    ],
)
def test_impossible_plans_are_refused(make: object, says: str) -> None:
    with pytest.raises(UserError, match=says):
        make()  # type: ignore[operator]


def test_ordered_metrics_have_ordinal_truths() -> None:
    """Against the project's own statistics, which are tested against other packages."""
    levels = (Difficulty(share=0.6), Difficulty(share=0.4, guess=0.5))
    metric = PlantedMetric(
        name="care",
        labels=("none", "some", "much", "full"),
        ordered=True,
        prevalence=(0.1, 0.2, 0.4, 0.3),
        difficulty=levels,
        people=people(3, accuracy=(0.9, 0.7, 0.6), missing=0.2),
        items=60_000,
    )
    made = known_truth([metric], judges=[PlantedJudge(id="judge", accuracy=0.7, lean=0.1)], seed=5)
    columns = made.columns
    human = columns["rater_kind"].equals("human")
    coded = Coded(
        item=columns["item_id"].codes[human],
        rater=columns["rater_id"].codes[human],
        label=columns["label"].codes[human],
        n_items=metric.items,
        n_raters=3,
        q=4,
        values=None,
        cluster=None,
        ordered=True,
    )
    verdict = columns["label"].codes[~human]
    found = judge_against_people(
        coded, verdict, weights="quadratic", by="rank", resamples=100, rng=np.random.default_rng(0)
    )
    sample = {
        "krippendorff_alpha": krippendorff_alpha(coded, level="ordinal"),
        "person_person": found.people.value,
        "fleiss_kappa": fleiss_kappa(coded),
    }
    for figure, value in sample.items():
        assert value == pytest.approx(
            made.truth[truth_name(figure, "care", policy="kept apart")], abs=TOLERANCE
        ), figure
    for figure, value in {"judge_person": found.judge.value, "difference": found.difference.value}.items():
        name = truth_name(figure, "care", judge="judge", policy="kept apart")
        assert value == pytest.approx(made.truth[name], abs=TOLERANCE), figure
