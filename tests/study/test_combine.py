"""A study and a file of verdicts as one: matched items, new items, repeats, labels and what is refused."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

import voirdire
from voirdire.errors import UserError
from voirdire.study import Study
from voirdire.study.combine import check_matched, combine, judged_metrics

Table = Mapping[str, list[str]]


def table(rows: list[str], names: str = "item_id rater_id rater_kind label system") -> dict[str, list[str]]:
    cells = [row.split() for row in rows]
    return {name: [row[k] for row in cells] for k, name in enumerate(names.split())}


@pytest.fixture
def study() -> Study:
    return voirdire.open(
        table(["a Ann human yes s", "b Ann human no t", "a J judge no s", "b J judge yes t"])
    )


def test_new_items_join_with_their_attributes(study: Study) -> None:
    both = combine(study, voirdire.open(table(["b J judge yes t", "c J judge no u", "d J judge yes s"])))
    assert both.items.ids == ("a", "b", "c", "d")
    assert list(both.items.attributes["system"]) == ["s", "t", "u", "s"]
    assert len(both.ratings) == 6, "the verdict on b stands in both and counts once"
    assert any("1 verdicts that the study holds already" in note for note in both.assumptions)
    labels = both.metrics[0].scale.labels
    judge = both.ratings.rater == [rater.id for rater in both.raters].index("J")
    said = {
        both.items.ids[i]: labels[c]
        for i, c in zip(both.ratings.item[judge], both.ratings.label[judge], strict=True)
    }
    assert said == {"a": "no", "b": "yes", "c": "no", "d": "yes"}


def test_a_judge_needs_no_kind_where_the_study_knows_it(study: Study) -> None:
    both = combine(study, voirdire.open(table(["c J yes", "d J no"], "item_id rater_id label")))
    assert [rater.id for rater in both.raters if rater.kind == "judge"] == ["J"]


def test_a_verdict_reads_as_the_study_reads_the_same_judge() -> None:
    data = table(
        ["a Ann human yes", "a J judge 1", "b J judge 0", "b Ann human no"],
        "item_id rater_id rater_kind label",
    )
    mapped = {"raters": {"J": {"map": {"1": "yes", "0": "no"}}}}
    study = voirdire.open(data, config=mapped)
    both = combine(
        study, voirdire.open(table(["c J judge 1", "d J judge 0"], "item_id rater_id rater_kind label"))
    )
    assert both.metrics[0].scale.labels == study.metrics[0].scale.labels
    assert (both.ratings.label >= 0).all()


def test_numbers_beyond_the_study_take_their_place() -> None:
    names = "item_id rater_id rater_kind label"
    study = voirdire.open(table(["a Ann human 2", "b Ann human 4", "a J judge 2"], names))
    both = combine(study, voirdire.open(table(["c J judge 1", "d J judge 3"], names)))
    assert both.metrics[0].scale.labels == ("1", "2", "3", "4")
    assert [both.metrics[0].scale.labels[code] for code in both.ratings.label] == ["2", "4", "2", "1", "3"]


def test_clusters_join_through_items_and_names() -> None:
    names = "item_id rater_id rater_kind label cluster"
    study = voirdire.open(table(["a Ann human yes p", "b Ann human no q", "a J judge yes p"], names))
    both = combine(
        study, voirdire.open(table(["c J judge yes p", "d J judge no r", "b J judge no q"], names))
    )
    assert both.items.cluster is not None
    a, b, c, d = both.items.cluster.tolist()
    assert a == c
    assert len({a, b, d}) == 3


def test_verdicts_without_verdicts_of_the_study() -> None:
    """All verdicts may stand in the second file."""
    study = voirdire.open(table(["a Ann human yes", "b Ann human no"], "item_id rater_id rater_kind label"))
    both = combine(
        study, voirdire.open(table(["a J judge yes", "c J judge no"], "item_id rater_id rater_kind label"))
    )
    check_matched(both)
    assert judged_metrics(both) == [("label",)]


@pytest.mark.parametrize(
    ("rows", "names", "message"),
    [
        (["c Bo human yes s"], "item_id rater_id rater_kind label system", "no rater is known to be a judge"),
        (["c K judge yes s"], "item_id rater_id rater_kind label system", "judge 'K' gave no verdict"),
        (["a J judge yes s"], "item_id rater_id rater_kind label system", "says 'yes' here and 'no'"),
        (["a J judge no t"], "item_id rater_id rater_kind label system", "has system 't' here and 's'"),
        (
            ["c J judge yes other", "d J judge no more"],
            "item_id rater_id rater_kind label metric",
            "no metric is one of the study's: other, more",
        ),
    ],
)
def test_what_does_not_fit_is_refused(study: Study, rows: list[str], names: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        combine(study, voirdire.open(table(rows, names)))


def test_zero_matches_show_both_sides() -> None:
    names = "item_id rater_id rater_kind label"
    study = voirdire.open(table([f"h{k} Ann human yes" for k in range(5)] + ["h9 Ann human no"], names))
    both = combine(study, voirdire.open(table(["v1 J judge yes", "v2 J judge no"], names)))
    with pytest.raises(UserError) as problem:
        check_matched(both)
    assert "0 matched, 6 ('h0', 'h1', 'h2', ...) with human labels only, 2 ('v1', 'v2') with verdicts" in str(
        problem.value
    )
    assert np.array_equal(np.unique(both.ratings.source), [0, 1])
