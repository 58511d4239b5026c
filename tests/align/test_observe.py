"""From studies to rows: what counts, on whose scale, and how new items are read."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from voirdire.align.encoding import Encoding
from voirdire.align.observe import Observed, features_of
from voirdire.errors import UserError
from voirdire.opening import open as open_study
from voirdire.study import Study

ROW = ("item_id", "metric", "rater_id", "rater_kind", "label")


def study(rows: list[tuple[Any, ...]], *more: str, **config: Any) -> Study:
    """A study of rows given as item, metric, rater, kind, label and further columns."""
    names = [*ROW, *more]
    table = {name: [row[k] for row in rows] for k, name in enumerate(names)}
    return open_study(table, config=config or None)


def labels(observed: Observed) -> list[list[float]]:
    return observed.target.counts.tolist()


def test_people_are_counted_and_replies_without_a_verdict_are_a_code() -> None:
    observed = features_of(
        study(
            [
                ("a", "m", "ann", "human", "yes"),
                ("a", "m", "bo", "human", "no"),
                ("b", "m", "ann", "human", "yes"),
                ("c", "m", "ann", "human", "no"),
                ("a", "m", "gpt", "judge", "yes"),
                ("b", "m", "gpt", "judge", None),
            ]
        )
    )
    scale, output = observed.features.scale, observed.features.judges[0]
    yes = scale.code("yes")
    assert observed.target.counts[:, yes].tolist() == [1, 1, 0]
    assert output.code.tolist() == [yes, 2, 2]
    assert output.has_verdict.tolist() == [True, False, False]
    assert output.votes.sum(axis=1).tolist() == [1, 0, 0]
    np.testing.assert_allclose(np.exp(observed.features.panel()[1]), 0.5)
    assert sorted(observed.target.rater.tolist()) == sorted(observed.target.rater.tolist())
    assert len(observed.target.row) == 4


def test_the_order_of_the_file_does_not_matter() -> None:
    people = [
        (f"i{k}", "m", rater, "human", "yn"[(k + len(rater)) % 2]) for k in range(6) for rater in RATERS
    ]
    judges = [(f"i{k}", "m", "gpt", "judge", "yn"[k % 3 == 0]) for k in range(6)]
    by_rater = sorted(people, key=lambda row: row[2])
    one, two = (features_of(study([*judges, *rows])) for rows in (people, by_rater))
    for name in ("counts", "cluster", "row", "label"):
        np.testing.assert_array_equal(getattr(one.target, name), getattr(two.target, name))
    np.testing.assert_array_equal(one.features.codes, two.features.codes)


RATERS = ("ann", "bo", "cleo")


def test_examples_and_anchored_labels_do_not_count() -> None:
    observed = features_of(
        study(
            [
                ("a", "m", "ann", "human", "yes", "true", ""),
                ("a", "m", "bo", "human", "no", "", ""),
                ("b", "m", "ann", "human", "yes", "", "true"),
                ("b", "m", "bo", "human", "no", "", ""),
                ("c", "m", "bo", "human", "yes", "", ""),
                ("a", "m", "gpt", "judge", "yes", "", ""),
                ("b", "m", "gpt", "judge", "yes", "", ""),
            ],
            "used_as_example",
            "anchored",
        )
    )
    assert [observed.encoding.metrics[m] for m in observed.metric] == ["m", "m"]
    no = observed.features.scale.code("no")
    assert observed.item.tolist() == [1, 2]
    assert observed.target.counts[0].sum() == 1
    assert observed.target.counts[0, no] == 1


def test_a_judge_may_answer_on_a_scale_of_its_own() -> None:
    rows = [(f"i{k}", "m", "ann", "human", str(1 + k % 3)) for k in range(9)]
    rows += [(f"i{k}", "m", "gpt", "judge", str(10 * (k + 1))) for k in range(9)]
    observed = features_of(study(rows))
    output = observed.features.judges[0]
    assert observed.features.scale.labels == ("1", "2", "3")
    assert output.labels == tuple(str(10 * (k + 1)) for k in range(9))
    assert output.score.tolist() == [10.0 * (k + 1) for k in range(9)]
    assert output.unit == 80.0
    assert not output.speaks.any()
    declared = study(rows, metrics={"m": {"scale": {"labels": ["1", "2", "3"], "kind": "ordinal"}}})
    off_scale = features_of(declared).features.judges[0]
    assert off_scale.score.tolist() == output.score.tolist()
    assert off_scale.code.tolist() == output.code.tolist()


def test_an_indeterminate_label_is_a_label_of_its_own() -> None:
    scale = {"labels": ["pass", "fail", "borderline"], "indeterminate": {"borderline": ["pass", "fail"]}}
    rows = [
        ("a", "m", "ann", "human", "borderline"),
        ("a", "m", "bo", "human", "pass"),
        ("b", "m", "bo", "human", "fail"),
    ]
    observed = features_of(
        study(
            [*rows, ("a", "m", "gpt", "judge", "pass")], metrics={"m": {"scale": scale, "policy": "as fail"}}
        )
    )
    assert observed.features.scale.labels == ("pass", "fail", "borderline")
    assert labels(observed) == [[1, 0, 1], [0, 1, 0]]


def test_runs_become_votes_and_probabilities_are_averaged() -> None:
    rows = [("a", "m", "ann", "human", "x", "0"), ("b", "m", "ann", "human", "y", "0")]
    rows += [("a", "m", "gpt", "judge", label, str(run)) for run, label in enumerate("xxy")]
    observed = features_of(study(rows, "run"))
    assert observed.features.judges[0].votes.tolist() == [[2, 1], [0, 0]]
    assert observed.features.votes_vary
    stated = [(*row, None, None) for row in rows[:2]]
    stated += [
        ("a", "m", "gpt", "judge", "x", "0", 0.9, 0.1),
        ("a", "m", "gpt", "judge", "x", "1", 0.5, None),
    ]
    stated += [("b", "m", "gpt", "judge", "x", "0", 1.0, 0.0)]
    output = features_of(study(stated, "run", "prob_x", "prob_y")).features.judges[0]
    np.testing.assert_allclose(np.exp(output.log_probs[0]), [(0.9 + 2 / 3) / 2, (0.1 + 1 / 3) / 2])
    assert output.floored.tolist() == [True, False]
    np.testing.assert_allclose(np.exp(output.log_probs[1]), [1 / 1.01, 0.01 / 1.01])
    assert output.votes.sum() == 0


def test_pairs_in_both_orders() -> None:
    rows = [
        ("p", "preference", "ann", "human", "first", "", "long text", "s"),
        ("q", "preference", "ann", "human", "tie", "", "x", "x"),
        ("r", "preference", "ann", "human", "second", "", "y", "y"),
        ("p", "preference", "gpt", "judge", "first", "ab", "long text", "s"),
        ("p", "preference", "gpt", "judge", "second", "swapped", "long text", "s"),
        ("q", "preference", "gpt", "judge", "second", "swapped", "x", "x"),
    ]
    numbered = [(*row[:5], str(k), *row[5:]) for k, row in enumerate(rows)]
    config = {"metrics": {"*": {"scale": {"kind": "pairwise", "labels": ["first", "tie", "second"]}}}}
    table = study(numbered, "run", "presented", "response_a", "response_b", **config)
    output = features_of(table).features.judges[0]
    assert output.margin.tolist() == [0.0, -1.0, 0.0]
    assert output.offset.tolist() == [1.0, 0.0, 0.0]
    assert output.order.tolist() == [0.0, -1.0, 0.0]


def test_metrics_of_different_scales_are_refused_and_numeric_ones_joined() -> None:
    rows = [("a", "m", "ann", "human", "yes"), ("b", "m", "ann", "human", "no")]
    rows += [("a", "n", "ann", "human", "good"), ("b", "n", "ann", "human", "bad")]
    with pytest.raises(UserError, match="have different labels"):
        features_of(study(rows))
    assert len(features_of(study(rows), metrics=["m"])) == 2
    numeric = [("a", "m", "ann", "human", "1"), ("b", "m", "ann", "human", "4")]
    numeric += [("a", "n", "ann", "human", "2"), ("b", "n", "ann", "human", "3")]
    joined = features_of(study(numeric)).features.scale
    assert joined.labels == ("1", "2", "3", "4")
    assert joined.ordered


def test_new_items_are_read_like_the_old_ones() -> None:
    rows = [(f"i{k}", "m", "ann", "human", "yes" if k % 2 else "no", f"s{k % 2}", str(k)) for k in range(6)]
    rows += [(f"i{k}", "m", "gpt", "judge", "yes" if k % 3 else "no", f"s{k % 2}", str(k)) for k in range(6)]
    old = features_of(study(rows, "system", "size"), columns=["size"])
    assert old.features.covariates.shape == (6, 1)
    saved = Encoding.from_dict(json.loads(json.dumps(old.encoding.to_dict())))
    new = study(
        [
            ("z", "other", "gpt", "judge", "yes", "s1", "2.5"),
            ("z", "m", "gpt", "judge", "perhaps", "s1", "2.5"),
            ("z", "m", "claude", "judge", "no", "s1", "2.5"),
        ],
        "system",
        "size",
    )
    read = features_of(new, encoding=saved)
    assert read.features.metric.tolist() == [-1, 0]
    assert read.features.judges[0].code.tolist() == [read.features.scale.code("yes"), 2]
    assert [output.judge for output in read.features.judges] == ["gpt"]
    assert read.features.system.tolist() == [1, 1]
    assert not read.target.labelled.any()
    again = features_of(study(rows, "system", "size"), encoding=saved)
    np.testing.assert_array_equal(again.features.covariates, old.features.covariates)
    np.testing.assert_array_equal(again.features.codes, old.features.codes)


def test_unknown_judges_and_columns_are_named() -> None:
    rows = [("a", "m", "ann", "human", "yes"), ("b", "m", "gpt", "judge", "no")]
    with pytest.raises(UserError, match="no judge named 'gpt5'"):
        features_of(study(rows), judges=["gpt5"])
    with pytest.raises(UserError, match="no item column named 'length'"):
        features_of(study(rows), columns=["length"])


def test_raw_baselines_of_llm_rubric_reproduce(llm_rubric: Study) -> None:
    # the repository's README, 223 real dialogues, Q0: argmax and expected value of the four probabilities
    observed = features_of(llm_rubric, metrics=["Q0"]).labelled
    real = llm_rubric.items.attributes["group"].equals("real")[observed.item]
    features, target = observed.features, observed.target
    truth = (target.counts @ features.positions / target.labels_per_row)[real]
    output = features.judges[0]
    argmax = features.positions[output.log_probs.argmax(axis=1)][real]
    assert real.sum() == 223
    assert math.sqrt(((argmax - truth) ** 2).mean()) == pytest.approx(1.2016, abs=5e-5)
    assert math.sqrt(((output.score[real] - truth) ** 2).mean()) == pytest.approx(0.9187, abs=5e-5)
    assert np.corrcoef(output.score[real], truth)[0, 1] == pytest.approx(0.1773, abs=5e-5)


def test_real_pairs_keep_unparsed_replies_and_labels_that_only_judges_gave_apart(
    pandalm: Study, mtbench: Study
) -> None:
    observed = features_of(pandalm)
    assert observed.features.scale.labels == ("first", "tie", "second")
    assert sorted((~output.has_verdict).sum() for output in observed.features.judges) == [0, 25]
    flipped = features_of(mtbench)
    assert "tie_inconsistent" not in flipped.features.scale.labels
    assert "tie_inconsistent" in flipped.features.judges[0].labels


def test_labels_that_only_judges_gave() -> None:
    def scale_of(people: str, judges: str) -> tuple[str, ...]:
        rows = [(f"i{k}", "m", "ann", "human", label) for k, label in enumerate(people.split())]
        rows += [(f"i{k}", "m", "gpt", "judge", label) for k, label in enumerate(judges.split())]
        return features_of(study(rows)).features.scale.labels

    assert set(scale_of("yes yes", "yes no")) == {"yes", "no"}
    assert set(scale_of("good bad", "pass fail")) == {"good", "bad"}
    assert set(scale_of("good bad", "good poor")) == {"good", "bad", "poor"}
    assert scale_of("1 2 4", "3 2 90") == ("1", "2", "3", "4")


def test_one_label_alone_cannot_be_predicted() -> None:
    rows = [("a", "m", "ann", "human", "yes"), ("a", "m", "gpt", "judge", "yes")]
    with pytest.raises(UserError, match="every label on these metrics is 'yes'"):
        features_of(study(rows))
    with pytest.raises(UserError, match="no person labelled"):
        features_of(study([("a", "m", "gpt", "judge", "yes"), ("b", "m", "gpt", "judge", "no")]))


def test_an_item_that_no_judge_was_asked_about_is_no_test_of_a_judge(humanebench: Study) -> None:
    observed = features_of(humanebench)
    assert len(observed) == 48
    assert len(observed.labelled) == observed.asked.sum() == 24


def test_an_unparsed_reply_was_asked_for(pandalm: Study) -> None:
    assert len(features_of(pandalm, judges=["gpt-3.5-turbo"]).labelled) == 999


def test_people_alone_keep_every_labelled_row(dices: Study) -> None:
    assert len(features_of(dices).labelled) == 350
