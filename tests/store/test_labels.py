"""What people said in the browser is read like any other ratings, from wherever the store is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import voirdire
from postgres import Server
from review.studies import UnderWay, begun
from voirdire.cli.main import app
from voirdire.errors import UserError
from voirdire.review.answers import Answer, Sent, asked_of, submit
from voirdire.review.assigning import Wanted, assign_to
from voirdire.review.log import Cell, Event, record
from voirdire.review.people import invite
from voirdire.review.rulings import Ruling, rule
from voirdire.review.settings import RoundSettings, offered_scale
from voirdire.store.labels import PANEL, collected
from voirdire.study import Study


def place(kind: str, name: str, request: pytest.FixtureRequest) -> str:
    """A store elsewhere: a new database, or a file in another folder."""
    if kind == "postgresql":
        server: Server = request.getfixturevalue("postgres_server")
        return server.new(name)
    folder: Path = request.getfixturevalue("tmp_path")
    return f"sqlite:///{folder / name}.sqlite"


def said(study: Study, metric: str, kind: Any = "human") -> dict[tuple[str, str], str | None]:
    """Raw labels by rater and item, anchored ones too."""
    ratings = study.ratings
    rows = study.rows(metric, kind=kind, usable=False)
    return {
        (study.raters[ratings.rater[k]].id, study.items.ids[ratings.item[k]]): ratings.raw[int(k)]
        for k in rows
    }


def close(way: UnderWay) -> None:
    with way.desk.transaction() as connection:
        record(connection, Event("closing-1", "closed", Cell(way.round.id, "")))


def test_the_last_answer_in_time_counts(tmp_path: Path) -> None:
    way = begun(tmp_path, metrics=("kind",))
    way.say("Ann", "i0", "kind", "pass")
    way.say("Ann", "i0", "kind", "fail", confidence=4, challenge="hard", cites=[1], comment="Because.")
    way.say("Ann", "i1", "kind")
    close(way)
    assert way.say("Ann", "i0", "kind", "pass").late
    assert way.say("Bo", "i2", "kind", "pass").late
    study = voirdire.open(tmp_path)
    assert said(study, "kind") == {("R1", "i0"): "fail", ("R1", "i1"): None}
    row = int(study.rows("kind", kind="human")[0])
    told = {name: column[row] for name, column in study.ratings.attributes.items()}
    assert (told["confidence"], told["challenge"], told["citations"]) == ("4", "hard", "[1]")
    assert told["rationale"] == "Because."
    assert study.ratings.run[row] == way.round.id


def test_two_rounds_stand_side_by_side(tmp_path: Path) -> None:
    way = begun(tmp_path, metrics=("kind",))
    way.say("Ann", "i0", "kind", "pass")
    second = way.desk.new_round(way.round.settings)
    ann = way.people["Ann"].link.rater_id
    assign_to(way.desk, second, [Wanted(ann, "i0", "kind")])
    UnderWay(way.desk, second, way.people).say("Ann", "i0", "kind", "fail")
    study = voirdire.open(tmp_path)
    rows = study.rows("kind", kind="human")
    assert {(study.ratings.run[int(k)], study.ratings.raw[int(k)]) for k in rows} == {
        ("round-1", "pass"),
        ("round-2", "fail"),
    }
    alone = collected(way.desk.store, round_id=second.id).ratings
    assert alone is not None
    assert list(alone.columns["label"]) == ["fail"]


def test_labels_that_only_one_round_offers_stay_valid(tmp_path: Path) -> None:
    way = begun(tmp_path, metrics=("kind",))
    way.say("Ann", "i0", "kind", "borderline")
    plain = offered_scale(way.desk.study.metric("kind"))
    second = way.desk.new_round(RoundSettings(title="b", metrics=["kind"], scales={"kind": plain}))
    assign_to(way.desk, second, [Wanted("R1", "i1", "kind")])
    UnderWay(way.desk, second, way.people).say("Ann", "i1", "kind", "not sure")
    study = voirdire.open(tmp_path)
    assert said(study, "kind") == {("R1", "i0"): "borderline", ("R1", "i1"): "not sure"}
    assert len(study.rows("kind", kind="human")) == 2
    assert set(study.metric("kind").scale.labels) == {"fail", "pass", "borderline", "not sure"}


def test_a_ruled_borderline_is_valid_where_nobody_else_said_it(tmp_path: Path) -> None:
    way = begun(tmp_path, metrics=("kind",))
    for name in way.people:
        way.say(name, "i0", "kind", "pass")
    member = invite(way.desk, way.round.id, "panel", "Pia").link.rater_id
    rule(
        way.desk,
        way.round,
        Cell(way.round.id, member, "i0", "kind"),
        Ruling(kind="label", label="borderline"),
        Sent("ruling-1"),
    )
    study = voirdire.open(tmp_path)
    assert said(study, "kind", "reference") == {(PANEL, "i0"): "borderline"}
    assert len(study.rows("kind", kind="reference")) == 1


def test_a_persons_field_comes_with_their_labels(tmp_path: Path) -> None:
    way = begun(tmp_path, metrics=("kind",), names=("Ann",))
    dora = invite(way.desk, way.round.id, "rater", "Dora", expertise="law")
    assign_to(way.desk, way.round, [Wanted(dora.link.rater_id, "i0", "kind")])
    way.people["Dora"] = dora
    for name in way.people:
        way.say(name, "i0", "kind", "pass")
    raters = {rater.id: rater.expertise for rater in voirdire.open(tmp_path).raters if rater.kind == "human"}
    assert raters == {"R1": "", "R2": "law"}


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_store_elsewhere_is_found_in_every_way(
    tmp_path: Path, kind: str, request: pytest.FixtureRequest
) -> None:
    url = place(kind, "elsewhere", request)
    way = begun(tmp_path / "study", store=url)
    for n, name in enumerate(way.people):
        for k in range(6):
            way.say(name, f"i{k}", "kind", ("pass", "fail", "borderline")[(k + n) % 3])
            way.say(name, f"i{k}", "clear", str(1 + (k + n) % 4))
    way.desk.store.close()
    expected = {
        metric: said(voirdire.open(tmp_path / "study", config={"store": url}), metric)
        for metric in ("kind", "clear")
    }
    assert len(expected["kind"]) == 18
    alone = voirdire.open(url)
    assert {metric: said(alone, metric) for metric in expected} == expected
    assert alone.metric("clear").scale.labels == ("1", "2", "3", "4")
    assert alone.metric("clear").scale.ordered
    with_flag = CliRunner().invoke(
        app(), ["audit", str(tmp_path / "study"), "--store", url, "--json", "--resamples", "100"]
    )
    assert with_flag.exit_code == 0, with_flag.output
    declared = tmp_path / "study" / "study.yaml"
    declared.write_text(declared.read_text() + f"store: {json.dumps(url)}\n", encoding="utf-8")
    assert {metric: said(voirdire.open(tmp_path / "study"), metric) for metric in expected} == expected
    by_name = CliRunner().invoke(app(), ["audit", str(tmp_path / "study"), "--json", "--resamples", "100"])
    assert without_time(by_name.output) == without_time(with_flag.output)
    assert "planted" not in by_name.output  # a password is in no document


def without_time(output: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(output)
    document.pop("created_at")
    document["study"].pop("sources")
    return document


def test_a_file_of_labels_takes_a_store_that_is_named(tmp_path: Path) -> None:
    way = begun(tmp_path / "study", metrics=("kind",), store=f"sqlite:///{tmp_path / 'kept.sqlite'}")
    way.say("Ann", "i0", "kind", "pass")
    file = tmp_path / "labels.csv"
    file.write_text("item_id,metric,rater_id,label\ni0,kind,Zoe,fail\n")
    assert said(voirdire.open(file), "kind") == {("Zoe", "i0"): "fail"}
    both = voirdire.open(file, config={"store": f"sqlite:///{tmp_path / 'kept.sqlite'}"})
    assert said(both, "kind") == {("Zoe", "i0"): "fail", ("R1", "i0"): "pass"}


def test_declared_metrics_that_nobody_has_labelled_yet_are_no_fault(tmp_path: Path) -> None:
    way = begun(tmp_path, metrics=("kind",))
    declared = tmp_path / "study.yaml"
    declared.write_text(declared.read_text().replace("unrated: true\n", ""), encoding="utf-8")
    way.say("Ann", "i0", "kind", "pass")
    assert len(voirdire.open(tmp_path).items) == 6
    declared.write_text(declared.read_text() + "unrated: false\n", encoding="utf-8")
    with pytest.raises(UserError, match="no rating is on metric 'clear'"):
        voirdire.open(tmp_path)


def test_labels_of_a_plan_carry_their_chances_where_these_differ(tmp_path: Path) -> None:
    way = begun(tmp_path, metrics=("kind",), names=("Ann",))  # every item, by equal chances
    way.say("Ann", "i0", "kind", "pass")
    alike = voirdire.open(tmp_path)
    assert "sampling_probability" not in {**alike.ratings.attributes, **alike.items.attributes}
    planned = way.desk.new_round(way.round.settings)
    wanted = [
        Wanted("R1", "i1", "kind", "means", "proportional", 0.25),
        Wanted("R1", "i2", "kind", "floors", "", 0.5),
    ]
    assign_to(way.desk, planned, wanted)
    for item in ("i1", "i2"):
        UnderWay(way.desk, planned, way.people).say("Ann", item, "kind", "fail")
    study = voirdire.open(tmp_path)
    chance = study.items.attributes["sampling_probability"]  # alike within an item, and so its own
    found = {name: chance[code] for code, name in enumerate(study.items.ids) if chance[code] is not None}
    assert found == {"i0": "1.0", "i1": "0.25", "i2": "0.5"}
    assert study.slice_by == ("system",)  # a chance is no group


def test_one_label_an_item_leaves_what_is_the_raters_with_the_rater(tmp_path: Path) -> None:
    way = begun(tmp_path, metrics=("better",), names=("Ann",))
    rater = way.people["Ann"].link.rater_id
    for k, asked in enumerate(asked_of(way.desk, way.round.id, rater)):
        answer = Answer(
            labels=["first"], confidence=1 + k % 2, challenge="hard", comment=f"c{k % 2}", cites=[1]
        )
        submit(way.desk, way.round, asked, answer, Sent(f"answer-{k}", seconds=2.5 + k % 2))
    study = voirdire.open(tmp_path)
    own = {"confidence", "challenge", "rationale", "citations", "seconds", "created_at"}
    assert own <= set(study.ratings.attributes)
    assert own.isdisjoint(study.items.attributes)
    assert set(study.slice_by) <= {"presented", "system"}


def test_two_raters_who_saw_a_pair_in_two_orders_are_read_as_such(tmp_path: Path) -> None:
    way = begun(tmp_path, metrics=("better",), items=12)
    for name in way.people:
        for k in range(12):
            way.say(name, f"i{k}", "better", ("first", "second", "tie")[k % 3])
    study = voirdire.open(tmp_path)
    presented = study.ratings.attributes["presented"]
    assert set(presented) == {None, "ab", "ba"}
    assert len(study.rows("better", kind="human")) == 36
    assert "Human labels: 36" in str(voirdire.audit(study, voirdire.AuditOptions(resamples=100)))
