"""The judge of the package asks about each metric in the way that fits it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import voirdire
from judges.studies import write_study
from voirdire.errors import UserError
from voirdire.judges.built_in import FILES, FOLDER, built_in_judges
from voirdire.study import Study
from voirdire.study.metric import Metric
from voirdire.study.scale import PAIRWISE_LABELS, Scale

METRICS = (
    Metric("warm", Scale("binary", ("cold", "warm"))),
    Metric("stars", Scale("ordinal", ("1", "2", "3"), ordered=True)),
    Metric("better", Scale("pairwise", PAIRWISE_LABELS)),
    Metric("length", Scale("numeric", ("0", "10"), ordered=True, values=(0.0, 10.0))),
    Metric("sides", Scale("nominal", ("first", "second"))),
)
MANY = Metric("many", Scale("nominal", tuple(f"n{k}" for k in range(27))))


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return replace(voirdire.open(write_study(tmp_path / "study")), metrics=METRICS)


def test_each_metric_is_judged_once_by_the_recipe_that_takes_it(study: Study) -> None:
    judges = built_in_judges("local", study)
    assert {judge.name: judge.config.metrics for judge in judges} == {
        "local": ("warm", "stars", "sides"),
        "local-pairs": ("better",),
        "local-numbers": ("length",),
    }
    assert {judge.name: judge.config.recipe for judge in judges} == {
        "local": "rubric",
        "local-pairs": "pairwise",
        "local-numbers": "score",
    }
    assert len({judge.version for judge in judges}) == 3


def test_metrics_by_name(study: Study) -> None:
    (judge,) = built_in_judges("local", study, ["better"])
    assert (judge.name, judge.config.metrics) == ("local-pairs", ("better",))
    with pytest.raises(UserError):
        built_in_judges("local", study, ["warmth"])


def test_a_metric_that_none_takes_is_an_error_where_it_was_asked_for(study: Study) -> None:
    more = replace(study, metrics=(*METRICS, MANY))
    assert "many" not in {name for judge in built_in_judges("local", more) for name in judge.config.metrics}
    for alone, names in ((more, ["many"]), (replace(study, metrics=(MANY,)), [])):
        with pytest.raises(UserError, match="many"):
            built_in_judges("local", alone, names)


def test_every_file_is_listed() -> None:
    assert {file.name for file in FOLDER.glob("*.yaml")} == {
        name for names in FILES.values() for name in names
    }
