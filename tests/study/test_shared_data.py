"""Every shared data set opens without configuration, and holds what its README counts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from voirdire.opening import open as open_study
from voirdire.study import OK, STATUSES, Study

COUNTS = {  # ratings, items, people, judges, metrics: the tables in the READMEs
    "humanebench/long.csv": (245, 48, 4, 3, 1),
    "pandalm/long.csv": (4995, 999, 3, 2, 1),
    "mtbench_human/long.csv": (2991, 1240, 65, 1, 1),
    "llm_rubric/long.csv": (11679, 473, 24, 1, 9),
    "dices/long.parquet": (43400, 350, 124, 0, 1),
    "reference_tables/krippendorff_2011.long.csv": (41, 12, 4, 0, 1),
}
KINDS = {
    "humanebench/long.csv": "ordinal",
    "pandalm/long.csv": "pairwise",
    "mtbench_human/long.csv": "pairwise",
    "llm_rubric/long.csv": "ordinal",
    "dices/long.parquet": "nominal",
    "reference_tables/krippendorff_2011.long.csv": "ordinal",
}


@pytest.mark.parametrize("file", COUNTS)
def test_a_shared_file_opens_as_its_readme_says(shared: Path, file: str) -> None:
    study = open_study(shared / "data" / file)
    people, judges = study.raters_of("human"), study.raters_of("judge")
    found = (len(study.ratings), len(study.items), len(people), len(judges), len(study.metrics))
    assert found == COUNTS[file]
    assert {metric.scale.kind for metric in study.metrics} == {KINDS[file]}
    assert "merged_duplicates" not in study.counts


def raters_per_item(study: Study, metric: str) -> list[int]:
    counts = study.panel(metric).raters_per_item
    return [int(counts.min()), int(np.median(counts)), int(counts.max())]


def test_humanebench(humanebench: Study) -> None:
    assert humanebench.metrics[0].scale.values == (-1, -0.5, 0.5, 1)
    assert raters_per_item(humanebench, "humane_severity") == [2, 4, 4]
    assert sum(humanebench.raters[rater].kind == "human" for rater in humanebench.ratings.rater) == 173
    judged = humanebench.ratings.item[humanebench.rows("humane_severity", kind="judge")]
    assert len(set(judged.tolist())) == 24
    assert humanebench.slice_by == ("system", "group", "principle")
    assert set(humanebench.items.texts) == {"input", "output"}
    assert not any(column.is_missing.any() for column in humanebench.items.texts.values())


def test_pandalm_counts_unparsed_replies_and_makes_no_class_of_them(pandalm: Study) -> None:
    unparsed = STATUSES.index("unparsed")
    rows = np.flatnonzero(pandalm.ratings.status == unparsed)
    assert len(rows) == pandalm.counts["unparsed_ratings"] == 25
    assert {pandalm.raters[rater].id for rater in pandalm.ratings.rater[rows]} == {"gpt-3.5-turbo"}
    assert (pandalm.ratings.label[rows] == -1).all()
    assert pandalm.metrics[0].scale.labels == ("first", "tie", "second")
    assert set(pandalm.items.texts) == {"instruction", "input", "response1", "response2"}


def test_dices(dices: Study) -> None:
    assert raters_per_item(dices, "safety") == [124, 124, 124]
    groups = [rater.attributes["group"] for rater in dices.raters]
    assert (groups.count("crowd"), len(groups)) == (123, 124)
    assert "no order" not in " ".join(dices.assumptions)
    assert dices.metrics[0].scale.labels == ("safe", "unsafe", "unsure")


def test_mtbench(mtbench: Study) -> None:
    assert mtbench.metrics[0].scale.labels == ("first", "tie", "second", "tie_inconsistent")
    human = mtbench.rows("preference", kind="human")
    per_item = np.bincount(mtbench.ratings.item[human], minlength=len(mtbench.items))
    assert np.bincount(per_item)[:3].tolist() == [8, 825, 319]
    assert len(human) == 1751
    assert mtbench.slice_by == ("system", "group", "system_a", "system_b", "turn")


def test_llm_rubric(llm_rubric: Study) -> None:
    assert set(llm_rubric.ratings.probabilities) == {"1", "2", "3", "4"}
    given = ~np.isnan(llm_rubric.ratings.probabilities["1"])
    judged = [llm_rubric.raters[rater].kind == "judge" for rater in llm_rubric.ratings.rater]
    assert given.tolist() == judged
    assert (llm_rubric.ratings.status == OK).all()


def test_impactbench_is_one_study_of_six_files(impactbench: Study) -> None:
    assert len(impactbench.sources) == 6
    rows = np.bincount(impactbench.ratings.source).tolist()
    assert rows == [48540, 720, 87, 297, 162]
    assert len(impactbench.metrics) == 809 + 18 + 2
    polarity = [metric.polarity for metric in impactbench.metrics]
    assert (polarity.count("positive"), polarity.count("negative")) == (460, 349)
    assert len(impactbench.raters_of("human")) == 19 + 10
    assert [rater.id for rater in impactbench.raters if rater.kind == "judge"] == ["gpt-5.6-luna"]
    assert len(impactbench.reviews) == 33
    adequacy = [review.adequacy for review in impactbench.reviews]
    assert [adequacy.count(word) for word in ("adequate", "uncertain", "inadequate")] == [20, 10, 3]
    assert sum(review.rename for review in impactbench.reviews) == 10
    assert impactbench.population == {"metrics": 809, "benchmarks": 26, "items": 48540}
    assert "made data" in impactbench.demo.lower()


def test_impactbench_joins_experts_and_judge_on_the_same_items(impactbench: Study) -> None:
    panel = impactbench.panel("humane-B")
    assert (panel.coded.n_items, panel.coded.n_raters) == (9, 5)
    assert panel.scale.labels == ("pass", "fail")
    verdicts = impactbench.verdicts("humane-B", 0, panel.items)
    assert verdicts.given.all()
    assert [impactbench.ratings.raw[row] for row in impactbench.rows("humane-B", kind="judge")[:4]] == [
        "0",
        "0",
        "1",
        "1",
    ]
    metric = impactbench.metric("single-00")
    assert metric.scale.indeterminate == {"borderline": ("pass", "fail")}
    assert (metric.policy.name, metric.tie) == ("as fail", "fail")
    assert "model_set" in impactbench.ratings.attributes


def test_impactbench_retest_keeps_runs_and_polarity(impactbench: Study) -> None:
    rows = impactbench.rows("retest")
    assert len(rows) == 720
    assert {impactbench.ratings.run[int(row)] for row in rows} == {"1", "2", "3"}
    polarity = impactbench.items.attributes["polarity"]
    assert {polarity[int(item)] for item in impactbench.ratings.item[rows]} == {"positive", "negative"}
    assert impactbench.metric("retest").polarity == ""
    assert impactbench.slice_by == ("polarity", "area", "subarea", "benchmark", "system", "age")
