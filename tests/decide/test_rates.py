"""Corrected rates: what they equal, whether they cover, what is refused, and how they are told."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import voirdire
from voirdire.decide.rates_cells import direct_means
from voirdire.decide.rates_design import Design, Values
from voirdire.decide.rates_finite import these_items_variance
from voirdire.decide.rates_intervals import on_simplex
from voirdire.decide.rates_pooled import pooled_corrections
from voirdire.decide.rates_ranks import critical_value, rank_intervals
from voirdire.decide.rates_result import Rates
from voirdire.decide.rates_rows import ALL, Rate
from voirdire.errors import UserError
from voirdire.stats.clustered import clustered_mean
from voirdire.stats.prediction_powered import prediction_powered_mean
from voirdire.study import Study
from voirdire.study.combined_labels import taken
from voirdire.testing.rated_systems import RatedSystems, rated_systems

QUICK = voirdire.RatesOptions(select="confusion_row", draws=300)


@pytest.fixture(scope="module")
def made() -> RatedSystems:
    return rated_systems(np.random.default_rng(11))


@pytest.fixture(scope="module")
def found(made: RatedSystems) -> Rates:
    return voirdire.rates(made.study, QUICK)


def row(found: Rates, system: str, quantity: str = "pass rate") -> Rate:
    return next(each for each in found.rows if (each.system, each.quantity) == (system, quantity))


def columns(rows: list[tuple[str, str, str, str, str]]) -> dict[str, list[str]]:
    names = ("item_id", "rater_id", "rater_kind", "label", "system")
    return {name: [each[k] for each in rows] for k, name in enumerate(names)}


def labelled(n: int, *, judge: str = "judge", start: int = 0, systems: int = 2) -> dict[str, list[str]]:
    """n items, each with a verdict and a person's label that agree on two of three."""
    rows = []
    for k in range(start, start + n):
        system, right = f"s{k % systems}", ("yes", "no")[k % 5 < 2]
        rows.append((f"i{k}", "Ann", "human", right, system))
        rows.append((f"i{k}", judge, "judge", right if k % 3 else ("yes", "no")[right == "yes"], system))
    return columns(rows)


def test_every_cell_is_the_registered_statistic() -> None:
    """The many cells at once give what prediction_powered_mean gives one by one, weights and clusters too."""
    rng = np.random.default_rng(2)
    n, cells = 300, 3
    cell, cluster = rng.integers(cells, size=n), rng.integers(90, size=n)
    f = rng.normal(size=n)
    chance = rng.uniform(0.2, 0.6, size=n)
    y = np.where(rng.random(n) < chance, f + rng.normal(size=n), np.nan)
    weight = np.where(np.isnan(y), 0.0, 1 / chance)
    none = np.zeros(0, dtype=np.intp)
    design = Design.of(np.arange(n), cell, cells, cluster=cluster, weight=weight, labels=(none, none, none))
    means = direct_means(design, Values(np.nan_to_num(y), f, np.ones(n), np.zeros(0)))
    for one in range(cells):
        at = cell == one
        single = prediction_powered_mean(y[at], f[at], probability=chance[at], cluster=cluster[at])
        assert means.value[one] == pytest.approx(single.estimate.value)
        assert np.sqrt(means.covariance[one, one]) == pytest.approx(single.standard_error)
        assert means.tuning[one] == pytest.approx(single.tuning)
        assert means.alone[one] == pytest.approx(single.alone.value)


def test_cells_that_share_clusters_are_paired() -> None:
    """The variance of a difference is that of the clusters' differences, by the plain formula."""
    rng = np.random.default_rng(4)
    shared = rng.normal(size=50)
    y = np.concatenate([shared + 0.3 * rng.normal(size=50), shared + 0.3 * rng.normal(size=50)])
    cluster, cell = np.tile(np.arange(50), 2), np.repeat([0, 1], 50)
    none = np.zeros(0, dtype=np.intp)
    design = Design.of(
        np.arange(100), cell, 2, cluster=cluster, weight=np.ones(100), labels=(none, none, none)
    )
    c = direct_means(design, Values(y, np.zeros(100), np.ones(100), np.zeros(0))).covariance
    gap = y[:50] - y[50:]
    assert c[0, 0] + c[1, 1] - 2 * c[0, 1] == pytest.approx(gap.var(ddof=1) / 50)


