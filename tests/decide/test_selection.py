"""Selective verdicts on made studies: what is trusted, where the rest goes, and what is refused."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import Any

import numpy as np
import pytest

from decide.made import KINDS, rows_of, study_of
from voirdire.decide.select_options import SelectOptions, parse_cascade
from voirdire.decide.selection import select
from voirdire.errors import UserError
from voirdire.study import Study


def _options(**chosen: Any) -> SelectOptions:
    """Options with a map that is fitted in an instant."""
    return SelectOptions(**{"select": "temperature_bias", **chosen})


@pytest.fixture(scope="module")
def study() -> Study:
    return study_of(rows_of(900, 500, 1))


def _agreement(study: Study, found: object, kind: str = "label") -> float:
    """The true share of people who agree with the trusted verdicts on unlabelled items."""
    column = study.items.attributes["kind"]
    share = dict(zip(study.items.ids, [KINDS[int(str(each)[1:])] for each in column], strict=True))
    right = [
        share[row["item_id"]] if row[kind] == "yes" else 1 - share[row["item_id"]]
        for row in found.queue.rows()  # type: ignore[attr-defined]
        if row["route"] == "trust" and row["human_labels"] == 0
    ]
    return float(np.mean(right))


@pytest.mark.coverage_simulation
@pytest.mark.parametrize("cascade", [(), (("small", 1.0), ("large", 10.0))])
def test_a_whole_selection_breaks_its_promise_in_at_most_delta_of_draws(cascade: Any) -> None:
    """25 studies of 150 labelled items; every kind is trusted or not, which gives the exact agreement."""
    broken = trusted = 0
    for seed in range(25):
        made = study_of(rows_of(230, 150, seed))
        found = select(made, _options(agreement=0.75, cascade=cascade, seed=seed))
        kind = dict(zip(made.items.ids, made.items.attributes["kind"], strict=True))
        kept = {
            kind[row["item_id"]]: row["label"]
            for row in found.queue.rows()
            if row["route"] == "trust" and row["human_labels"] == 0
        }
        share = [KINDS[int(str(name)[1:])] for name in kept]
        right = [p if said == "yes" else 1 - p for p, said in zip(share, kept.values(), strict=True)]
        trusted += bool(right)
        broken += bool(right) and float(np.mean(right)) < 0.75
    assert trusted > 18
    assert broken <= 25 * 0.1 + 2.33 * math.sqrt(25 * 0.1 * 0.9)


@pytest.mark.parametrize("confidence", ["aligned", "probability", "confidence"])
def test_trusted_verdicts_agree_with_people_as_promised(study: Study, confidence: str) -> None:
    found = select(study, _options(confidence=confidence, judges=("large",)))
    one = found.metric("label")
    assert one.guaranteed == 0.85
    assert 0.2 < one.trusted / one.unlabelled < 0.8
    assert _agreement(study, found) > 0.85
    assert one.routes["trust"] == one.trusted
    assert sum(one.routes.values()) == one.unlabelled == 400
    assert math.isnan(one.labels_needed)


def test_the_thresholds_are_those_of_items_that_fitted_nothing(study: Study) -> None:
    found = select(study, _options(fit_share=0.4))
    assert found.metric("label").stages[0].found.n == 300
    own = select(study, _options(confidence="probability", judges=("large",)))
    assert own.metric("label").stages[0].found.n == 500


def test_a_judge_that_knows_nothing_is_never_trusted() -> None:
    made = study_of(rows_of(600, 300, 2, blur=1.0))
    found = select(made, _options()).metric("label")
    assert found.abstains
    assert found.trusted == found.routes["trust"] == 0
    assert found.coverage.value == 0
    assert found.labels_needed == math.inf or found.labels_needed > 300
    assert "no verdict may be trusted" in str(select(made, _options()))


def test_abstention_names_the_labels_needed_where_the_judge_is_good_but_labels_few() -> None:
    made = study_of([row for row in rows_of(40, 24, 3, people=1) if row["rater_id"] != "small"])
    found = select(made, _options(agreement=0.95)).metric("label")
    assert found.abstains
    assert 24 < found.labels_needed < math.inf


def test_one_item_a_cluster_is_tested() -> None:
    made = study_of(rows_of(600, 600, 4, clusters=100))
    options = _options(confidence="probability", judges=("large",), agreement=0.7)
    found = select(made, options).metric("label").stages[0].found
    # no unlabelled item is left, so a fifth of the clusters makes the grid
    assert found.n == 80


def test_a_cascade_asks_the_dear_judge_only_about_the_rest(study: Study) -> None:
    options = _options(cascade=(("small", 1.0), ("large", 10.0)), agreement=0.8)
    found = select(study, options)
    one = found.metric("label")
    cheap, dear = one.stages
    assert (cheap.judges, dear.judges) == (("small",), ("large",))
    assert cheap.asked == 400
    assert 0 < cheap.trusted <= 400 - dear.asked
    assert one.cost == pytest.approx(1 + 10 * dear.asked / 400)
    assert cheap.found is dear.found
    assert cheap.found.delta == 0.1
    assert cheap.tested + dear.tested == cheap.found.steps[-1].n
    assert _agreement(study, found) > 0.8


def test_each_stage_may_keep_the_promise_by_itself(study: Study) -> None:
    cascade = (("small", 1.0), ("large", 10.0))
    found = select(study, _options(cascade=cascade, agreement=0.8, each_stage=True))
    cheap, dear = found.metric("label").stages
    assert cheap.found.delta == 0.05
    assert dear.found.delta <= 0.025
    assert dear.found.n < cheap.found.n
    assert any("every judge" in note or "each of which" in note for note in found.notes)


def test_items_that_the_next_judge_has_not_seen_wait_for_it() -> None:
    rows = [
        row
        for row in rows_of(700, 400, 5)
        if row["rater_id"] != "large" or int(str(row["item_id"])[1:]) < 400
    ]
    found = select(study_of(rows), _options(cascade=(("small", 1), ("large", 10)), agreement=0.8))  # type: ignore[arg-type]
    cheap, dear = found.metric("label").stages
    assert dear.asked == dear.trusted == 0
    assert dear.waiting > 0
    reasons = Counter(row["reason"] for row in found.queue.rows() if row["human_labels"] == 0)
    assert reasons["not yet judged by large"] > 0
    assert cheap.trusted == found.metric("label").trusted


def test_a_judge_without_a_verdict_is_not_trusted() -> None:
    rows = rows_of(500, 300, 6)
    silent = {f"i{i}" for i in range(250, 350)}
    for row in rows:
        if row["rater_kind"] == "judge" and row["item_id"] in silent:
            row["label"] = row["prob_yes"] = row["prob_no"] = None
    found = select(study_of(rows), _options(agreement=0.7))
    routes = {row["item_id"]: row for row in found.queue.rows() if row["human_labels"] == 0}
    assert found.metric("label").trusted > 0
    assert all(routes[item]["route"] != "trust" for item in silent & set(routes))


def test_people_who_say_otherwise_are_not_overruled() -> None:
    rows = rows_of(600, 400, 7)
    found = select(study_of(rows), _options(confidence="probability", judges=("large",)))
    said: dict[str, list[str]] = {}
    for row in rows:
        if row["rater_kind"] == "human":
            said.setdefault(str(row["item_id"]), []).append(str(row["label"]))
    kappa_finite = [row for row in found.queue.rows() if row["route"] == "trust" and row["human_labels"] > 0]
    assert kappa_finite
    for row in kappa_finite:
        top = "yes" if row["prob_yes"] > 0.5 else "no"
        assert row["label"] == top


def test_with_one_label_an_item_one_more_label_cannot_be_weighed() -> None:
    found = select(study_of(rows_of(600, 400, 8, people=1)), _options(agreement=0.8))
    one = found.metric("label")
    assert not one.abstains
    assert one.routes["ask_one_more"] == one.routes["contested"] == 0
    assert any("not measurable" in note for note in found.notes)


@pytest.mark.parametrize("target", ["set", "loss"])
def test_sets_and_losses_have_their_promise(target: str) -> None:
    rng = np.random.default_rng(9)
    rows = []
    for i in range(700):
        p = rng.dirichlet([0.4, 0.4, 0.4])
        for person in range(2 if i < 500 else 0):
            label = "abc"[int(rng.choice(3, p=p))]
            rows.append({"item_id": f"i{i}", "rater_id": f"p{person}", "rater_kind": "human", "label": label})
        stated = {f"prob_{label}": round(float(q), 4) for label, q in zip("abc", p, strict=True)}
        verdict = "abc"[int(p.argmax())]
        rows.append({"item_id": f"i{i}", "rater_id": "m", "rater_kind": "judge", "label": verdict, **stated})
    found = select(study_of(rows), _options(target=target, agreement=0.8))
    one = found.metric("label")
    assert one.trusted > 30
    step = one.stages[0].found.last
    assert step is not None
    assert step.bound <= 0.2
    labels = {row["label"] for row in found.queue.rows()}
    assert labels == ({"a or b", "a or c", "b or c"} if target == "set" else {"a", "b", "c"})


def test_unlabelled_items_of_another_kind_are_told(study: Study) -> None:
    assert not any("another kind" in note for note in select(study, _options()).notes)
    rows = rows_of(800, 400, 10)
    easy = [
        row
        for row in rows
        if row["rater_kind"] == "human" or row["confidence"] > 0.64 or int(str(row["item_id"])[1:]) < 400
    ]
    found = select(study_of(easy), _options(judges=("large",)))
    assert any("another kind" in note for note in found.notes)


def test_metrics_have_thresholds_of_their_own() -> None:
    rows = [{**row, "metric": "clear"} for row in rows_of(500, 300, 11)]
    rows += [{**row, "metric": "vague"} for row in rows_of(500, 300, 12, blur=1.0)]
    found = select(study_of(rows), _options(agreement=0.8))
    assert [each.metric for each in found.metrics] == ["clear", "vague"]
    assert not found.metric("clear").abstains
    assert found.metric("vague").abstains
    assert len(found.queue) == 1000


def test_the_same_seed_gives_the_same_result(study: Study) -> None:
    first, second = (select(study, _options()) for _ in range(2))
    assert json.dumps(first.to_dict(), allow_nan=False) == json.dumps(second.to_dict(), allow_nan=False)
    assert list(first.queue.rows()) == list(second.queue.rows())
    assert str(first) == str(second)


def test_the_queue_starts_with_what_people_are_needed_for(study: Study) -> None:
    routes = [row["route"] for row in select(study, _options()).queue.rows()]
    order = list(dict.fromkeys(routes))
    assert order == [name for name in ("contested", "ask_one_more", "escalate", "trust") if name in order]


def _people(keep: bool) -> Study:
    return study_of([row for row in rows_of(60, 60, 1) if (row["rater_kind"] == "human") == keep])


def _apart() -> Study:
    rows = rows_of(60, 60, 1)
    for row in rows:
        if row["rater_kind"] == "judge":
            row["item_id"] = f"j{row['item_id']}"
    return study_of(rows)


@pytest.mark.parametrize(
    ("made", "options", "words"),
    [
        (lambda: _people(False), {}, "no person labelled"),
        (lambda: _people(True), {}, "no judge"),
        (_apart, {}, "matched 0, only labelled 60, only judged 60"),
        (lambda: study_of(rows_of(60, 10, 1)), {}, "too few"),
        (
            lambda: study_of(rows_of(60, 60, 1)),
            {"judges": ("lrge",)},
            "no judge named 'lrge'",
        ),
        (lambda: study_of(rows_of(60, 60, 1)), {"cascade": (("lrge", 1.0),)}, "no judge named 'lrge'"),
        (lambda: study_of(rows_of(60, 60, 1)), {"metrics": ("tone",)}, "no metric named 'tone'"),
        (lambda: study_of(rows_of(60, 60, 1)), {"confidence": "probability"}, "2 judges"),
        (
            lambda: study_of(rows_of(60, 60, 1)),
            {"confidence": "sure", "judges": ("large",)},
            "no column 'sure'",
        ),
        (lambda: study_of(rows_of(60, 60, 1)), {"target": "set"}, "holds all 2 labels"),
    ],
)
def test_mistakes_are_named(made: object, options: dict[str, object], words: str) -> None:
    with pytest.raises(UserError, match=words):
        select(made(), _options(**options))  # type: ignore[operator]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"agreement": 1.0}, "agreement"),
        ({"delta": 0}, "delta"),
        ({"target": "mode"}, "label, set, loss"),
        ({"judges": "large"}, "several names"),
        ({"set_size": 0}, "set_size"),
        ({"cascade": (("a", 1), ("a", 2))}, "twice"),
        ({"cascade": (("a", 2), ("b", 1))}, "cheapest"),
        ({"cascade": (("a", -1),)}, "cost"),
        ({"cascade": ("a",)}, "pairs"),
        ({"cascade": (("a", 1),), "judges": ("b",)}, "both"),
        ({"target": "loss", "confidence": "sure"}, "how labels spread"),
    ],
)
def test_options_are_checked(options: dict[str, object], words: str) -> None:
    with pytest.raises(UserError, match=words):
        SelectOptions(**options)  # type: ignore[arg-type]


def test_a_cascade_is_read_from_text() -> None:
    assert parse_cascade(" a:1 , org:b:2.5") == (("a", 1.0), ("org:b", 2.5))
    assert parse_cascade("") == ()
    for text in ("a", "a:x", ":1"):
        with pytest.raises(UserError, match="NAME:COST"):
            parse_cascade(text)


def test_what_is_no_study_is_refused() -> None:
    with pytest.raises(UserError, match="open it first"):
        select("labels.csv")  # type: ignore[arg-type]
    with pytest.raises(UserError, match="SelectOptions"):
        select(_people(True), {"delta": 0.1})  # type: ignore[arg-type]


def test_a_metric_with_hardly_a_label_is_not_trusted_beside_one_with_many() -> None:
    rows = [{**row, "metric": "many"} for row in rows_of(400, 300, 13)]
    few = [{**row, "metric": "few"} for row in rows_of(400, 300, 14)]
    rows += [row for row in few if row["rater_kind"] == "judge" or row["item_id"] == "i0"]
    found = select(study_of(rows), _options(agreement=0.8))
    assert not found.metric("many").abstains
    assert found.metric("few").abstains
    assert found.metric("few").labelled == 1
    json.dumps(found.to_dict(), allow_nan=False)
    assert "few: no verdict may be trusted" in str(found)
