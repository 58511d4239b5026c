"""voirdire.open on files, frames, folders and study.yaml; reading defaults, each said as an assumption."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from voirdire.errors import UserError, UserErrors
from voirdire.opening import open as open_study
from voirdire.study import STATUSES, Study

LONG = """item_id,metric,rater_id,rater_kind,label,run
a,tone,Ann,human,pass,0
a,tone,Bo,human,fail,0
a,tone,gpt,judge,pass,0
b,tone,Ann,human,pass,0
b,tone,gpt,judge,fail,0
"""


def write(folder: Path, text: str | bytes, name: str = "tone.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def labels(study: Study) -> list[str | None]:
    """Each rating's label on its metric's scale."""
    ratings = study.ratings
    scales = [metric.scale.labels for metric in study.metrics]
    pairs = zip(ratings.metric.tolist(), ratings.label.tolist(), strict=True)
    return [None if label < 0 else scales[metric][label] for metric, label in pairs]


def statuses(study: Study) -> list[str]:
    return [STATUSES[code] for code in study.ratings.status.tolist()]


def kinds(study: Study) -> dict[str, str]:
    return {rater.id: rater.kind for rater in study.raters}


def said(study: Study, *words: str) -> bool:
    """Whether one assumption holds all of ``words``."""
    return any(all(word in note for word in words) for note in study.assumptions)


def frame(**columns: Sequence[Any]) -> dict[str, Sequence[Any]]:
    return columns


def test_a_long_table_opens_without_configuration(tmp_path: Path) -> None:
    study = open_study(write(tmp_path, LONG))
    assert study.items.ids == ("a", "b")
    assert kinds(study) == {"Ann": "human", "Bo": "human", "gpt": "judge"}
    assert labels(study) == ["pass", "fail", "pass", "pass", "fail"]
    assert study.metrics[0].scale.kind == "binary"
    assert study.ratings.row.tolist() == [2, 3, 4, 5, 6]
    assert study.sources[0].name == "tone.csv"
    assert study.name == "tone"


@pytest.mark.parametrize("spelled", ["", "NA", "N/A", "null", "NaN", "nan", "None"])
def test_missing_spellings_of_a_text_file_are_no_class(tmp_path: Path, spelled: str) -> None:
    path = write(tmp_path, LONG + f"b,tone,Bo,human,{spelled},0\nc,tone,gpt,judge,{spelled},0\n")
    study = open_study(path)
    assert labels(study)[-2:] == [None, None]
    assert statuses(study)[-2:] == ["skip", "unparsed"]
    assert study.counts["missing_labels"] == 2
    assert said(study, "2 labels are missing", spelled or "empty")
    kept = open_study(path, missing=[])
    assert labels(kept)[-2:] == [spelled, spelled]
    assert statuses(kept)[-2:] == ["ok", "ok"]


def test_only_nulls_are_missing_in_typed_sources() -> None:
    study = open_study(frame(item_id=list("abcd"), rater_id=["Ann"] * 4, label=["nan", "", None, "NA"]))
    assert labels(study) == ["nan", "", None, "NA"]
    assert statuses(study) == ["ok", "ok", "skip", "ok"]


def test_labels_are_text(tmp_path: Path) -> None:
    study = open_study(write(tmp_path, "item,rater,label\na,Ann,01\nb,Ann,1\nc,Ann,2\n"))
    assert labels(study) == ["01", "1", "2"]
    assert said(study, "'01' is one number with another label") or said(study, "'1' is one number")


@pytest.mark.parametrize(
    ("shown", "kind", "ordered", "order"),
    [
        (["2", "10", "1"], "ordinal", True, ("1", "2", "10")),
        ([str(n) for n in range(12)], "numeric", True, tuple(str(n) for n in range(12))),
        (["1", "0"], "binary", True, ("0", "1")),
        (["low", "high", "medium"], "nominal", False, ("high", "low", "medium")),
        (["no", "yes"], "binary", False, ("no", "yes")),
        (["1", "2", "three"], "nominal", False, ("1", "2", "three")),
    ],
)
def test_scales_are_found_from_labels(
    shown: list[str], kind: str, ordered: bool, order: tuple[str, ...]
) -> None:
    study = open_study(
        frame(item_id=[f"i{n}" for n in range(len(shown))], rater_id=["A"] * len(shown), label=shown)
    )
    scale = study.metrics[0].scale
    assert (scale.kind, scale.ordered, scale.labels) == (kind, ordered, order)
    assert (scale.values is not None) == ordered
    assert said(study, "is taken as", kind)


def test_pairs_of_systems_make_a_pairwise_scale() -> None:
    study = open_study(
        frame(
            item_id=["a", "b", "c"],
            rater_id=["A"] * 3,
            label=["first", "second", "first"],
            system_a=["m"] * 3,
            system_b=["n"] * 3,
        )
    )
    assert study.metrics[0].scale.kind == "pairwise"
    assert study.metrics[0].scale.labels == ("first", "tie", "second")


def test_columns_are_found_by_synonym_and_said(tmp_path: Path) -> None:
    study = open_study(write(tmp_path, "Task ID;Annotator;Criterion;Score\n1;Ann;tone;4\n1;Bo;tone;5\n"))
    assert study.items.ids == ("1",)
    assert [rater.id for rater in study.raters] == ["Ann", "Bo"]
    for own, name in (("Task ID", "item_id"), ("Annotator", "rater_id"), ("Score", "label")):
        assert said(study, own, name)


def test_exact_names_come_before_synonyms() -> None:
    study = open_study(
        frame(id=["x", "y"], item_id=["a", "b"], score=[1, 2], label=["p", "f"], rater_id=["A", "A"])
    )
    assert study.items.ids == ("a", "b")
    assert labels(study) == ["p", "f"]
    assert set(study.items.attributes) == {"id", "score"}


def test_columns_can_be_declared_and_composed(tmp_path: Path) -> None:
    path = write(tmp_path, "q,model,who,points\n1,m,Ann,4\n1,n,Ann,5\n")
    study = open_study(
        path, columns={"item_id": "q+model", "system": "model", "rater_id": "who", "label": "points"}
    )
    assert study.items.ids == ("1|m", "1|n")
    assert list(study.items.attributes["system"]) == ["m", "n"]


def test_a_column_that_is_not_there_is_named_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no column 'scroe'.*did you mean 'score'"):
        open_study(write(tmp_path, "item,rater,score\na,Ann,1\n"), columns={"label": "scroe"})
    with pytest.raises(UserError, match="did you mean 'label'"):
        open_study(write(tmp_path, "item,rater,score\na,Ann,1\n"), columns={"lable": "score"})


def test_a_wrong_separator_is_answered_with_the_columns_seen(tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        open_study(write(tmp_path, "item_id:rater_id:label\na:Ann:pass\n"))
    assert "item_id:rater_id:label" in str(caught.value)
    assert "is the separator right?" in str(caught.value)


def test_kinds_are_guessed_by_name_and_said(tmp_path: Path) -> None:
    path = write(tmp_path, "item,rater,label\na,Ann,1\na,claude-sonnet-4,1\na,Claude Monet,2\n")
    study = open_study(path)
    assert kinds(study) == {"Ann": "human", "claude-sonnet-4": "judge", "Claude Monet": "human"}
    assert said(study, "taken as judge by name", "--judge")
    told = open_study(path, judges=["Ann"])
    assert kinds(told) == {"Ann": "judge", "claude-sonnet-4": "human", "Claude Monet": "human"}


def test_a_judge_that_did_not_rate_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no rating is by 'gtp'.*did you mean 'gpt'"):
        open_study(write(tmp_path, LONG), judges=["gtp"])


def test_one_metric_is_named_after_the_label_column(tmp_path: Path) -> None:
    study = open_study(
        write(tmp_path, "item,rater,helpful_rating\na,Ann,1\n"), columns={"label": "helpful_rating"}
    )
    assert study.metrics[0].name == "helpful_rating"
    assert said(study, "no metric column")


def test_one_rater_without_a_name_is_said_and_two_labels_an_item_refused(tmp_path: Path) -> None:
    study = open_study(write(tmp_path, "item,score\na,1\nb,2\n"))
    assert [rater.id for rater in study.raters] == ["score"]
    assert said(study, "no rater column")
    with pytest.raises(UserError, match="no column 'rater_id'"):
        open_study(write(tmp_path, "item,score\na,1\na,2\n"))


WIDE = "item,topic,Ann,Bo,gpt-4\na,x,pass,fail,pass\nb,y,pass,,fail\nc,y,,fail,\n"


@pytest.mark.parametrize("wide", [(), ("Ann", "Bo", "gpt-4")])
def test_a_wide_table_is_found_or_declared(tmp_path: Path, wide: tuple[str, ...]) -> None:
    study = open_study(write(tmp_path, WIDE), wide=wide)
    assert said(study, "Ann, Bo, gpt-4", "one rater each") == (not wide)
    assert study.metrics[0].name == "tone"
    assert kinds(study) == {"Ann": "human", "Bo": "human", "gpt-4": "judge"}
    assert labels(study) == ["pass", "fail", "pass", "pass", "fail", "fail", None]
    assert statuses(study)[-1] == "unparsed"
    assert study.counts["blank_cells"] == 2
    assert list(study.items.attributes["topic"]) == ["x", "y", "y"]
    assert study.ratings.row.tolist() == [2, 2, 2, 3, 3, 4, 4]


def test_a_wide_frame_is_found_as_a_wide_file_is() -> None:
    study = open_study({"item": ["a", "b"], "Ann": [1, 2], "gpt-4": [2, None], "topic": ["x", None]})
    assert kinds(study) == {"Ann": "human", "gpt-4": "judge"}
    assert labels(study) == ["1", "2", "2", None]
    assert statuses(study)[-1] == "unparsed"


def test_a_wide_column_that_is_not_there_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no column 'Cy'"):
        open_study(write(tmp_path, WIDE), wide=["Ann", "Cy"])


def test_identical_duplicates_are_merged_and_counted(tmp_path: Path) -> None:
    study = open_study(write(tmp_path, LONG + "a,tone,Ann,human,pass,0\n" * 3))
    assert len(study.ratings) == 5
    assert study.counts["merged_duplicates"] == 3
    assert said(study, "3 rows that repeat")


def test_conflicting_duplicates_name_the_rows(tmp_path: Path) -> None:
    path = write(tmp_path, LONG + "a,tone,Ann,human,fail,0\nb,tone,gpt,judge,pass,0\n")
    with pytest.raises(UserErrors) as caught:
        open_study(path)
    assert caught.value.total == 2
    text = str(caught.value)
    assert "row 2" in text
    assert "again in row 7" in text
    assert "labels pass, fail" in text
    assert "--on-duplicate" in text


@pytest.mark.parametrize(("choose", "label"), [("first", "pass"), ("last", "fail"), ("majority", "fail")])
def test_conflicting_duplicates_are_settled_as_asked(tmp_path: Path, choose: str, label: str) -> None:
    path = write(tmp_path, LONG + "a,tone,Ann,human,fail,0\na,tone,Ann,human,fail,0\n")
    study = open_study(path, config={"on_duplicate": choose})
    assert labels(study)[0] == label
    assert len(study.ratings) == 5
    assert study.counts["dropped_duplicates"] == 2
    assert said(study, f"{choose} kept")


def test_a_tied_majority_is_never_picked(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no label has a majority"):
        open_study(write(tmp_path, LONG + "a,tone,Ann,human,fail,0\n"), config={"on_duplicate": "majority"})


def test_the_same_label_with_other_columns_differing_is_not_lost(tmp_path: Path) -> None:
    text = "item_id,rater_id,label,rationale\na,Ann,pass,short\na,Ann,pass,long\n"
    with pytest.raises(UserError, match="with different rationale"):
        open_study(write(tmp_path, text))


def test_runs_are_not_duplicates(tmp_path: Path) -> None:
    study = open_study(write(tmp_path, LONG + "a,tone,Ann,human,fail,1\n"))
    assert len(study.ratings) == 6


def test_statuses_are_honoured_and_labels_kept_raw() -> None:
    study = open_study(
        frame(
            item_id=list("abcde"),
            rater_id=["gpt-4"] * 5,
            label=["pass", "GRAND: C", "", "Draft fail. Final pass", '{"verdict": "pass"'],
            status=["ok", "unparsed", "refusal", "ambiguous", "truncated"],
        )
    )
    assert statuses(study) == ["ok", "unparsed", "refusal", "ambiguous", "truncated"]
    assert labels(study) == ["pass", None, None, None, None]
    assert study.ratings.raw[1] == "GRAND: C"
    assert study.metrics[0].scale.labels == ("pass",)


def test_ok_without_a_label_is_not_ok() -> None:
    study = open_study(
        frame(item_id=["a", "b"], rater_id=["gpt-4", "Ann"], label=[None, None], status=["ok", "ok"])
    )
    assert statuses(study) == ["unparsed", "skip"]


def test_out_of_range_is_invalid_and_never_clamped() -> None:
    source = frame(item_id=list("abcd"), rater_id=["gpt-4"] * 4, label=["3", "98989", "0.085", "x"])
    scale = {"kind": "numeric", "low": 1, "high": 5}
    study = open_study(source, config={"metrics": {"*": {"scale": scale}}})
    assert statuses(study) == ["ok", "invalid", "invalid", "invalid"]
    assert list(study.ratings.raw) == ["3", "98989", "0.085", "x"]
    assert study.counts["invalid_ratings"] == 3
    assert said(study, "98989", "invalid")


def test_a_batch_in_the_lowest_tenth_of_its_scale_is_pointed_out() -> None:
    source = frame(item_id=list("abc"), rater_id=["gpt-4"] * 3, label=["0.7", "0.9", "1"])
    study = open_study(
        source, config={"metrics": {"*": {"scale": {"kind": "numeric", "low": 0, "high": 100}}}}
    )
    assert said(study, "no label is above 10")


def test_normalisation_is_only_on_demand_and_counted() -> None:
    source = frame(item_id=list("abcd"), rater_id=["Ann"] * 4, label=["pass ", "fail", "Pass", "cafe\u0301"])
    assert set(open_study(source).metrics[0].scale.labels) == {"pass ", "fail", "Pass", "cafe\u0301"}
    study = open_study(source, config={"normalise": ["trim", "case", "nfc"]})
    assert labels(study) == ["pass", "fail", "pass", "café"]
    assert (study.counts["normalised_trim"], study.counts["normalised_case"]) == (1, 1)
    assert said(study, "spaces around 1 labels")
    assert said(study, "1 labels were put into lower case")
    assert list(study.ratings.raw) == ["pass ", "fail", "Pass", "cafe\u0301"]


def test_normalised_labels_meet_a_declared_scale_in_its_own_spelling() -> None:
    source = frame(item_id=list("ab"), rater_id=["Ann"] * 2, label=["PASS", " fail"])
    config = {"normalise": ["trim", "case"], "metrics": {"*": {"scale": {"labels": ["Pass", "Fail"]}}}}
    assert labels(open_study(source, config=config)) == ["Pass", "Fail"]


def test_response_sets_are_labels_that_admit_their_members() -> None:
    source = frame(
        item_id=list("abcd"),
        rater_id=["Ann"] * 4,
        label=[["fail", "pass"], ["pass"], "fail", ["pass", "fail"]],
    )
    study = open_study(source)
    assert labels(study) == ["fail|pass", "pass", "fail", "fail|pass"]
    scale = study.metrics[0].scale
    assert scale.members("fail|pass") == {"pass", "fail"}
    assert scale.members("pass") == {"pass"}
    text = frame(item_id=list("ab"), rater_id=["Ann"] * 2, label=["pass; fail", "pass"])
    declared = {"metrics": {"*": {"scale": {"separator": ";", "labels": ["fail", "pass"]}}}}
    assert labels(open_study(text, config=declared)) == ["fail;pass", "pass"]


def test_maps_rename_labels_and_keep_the_raw_ones() -> None:
    source = frame(
        item_id=list("abab"), rater_id=["gpt-4", "gpt-4", "Ann", "Ann"], label=["1", "0", "pass", "fail"]
    )
    config = {"raters": {"gpt-4": {"kind": "judge", "map": {1: "pass", 0: "fail"}}}}
    study = open_study(source, config=config)
    assert labels(study) == ["pass", "fail", "pass", "fail"]
    assert list(study.ratings.raw) == ["1", "0", "pass", "fail"]
    signs = {"metrics": {"*": {"map": {"pass": "+", "fail": "-"}}}}
    assert labels(open_study(source, config={**config, **signs})) == ["+", "-", "+", "-"]


def test_columns_go_where_they_are_constant() -> None:
    study = open_study(
        frame(
            item_id=["a", "a", "b", "b"],
            rater_id=["Ann", "Bo", "Ann", "Bo"],
            label=["p", "f", "p", "p"],
            topic=["x", "x", "y", "y"],
            field=["law", "art", "law", "art"],
            seconds=[3, 4, 5, 6],
            rationale=["same"] * 4,
            reply=["word " * 20, "word " * 20, "other " * 20, "other " * 20],
            prob_p=[0.9, None, 0.25, 1],
        )
    )
    assert set(study.items.attributes) == {"topic"}
    assert set(study.items.texts) == {"reply"}
    assert [rater.attributes for rater in study.raters] == [{"field": "law"}, {"field": "art"}]
    assert set(study.ratings.attributes) == {"seconds", "rationale"}
    np.testing.assert_array_equal(study.ratings.probabilities["p"], [0.9, math.nan, 0.25, 1])
    assert study.slice_by == ("topic",)
    assert said(study, "Sliced by", "topic")
    assert said(study, "run 0")


def test_polarity_belongs_to_the_metric_where_it_is_constant() -> None:
    source = frame(
        item_id=["a", "b"],
        rater_id=["A"] * 2,
        metric=["m", "n"],
        label=[1, 0],
        polarity=["positive", "negative"],
    )
    study = open_study(source)
    assert [metric.polarity for metric in study.metrics] == ["positive", "negative"]


def test_one_item_with_two_systems_is_a_mistake_with_its_remedy() -> None:
    source = frame(item_id=["q", "q"], rater_id=["A", "A"], label=[1, 0], system=["m", "n"], run=[0, 1])
    with pytest.raises(UserError, match=r"--column item_id=item_id\+system"):
        open_study(source)
    assert open_study(source, columns={"item_id": "item_id+system"}).items.ids == ("q|m", "q|n")


def test_two_judges_of_one_name_are_refused() -> None:
    source = frame(
        item_id=["a", "b", "a", "b"],
        rater_id=["judge"] * 4,
        label=[1, 0, 1, 1],
        run=[0, 0, 1, 1],
        model=["m", "m", "n", "n"],
    )
    with pytest.raises(UserError, match="'judge' is the name of several judges"):
        open_study(source)
    apart = open_study(source, columns={"rater_id": "rater_id+model"})
    assert [rater.id for rater in apart.raters] == ["judge|m", "judge|n"]


@pytest.mark.parametrize(
    ("columns", "clusters"),
    [
        ({"cluster": ["k", "k", None, None]}, [0, 0, 1, 2]),
        ({"variant_of": [None, "a", "b", None]}, [0, 0, 0, 1]),
        ({"parent_id": ["z", None, "z", "b"]}, [1, 0, 1, 0]),
        ({"variant_of": ["b", "a", None, "d"]}, [0, 0, 1, 2]),
        ({"variant_of": ["b", "c", "b", None]}, [0, 0, 0, 1]),
    ],
)
def test_clusters_are_found(columns: dict[str, list[str | None]], clusters: list[int]) -> None:
    study = open_study(frame(item_id=list("abcd"), rater_id=["A"] * 4, label=[1, 0, 1, 1], **columns))
    assert study.items.cluster is not None
    found = study.items.cluster.tolist()
    assert [[x == y for x in found] for y in found] == [[x == y for x in clusters] for y in clusters]


def test_all_faults_of_a_file_are_listed_at_once(tmp_path: Path) -> None:
    text = (
        "item_id,rater_id,rater_kind,label,status\n"
        "a,x,human,pass,ok\na,x,human,fail,ok\na,y,llm,pass,ok\na,z,human,pass\nb,,human,pass,ok\nb,z,human,pass,fine\n"
    )
    with pytest.raises(UserErrors) as caught:
        open_study(write(tmp_path, text))
    places = {fault.where.removeprefix("tone.csv, ") for fault in caught.value.faults}
    assert places == {
        "row 5",
        "row 6, column 'rater_id'",
        "row 4, column 'rater_kind'",
        "row 7, column 'status'",
        "row 2",
    }
    assert "did you mean 'judge'?" in str(caught.value)


def test_a_rater_of_two_kinds_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"row 7.*'gpt' is human here and judge in tone.csv, row 4"):
        open_study(write(tmp_path, LONG + "c,tone,gpt,human,fail,0\n"))


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("nowhere.csv", "no such file"),
        ("postgresql://someone:secret@127.0.0.1:1/db", "cannot be reached"),
        ("mysql://someone:secret@host/db", "a mysql store"),
        ("https://example.org/labels.csv", "only files on this machine"),
        (7, "cannot open a int"),
        (None, "cannot open a NoneType"),
        ("a\x00b", "NUL"),
    ],
)
def test_what_cannot_be_opened_is_said(source: Any, what: str) -> None:
    with pytest.raises(UserError) as caught:
        open_study(source)
    assert what in str(caught.value)
    assert "secret" not in str(caught.value)


def test_an_unknown_suffix_lists_the_readers(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no reader for '.xls' files.*csv, .*tsv"):
        open_study(write(tmp_path, LONG, "labels.xls"))


def test_a_folder_joins_ratings_and_texts(tmp_path: Path) -> None:
    write(tmp_path, LONG)
    write(tmp_path, "item_id,prompt,length\na,What?,3\nc,Who?,4\n", "texts.csv")
    write(tmp_path, "not a table", "README.md")
    study = open_study(tmp_path)
    assert study.name == tmp_path.name
    assert list(study.items.attributes["prompt"]) == ["What?", None]
    assert study.counts["items_without_ratings"] == 1
    assert said(study, "1 of 2 rated items are not in it")
    assert [source.name for source in study.sources] == ["tone.csv", "texts.csv"]


def test_a_folder_that_is_not_clear_asks_for_study_yaml(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no table of ratings among no table"):
        open_study(tmp_path)
    write(tmp_path, LONG)
    write(tmp_path, LONG, "more.csv")
    with pytest.raises(UserError, match=r"2 tables of ratings among more.csv, tone.csv.*study.yaml"):
        open_study(tmp_path)
    write(tmp_path, "x,y\n1,2\n", "more.csv")
    with pytest.raises(UserError, match=r"it is not clear what more.csv holds"):
        open_study(tmp_path)


def test_an_items_table_may_repeat_what_the_ratings_say_but_not_contradict_it(tmp_path: Path) -> None:
    write(tmp_path, "item_id,rater_id,label,topic\na,Ann,1,x\nb,Ann,2,\n")
    write(tmp_path, "item_id,topic,prompt\na,x,What?\nb,y,Who?\n", "texts.csv")
    assert list(open_study(tmp_path).items.attributes["topic"]) == ["x", "y"]
    write(tmp_path, "item_id,topic,prompt\na,z,What?\n", "texts.csv")
    with pytest.raises(UserError, match="item 'a' has topic 'z' here and 'x' elsewhere"):
        open_study(tmp_path)


def test_a_category_beside_the_raters_of_a_wide_table_stays_an_attribute(tmp_path: Path) -> None:
    study = open_study(write(tmp_path, "question_id,category,human,gpt-4\n1,math,yes,no\n2,art,no,no\n"))
    assert [rater.id for rater in study.raters] == ["human", "gpt-4"]
    assert list(study.items.attributes["category"]) == ["math", "art"]
    assert labels(study) == ["yes", "no", "no", "no"]
    assert not said(study, "'category' is taken")


def test_a_question_is_the_item_where_nothing_else_is(tmp_path: Path) -> None:
    study = open_study(write(tmp_path, "question,annotator,score\nWhy?,Ann,1\nHow?,Ann,2\n"))
    assert study.items.ids == ("Why?", "How?")
    assert said(study, "'question' is taken as item_id")
    both = open_study(write(tmp_path, "id,question,annotator,score\n1,Why?,Ann,1\n1,How?,Ann,2\n"))
    assert both.items.ids == ("1",)
    assert [metric.name for metric in both.metrics] == ["Why?", "How?"]


def test_a_studys_spellings_of_missing_are_those_of_its_text_files(tmp_path: Path) -> None:
    write(tmp_path, "item_id,rater_id,label\na,Ann,none\nb,Ann,NA\n")
    write(
        tmp_path,
        '{"item_id": "c", "rater_id": "Ann", "label": "none"}\n{"item_id": "d", "rater_id": "Ann"}',
        "more.jsonl",
    )
    tables: list[dict[str, Any]] = [{"file": "tone.csv"}, {"file": "more.jsonl"}]
    config = {"tables": tables, "missing": ["none"], "metrics": {"*": {}}}
    assert labels(open_study(tmp_path, config=config)) == [None, "NA", "none", None]
    tables[1]["missing"] = ["none"]
    assert labels(open_study(tmp_path, config=config)) == [None, "NA", None, None]


def test_columns_of_one_metric_each_can_be_declared(tmp_path: Path) -> None:
    path = write(tmp_path, "item,annotator,helpful,clear,topic\na,Ann,1,2,x\na,gpt-4,2,,x\nb,Ann,3,,y\n")
    with pytest.raises(UserError, match=r"no column 'label'.*or of metrics"):
        open_study(path)
    config: dict[str, Any] = {"tables": [{"file": "tone.csv", "metrics": ["helpful", "clear"]}]}
    study = open_study(tmp_path, config=config)
    assert [metric.name for metric in study.metrics] == ["helpful", "clear"]
    assert labels(study) == ["1", "2", "2", None, "3"]
    assert statuses(study)[3] == "unparsed"
    assert study.counts["blank_cells"] == 1
    assert set(study.items.attributes) == {"topic"}
    config["tables"][0]["raters"] = ["helpful"]
    with pytest.raises(UserError, match="both listed"):
        open_study(tmp_path, config=config)