def test_of_these_items_only_what_is_not_labelled_is_left_to_guess() -> None:
    """All labelled by two: their disagreement alone; by one: unknown, nothing gained; half: both parts."""
    rng = np.random.default_rng(8)
    n, k = 200, 2
    of_item = rng.normal(size=n)
    label = of_item[:, None] + 0.5 * rng.normal(size=(n, k))

    def variances(labelled: int, people: int) -> tuple[float, float]:
        own = label[:labelled, :people]
        labels = (np.repeat(np.arange(labelled), people), np.tile(np.arange(people), labelled))
        weight = (np.arange(n) < labelled).astype(float)
        zero = np.zeros(n, dtype=np.intp)
        single = (*labels, np.zeros_like(labels[0]))
        design = Design.of(
            np.arange(n),
            zero,
            1,
            cluster=np.arange(n),
            weight=weight,
            labels=single,
        )
        y = np.zeros(n)
        y[:labelled] = own.mean(axis=1)
        values = Values(y, np.zeros(n), np.ones(n), own.ravel())
        means = direct_means(design, values)
        return float(these_items_variance(design, values, means)[0]), float(means.covariance[0, 0])

    within = label.var(axis=1, ddof=1).mean() / k
    assert variances(n, 2)[0] == pytest.approx(within / n)
    assert variances(n, 1)[0] == pytest.approx(variances(n, 1)[1])
    half, whole = variances(n // 2, 2)
    assert half == pytest.approx(whole / 2 + label[: n // 2].var(axis=1, ddof=1).mean() / k / (n // 2) / 2)


def test_labels_alone_are_the_mean_of_item_means(pandalm: Study) -> None:
    """With every item labelled nothing is left to correct: the value is people's own mean."""
    full = voirdire.rates(pandalm, QUICK)
    panel = pandalm.panel("preference").coded
    first = np.array([1.0, 0.5, 0.0])[panel.label]
    share = np.bincount(panel.item, first) / np.bincount(panel.item)
    attributes = pandalm.items.attributes
    score = np.where(attributes["system_a"].equals("llama-7b"), share, 1 - share)
    mine = attributes["system_a"].equals("llama-7b") | attributes["system_b"].equals("llama-7b")
    expected = clustered_mean(score[mine])
    got = row(full, "llama-7b", "score")
    assert got.corrected.value == pytest.approx(expected.value)
    assert (got.labels_alone.low, got.labels_alone.high) == pytest.approx((expected.low, expected.high))
    assert got.rank is not None
    assert got.rank.low == got.rank.high == 1
    ties = row(full, "llama-7b over opt-7b", "tie rate").corrected.value
    wins = row(full, "llama-7b over opt-7b", "win rate").corrected.value
    assert row(full, "llama-7b over opt-7b", "score").corrected.value == pytest.approx(wins + ties / 2)


def test_shares_of_a_system_are_one_distribution(llm_rubric: Study) -> None:
    found = voirdire.rates(llm_rubric, replace(QUICK, metrics=("Q0",)))
    for system in ("0", "V1", ALL):
        shares = [row(found, system, f"share of {label}").corrected for label in "1234"]
        assert sum(share.value for share in shares) == pytest.approx(1)
        assert all(share.low <= share.value <= share.high for share in shares)
    assert row(found, "0", "mean").new_raters.high > row(found, "0", "mean").corrected.high


def test_the_planted_truth_is_found_where_the_judge_is_off(made: RatedSystems, found: Rates) -> None:
    for system, truth in made.truth.items():
        got = row(found, system)
        assert got.judges[0].naive.value == pytest.approx(made.judge[system])
        assert abs(got.corrected.value - truth) < 0.12
        assert got.gain > 1
    naive = {system: row(found, system).judges[0].naive for system in made.truth}
    assert (
        sum(not naive[system].low <= truth <= naive[system].high for system, truth in made.truth.items()) >= 2
    )


def test_the_same_seed_gives_the_same_rates(made: RatedSystems, found: Rates) -> None:
    assert voirdire.rates(made.study, QUICK).to_dict() == found.to_dict()


def test_recorded_chances_are_used(made: RatedSystems) -> None:
    study = rated_systems(np.random.default_rng(5), unequal=True).study
    used, unused = voirdire.rates(study, QUICK), voirdire.rates(study, replace(QUICK, probability=""))
    assert row(used, "alpha").labels_alone.value < row(unused, "alpha").labels_alone.value
    column = study.items.attributes["sampling_probability"]
    broken = {
        **study.items.attributes,
        "sampling_probability": replace(column, codes=np.full_like(column.codes, -1)),
    }
    with pytest.raises(UserError, match="without a chance"):
        voirdire.rates(replace(study, items=replace(study.items, attributes=broken)), QUICK)


def test_few_labels_borrow_or_are_refused() -> None:
    study = rated_systems(np.random.default_rng(6), labelled=0.04).study
    found = voirdire.rates(study, QUICK)
    assert row(found, "alpha").method == "pooled"
    assert row(found, "alpha").new_raters.no_interval is not None
    assert any("borrow from the others" in note for note in found.notes)
    two = voirdire.rates(voirdire.open(labelled(40)), QUICK)
    assert row(two, "s0").corrected.undefined == "insufficient_items"
    assert row(two, ALL).corrected.undefined is None
    assert any("have no corrected rate" in note for note in two.notes)
    with pytest.raises(
        UserError, match="20 judged items have a human label, of 30 that a corrected rate needs"
    ):
        voirdire.rates(voirdire.open(labelled(20)), QUICK)


def test_one_label_an_item_and_one_rater_work() -> None:
    found = voirdire.rates(voirdire.open(labelled(200)), QUICK)
    got = row(found, "s0", "pass rate")
    assert got.corrected.has_interval
    assert got.n_raters == 1
    assert got.new_raters.no_interval == "insufficient_raters"


def test_another_scale_is_refused_for_the_judge_alone() -> None:
    data = labelled(200)
    data["label"] = [
        {"yes": "9", "no": "2"}[label] if kind == "judge" else label
        for label, kind in zip(data["label"], data["rater_kind"], strict=True)
    ]
    found = voirdire.rates(voirdire.open(data), QUICK)
    judge = row(found, "s0").judges[0]
    assert judge.naive.undefined == "scale_mismatch"
    assert judge.rogan_gladen is not None
    assert judge.rogan_gladen.undefined == "scale_mismatch"
    assert row(found, "s0").corrected.undefined is None
    assert any("unless a map is declared" in note for note in found.notes)


def test_missing_verdicts_are_counted(pandalm: Study) -> None:
    found = voirdire.rates(pandalm, replace(QUICK, judges=("gpt-3.5-turbo",)))
    missing = {each.system: each.judges[0].missing for each in found.rows if each.quantity == "tie rate"}
    assert missing[ALL] == 25
    assert any("no verdict on 25 of 999" in note for note in found.notes)


def test_a_verdict_that_changed_with_the_order_is_a_tie(mtbench: Study) -> None:
    found = voirdire.rates(mtbench, QUICK)
    judge = row(found, "gpt-4", "tie rate").judges[0]
    ratings = mtbench.ratings
    code = {label: k for k, label in enumerate(mtbench.metrics[0].scale.labels)}
    pairs = [mtbench.items.attributes[side].equals("gpt-4") for side in ("system_a", "system_b")]
    mine = (ratings.rater == [rater.id for rater in mtbench.raters].index(judge.judge)) & (ratings.label >= 0)
    mine &= (pairs[0] ^ pairs[1])[ratings.item]
    ties = np.isin(ratings.label[mine], [code["tie"], code["tie_inconsistent"]])
    assert judge.naive.value == pytest.approx(ties.mean())


def test_all_metrics_together_pass_by_their_polarity_and_weigh_as_judged() -> None:
    """Two metrics of 300 and 100 judged items, of which 60 and 50 are labelled; present is bad on one."""
    rows: dict[str, list[str]] = {
        name: [] for name in ("item_id", "metric", "rater_id", "rater_kind", "label", "system")
    }
    for metric, n, labels, present in (("kind", 300, 60, 0.5), ("rude", 100, 50, 0.2)):
        for k in range(n):
            label = "present" if k % 10 < 10 * present else "absent"
            for rater, kind in (("Ann", "human"), ("J", "judge"))[0 if k < labels else 1 :]:
                cells = (f"{metric}{k}", metric, rater, kind, label, f"s{k // 10 % 2}")
                for name, cell in zip(rows, cells, strict=True):
                    rows[name].append(cell)
    polarity = {"metrics": {"kind": {"polarity": "positive"}, "rude": {"polarity": "negative"}}}
    found = voirdire.rates(voirdire.open(rows, config=polarity), QUICK)
    got = next(each for each in found.rows if (each.metric, each.system) == ("all metrics", ALL))
    assert (got.n_items, got.n_labelled) == (400, 110)
    assert got.labels_alone.value == pytest.approx((300 * 0.5 + 100 * 0.8) / 400)
    assert got.judges[0].naive.value == pytest.approx((300 * 0.5 + 100 * 0.8) / 400)
    assert got.corrected.value == pytest.approx(0.575, abs=0.01)


def test_ranks_and_pooling_by_hand() -> None:
    apart = critical_value(np.eye(3), 1e9, level=0.95, draws=100_000, rng=np.random.default_rng(1))
    assert apart == pytest.approx(2.344, abs=0.03), "Tukey's studentised range for 3, over root 2"
    ranks = rank_intervals(np.array([1.0, 0.9, 0.0]), np.full((3, 3), 0.2), apart)
    assert [(rank.low, rank.high) for rank in ranks] == [(1, 2), (1, 2), (3, 3)]
    mean, spread = pooled_corrections(np.array([1.0, 1.0, 1.0]), np.full(3, 0.01), largest=2.0)
    assert mean == pytest.approx([1, 1, 1])
    assert (np.diag(spread) < 0.01).all()
    assert on_simplex(np.array([[0.2, 0.3, 0.5]])) == pytest.approx(np.array([[0.2, 0.3, 0.5]]))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (columns([("a", "J", "judge", "yes", "s"), ("b", "J", "judge", "no", "s")]), "no human label"),
        (
            columns([("a", "Ann", "human", "yes", "s"), ("b", "Ann", "human", "no", "s")]),
            "no judge's verdict",
        ),
        (
            columns([("a", "Ann", "human", "yes", "s"), ("b", "J", "judge", "no", "s")]),
            r"0 matched, 1 \('a'\) with human labels only, 1 \('b'\) with verdicts only",
        ),
    ],
)
def test_what_cannot_be_corrected_is_said(data: dict[str, list[str]], message: str) -> None:
    with pytest.raises(UserError, match=message):
        voirdire.rates(voirdire.open(data), QUICK)


def test_options_are_checked() -> None:
    for wrong in ({"level": 1.5}, {"draws": 1}, {"metrics": "quality"}, {"fewest": 1}, {"select": 3}):
        with pytest.raises(UserError):
            voirdire.RatesOptions(**wrong)  # type: ignore[arg-type]
    with pytest.raises(UserError, match="takes a Study"):
        voirdire.rates("study")  # type: ignore[arg-type]


def test_text_json_and_tables(found: Rates, tmp_path: Path) -> None:
    text = str(found)
    assert "label: pass rate" in text
    assert "Rogan-Gladen" in text
    assert "all systems" in text
    said = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert said["rates"][0]["corrected"]["target"] == "these raters, new items"
    with found.export(tmp_path / "rates.csv").open() as file:
        table = list(csv.DictReader(file))
    assert len(table) == len(found.rows)
    assert float(table[1]["corrected"]) == found.rows[1].corrected.value
    assert voirdire.open(found.export(tmp_path / "rates.parquet"), columns={"item_id": "system"})


@pytest.mark.coverage_simulation
def test_intervals_and_ranks_cover_where_the_judge_alone_does_not() -> None:
    """60 planted studies of 4 systems with prompts as clusters, 3 raters an item, unequal sampling."""
    rng, hits, naive, ranked, n = np.random.default_rng(9), 0, 0, 0, 60
    for k in range(n):
        made = rated_systems(rng, prompts=250, unequal=True)
        found = voirdire.rates(made.study, replace(QUICK, seed=k))
        order = sorted(made.truth, key=lambda system: -made.truth[system])
        for place, system in enumerate(order, start=1):
            got = row(found, system)
            hits += got.corrected.low <= made.truth[system] <= got.corrected.high
            naive += got.judges[0].naive.low <= made.truth[system] <= got.judges[0].naive.high
            assert got.rank is not None
            ranked += got.rank.low <= place <= got.rank.high
    assert hits / (4 * n) >= 0.90, "95 % less three standard errors of 240 intervals in 60 clusters"
    assert naive / (4 * n) < 0.5
    assert ranked / (4 * n) >= 0.95


@pytest.mark.coverage_simulation
@pytest.mark.parametrize("name", ["pandalm", "llm_rubric"])
def test_a_tenth_of_the_items_covers_the_value_of_all(name: str, request: pytest.FixtureRequest) -> None:
    study: Study = request.getfixturevalue(name)
    options = replace(QUICK, metrics=("Q0", "Q8") if name == "llm_rubric" else (), draws=100)
    full = {(each.metric, each.system, each.quantity): each for each in voirdire.rates(study, options).rows}
    ratings, rng, hits = study.ratings, np.random.default_rng(3), []
    human = study.is_kind("human")[ratings.rater]
    for _ in range(12):
        items = rng.choice(len(study.items), len(study.items) // 10, replace=False)
        kept = np.flatnonzero(~human | np.isin(ratings.item, items))
        for each in voirdire.rates(replace(study, ratings=taken(ratings, kept)), options).rows:
            value = full[each.metric, each.system, each.quantity].labels_alone.value
            hits.append(each.corrected.low - 1e-9 <= value <= each.corrected.high + 1e-9)
    assert 0.90 <= np.mean(hits) <= 0.995


@pytest.mark.coverage_simulation
@pytest.mark.parametrize(("clusters", "spread"), [(3, 0.0), (4, 0.1), (4, 0.3)])
def test_intervals_cover_however_few_clusters_the_labels_lie_in(clusters: int, spread: float) -> None:
    """Few clusters give some narrow intervals by luck; Student's t pays for them with the wide ones."""
    rng, hits = np.random.default_rng(5), []
    for seed in range(80):
        study = voirdire.open(few_clusters(rng, clusters, spread), config=IN_CLUSTERS)
        try:
            got = row(voirdire.rates(study, replace(QUICK, seed=seed)), ALL).corrected
        except UserError:  # fewer than 30 labelled items happened to be drawn
            continue
        hits.append(got.low <= PASSES <= got.high)
    assert len(hits) >= 60
    assert np.mean(hits) >= 0.87, "95 % less three standard errors"


@pytest.mark.coverage_simulation
def test_systems_that_borrow_cover_where_the_labels_lie_in_four_clusters() -> None:
    rng, hits = np.random.default_rng(5), []
    for seed in range(80):
        rows = few_clusters(rng, 4, 0.3, items=150, systems="STUVW", share=0.12)
        found = voirdire.rates(voirdire.open(rows, config=IN_CLUSTERS), replace(QUICK, seed=seed))
        borrowed = [each.corrected for each in found.rows if each.method == "pooled"]
        hits += [got.low <= PASSES <= got.high for got in borrowed]
    assert len(hits) >= 300
    assert np.mean(hits) >= 0.92, "with degrees of freedom counted by rows it is .82"


PASSES = 0.6
IN_CLUSTERS = {
    "clusters": ["prompt"],
    "metrics": {"m": {"scale": {"kind": "binary", "labels": ["fail", "pass"]}}},
}


def few_clusters(
    rng: np.random.Generator,
    clusters: int,
    spread: float,
    *,
    items: int = 40,
    systems: str = "ST",
    share: float = 0.35,
) -> list[dict[str, str]]:
    """``items`` a cluster, a ``share`` labelled; clusters differ in passing by the correlation ``spread``."""
    said = {True: "pass", False: "fail"}
    rows = []
    for cluster in range(clusters):
        size = 1 / spread - 1 if spread else np.inf
        rate = rng.beta(PASSES * size, (1 - PASSES) * size) if spread else PASSES
        for k in range(items):
            truth = bool(rng.random() < rate)
            names = {"item_id": f"{cluster}-{k}", "metric": "m", "system": systems[k % len(systems)]}
            item = {**names, "prompt": str(cluster)}
            verdict = truth if rng.random() < 0.8 else not truth
            rows.append({**item, "rater_id": "J", "rater_kind": "judge", "label": said[verdict]})
            if rng.random() < share:
                rows.append({**item, "rater_id": "A", "rater_kind": "human", "label": said[truth]})
    return rows
