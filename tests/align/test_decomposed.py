"""Verdicts on the parts of a metric as features of it: how they are read, saved, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from typer.testing import CliRunner

import voirdire
from voirdire.align.aligner import Aligner
from voirdire.align.comparison import compare_views
from voirdire.align.encoding import Encoding
from voirdire.align.observe import features_of
from voirdire.align.options import AlignOptions
from voirdire.cli.main import app
from voirdire.errors import UserError
from voirdire.study import Study

SCHEMA = Path(__file__).resolve().parents[2] / "docs" / "schema" / "aligner-1.json"
NAMES = ("item_id", "metric", "rater_id", "rater_kind", "label", "prompt_hash", "prob_no", "prob_yes")
Row = tuple[str, ...]
BOTH = AlignOptions(metrics=("overall",), view="both", select="stack", calibrators=("stack",), repeats=1)


def opened(rows: Sequence[Row]) -> Study:
    return voirdire.open({name: [row[k] for row in rows] for k, name in enumerate(NAMES)})


def verdicts(item: str, overall: str, clear: int, safe: float, prompt: str = "p1") -> list[Row]:
    """The judge on the whole, on a part with a scale of its own, and on one that it states a share of."""
    said = "yes" if safe > 0.5 else "no"
    return [
        (item, "overall", "gpt", "judge", overall, prompt, "", ""),
        (item, "clear", "gpt", "judge", str(clear), prompt, "", ""),
        (item, "safe", "gpt", "judge", said, prompt, f"{1 - safe:.3f}", f"{safe:.3f}"),
    ]


def made(n: int = 120, *, judged: Sequence[str] = ("overall", "clear", "safe")) -> list[Row]:
    """People say yes to the whole as the parts are good; the judge's own verdict on it is a coin's."""
    rng = np.random.default_rng(7)
    rows: list[Row] = []
    for i in range(n):
        clear, safe = int(rng.integers(1, 6)), rng.random()
        share = 1 / (1 + np.exp(-(1.5 * (clear - 3) + 4 * (safe - 0.5))))
        people = [("no", "yes")[int(rng.random() < share)] for _ in range(3)]
        rows += [(f"i{i}", "overall", f"p{j}", "human", each, "", "", "") for j, each in enumerate(people)]
        coin = ("no", "yes")[int(rng.integers(2))]
        rows += [row for row in verdicts(f"i{i}", coin, clear, safe) if row[1] in judged]
    return rows


@pytest.fixture(scope="module")
def study() -> Study:
    return opened(made())


@pytest.fixture(scope="module")
def aligner(study: Study) -> Aligner:
    return voirdire.align(study, BOTH)


def seen(study: Study, view: str) -> Encoding:
    return Encoding.of(study, metrics=["overall"]).viewed(study, view)


def test_verdicts_on_parts_are_outputs_on_the_same_items_rows(study: Study) -> None:
    observed = features_of(study, metrics=["overall"], encoding=seen(study, "both"))
    own, clear, safe = observed.features.judges
    assert [output.judge for output in (own, clear, safe)] == ["gpt", "gpt on clear", "gpt on safe"]
    assert own.speaks.all()
    assert not clear.speaks.any()
    assert not safe.speaks.any()
    for name, output in (("clear", clear), ("safe", safe)):
        rows = study.rows(name, kind="judge")
        at = {int(item): k for k, item in enumerate(observed.item.tolist())}
        for row in rows.tolist():
            k = at[int(study.ratings.item[row])]
            label = study.metric(name).scale.labels[study.ratings.label[row]]
            assert output.labels[output.code[k]] == label
            if name == "clear":
                assert output.score[k] == float(label)
            else:
                assert output.score[k] == pytest.approx(study.ratings.probabilities["yes"][row], abs=1e-9)


def test_the_decomposed_view_has_the_parts_alone(study: Study) -> None:
    observed = features_of(study, metrics=["overall"], encoding=seen(study, "decomposed"))
    assert [output.judge for output in observed.features.judges] == ["gpt on clear", "gpt on safe"]
    assert seen(study, "decomposed").read == ("clear", "safe")
    assert seen(study, "both").read == ("overall", "clear", "safe")
    assert seen(study, "holistic").read == ("overall",)


def test_an_item_without_a_verdict_on_a_part_is_a_reply_without_a_verdict() -> None:
    rows = [row for row in made(40) if not (row[0] == "i3" and row[1] == "clear")]
    study = opened(rows)
    observed = features_of(study, metrics=["overall"], encoding=seen(study, "both"))
    k = study.items.ids.index("i3")
    clear = observed.features.judges[1]
    assert clear.has_verdict.tolist() == [item != k for item in observed.item.tolist()]


def test_items_shown_as_examples_of_a_part_are_left_out() -> None:
    rows = made(40)
    flags = ["true" if row[:2] == ("i5", "clear") else "" for row in rows]
    table = {name: [row[k] for row in rows] for k, name in enumerate(NAMES)}
    study = voirdire.open({**table, "used_as_example": flags})
    for view, n in (("holistic", 40), ("both", 39), ("decomposed", 39)):
        assert len(features_of(study, metrics=["overall"], encoding=seen(study, view)).labelled) == n


def test_the_parts_are_found_to_tell_more_than_a_coin(study: Study) -> None:
    found = compare_views(
        study, ["overall"], AlignOptions(select="stack", repeats=1), rng=np.random.default_rng(1)
    )
    assert found.aspects == ("clear", "safe")
    assert found.points[-1].decomposed.low > 0.05
    assert found.metric == "overall"


def test_a_judge_asked_about_parts_alone_predicts_the_whole() -> None:
    study = opened(made(judged=("clear", "safe")))
    options = AlignOptions(view="decomposed", select="stack", calibrators=("stack",), repeats=1)
    aligner = voirdire.align(study, options)
    with pytest.raises(UserError, match="no judge has a verdict on 'overall' itself"):
        compare_views(study, ["overall"], rng=np.random.default_rng(1))
    assert aligner.evaluation.gain.low > 0
    new = opened([row for row in verdicts("new", "", 5, 0.9) if row[1] != "overall"])
    predicted = aligner.predict(new)
    assert list(predicted.metric.values) == ["overall"]
    assert predicted.probabilities[0, predicted.scale.code("yes")] > 0.8


def test_a_saved_aligner_predicts_the_same_and_fits_the_schema(
    aligner: Aligner, study: Study, tmp_path: Path
) -> None:
    path = aligner.save(tmp_path / "aligner.json")
    again = Aligner.load(path)
    assert again.to_dict() == aligner.to_dict()
    assert (again.predict(study).probabilities == aligner.predict(study).probabilities).all()
    document = json.loads(path.read_text(encoding="utf-8"))
    jsonschema.validate(document, json.loads(SCHEMA.read_text(encoding="utf-8")))
    assert [aspect["metric"] for aspect in document["encoding"]["aspects"]] == ["clear", "safe"]
    for name in ("aspects", "view"):
        del document["encoding"][name]
    assert Encoding.from_dict(document["encoding"]).view == "holistic"


def test_its_own_metric_alone_is_predicted(aligner: Aligner, study: Study) -> None:
    assert {row["metric"] for row in aligner.predict(study).rows()} == {"overall"}
    with pytest.raises(UserError, match=r"learned 'overall' from verdicts on other metrics .* 'clear'"):
        aligner.predict(study, metrics=["clear"])


def test_a_study_without_a_part_another_prompt_of_it_and_unknown_labels_are_refused(aligner: Aligner) -> None:
    rows = verdicts("new", "yes", 5, 0.9) + verdicts("newer", "no", 1, 0.2)
    assert len(aligner.predict(opened(rows))) == 2
    with pytest.raises(UserError, match=r"verdicts on 'clear', a metric that is not here"):
        aligner.predict(opened([row for row in rows if row[1] != "clear"]))
    changed = [(*row[:5], "p2", *row[6:]) if row[1] == "safe" else row for row in rows]
    with pytest.raises(UserError, match=r"prompt_hash p1 of judge 'gpt', and here it is p2"):
        aligner.predict(opened(changed))
    foreign = [(*row[:4], "9", *row[5:]) if row[1] == "clear" else row for row in rows]
    with pytest.raises(UserError, match=r"judge 'gpt' gave '9'"):
        aligner.predict(opened(foreign))


def test_what_cannot_be_viewed_is_the_users_error(study: Study) -> None:
    with pytest.raises(UserError, match="2 metrics with the view 'both'"):
        Encoding.of(study, metrics=["overall", "safe"]).viewed(study, "both")
    alone = opened(made(judged=("overall",)))
    with pytest.raises(UserError, match="no judge has a verdict on a metric other than 'overall'"):
        seen(alone, "both")
    with pytest.raises(UserError, match="no view 'all'; expected one of holistic, decomposed, both"):
        AlignOptions(view="all")
    with pytest.raises(UserError, match="smallest_gain is 0"):
        AlignOptions(smallest_gain=0.0)
    with pytest.raises(UserError, match="2 metrics to compare views of"):
        compare_views(study, ["overall", "safe"], rng=np.random.default_rng(1))


def test_the_command_compares_views_and_learns_from_both(tmp_path: Path) -> None:
    table = tmp_path / "labels.csv"
    table.write_text("\n".join(",".join(row) for row in [NAMES, *made(60)]) + "\n", encoding="utf-8")
    views = ["--metric", "overall", "--view", "both", "--compare-views", "--select", "confusion_row"]
    more = ["--calibrator", "confusion_row", "--repeats", "1", "--curve", "--smallest-gain", "5"]
    out = tmp_path / "aligner.json"
    result = CliRunner().invoke(app(), ["align", str(table), *views, *more, "--out", str(out)])
    assert result.exit_code == 0, result.output
    assert (
        "'overall' from verdicts on it (holistic), on 2 other metrics (decomposed), or both" in result.output
    )
    assert "against one rater" in result.output
    assert "All further labels would buy less than 5 nats" in result.output
    again = Aligner.load(out)
    assert again.comparison is not None
    assert again.curve is not None
    assert again.curve.spread is not None
    assert again.encoding.view == "both"
    assert str(again.comparison) in result.output
    assert str(again.curve) in result.output
    jsonschema.validate(again.to_dict(), json.loads(SCHEMA.read_text(encoding="utf-8")))
