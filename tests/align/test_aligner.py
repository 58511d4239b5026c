"""The aligner: labels counted in, what it refuses, and that a saved one predicts the same."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from typer.testing import CliRunner

import voirdire
from voirdire.align.aligner import Aligner
from voirdire.align.options import AlignOptions
from voirdire.align.predictions import Predictions, contested_reasons
from voirdire.cli.main import app
from voirdire.errors import UserError
from voirdire.study import Study
from voirdire.study.scale import Scale

QUICK = AlignOptions(calibrators=("temperature_bias", "confusion_row"), select="temperature_bias", repeats=1)
SCHEMA = Path(__file__).resolve().parents[2] / "docs" / "schema" / "aligner-1.json"
Row = tuple[str, str, str, str, str, str]


def table(rows: Sequence[Row], folder: Path, name: str = "labels.csv") -> Path:
    path = folder / name
    lines = ["item_id,metric,rater_id,rater_kind,label,judge_version"]
    path.write_text("\n".join([*lines, *(",".join(row) for row in rows)]) + "\n", encoding="utf-8")
    return path


def made(n: int = 80, k: int = 2, *, version: str = "v1", judge: str = "gpt", seed: int = 4) -> list[Row]:
    """Two metrics, one harder; a judge right two times in three; people who differ."""
    rng = np.random.default_rng(seed)
    rows: list[Row] = []
    for i in range(n):
        metric = ("clear", "safe")[i % 2]
        share = rng.beta(2, 1) if metric == "clear" else rng.beta(1, 2)
        people = [("no", "yes")[int(rng.random() < share)] for _ in range(k)]
        verdict = ("no", "yes")[int((rng.random() < 0.75) == (share > 0.5))]
        rows += [(f"i{i}", metric, f"p{j}", "human", label, "") for j, label in enumerate(people)]
        rows.append((f"i{i}", metric, judge, "judge", verdict, version))
    return rows


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return voirdire.open(table(made(160), tmp_path_factory.mktemp("study")))


@pytest.fixture(scope="module")
def aligner(study: Study) -> Aligner:
    return voirdire.align(study, QUICK)


def verdicts(folder: Path, label: str, *, metric: str = "clear", **other: str) -> Study:
    row = ("new", metric, other.get("judge", "gpt"), "judge", label, other.get("version", "v1"))
    extra = ("newer", metric, other.get("judge", "gpt"), "judge", "no", other.get("version", "v1"))
    return voirdire.open(table([row, extra], folder))


def row_of(predictions: Predictions, item: str) -> dict[str, object]:
    return next(row for row in predictions.rows() if row["item_id"] == item)


def test_the_package_is_called_like_the_function(study: Study) -> None:
    import voirdire.align.features

    assert callable(voirdire.align)
    assert isinstance(voirdire.align(study, QUICK), Aligner)


def test_rows_without_labels_are_the_models_alone(aligner: Aligner, tmp_path: Path) -> None:
    found = aligner.predict(verdicts(tmp_path, "yes"))
    assert len(found) == 2
    row = row_of(found, "new")
    assert row["prob_yes"] + row["prob_no"] == pytest.approx(1.0)  # type: ignore[operator]
    assert row["prob_yes"] > row_of(found, "newer")["prob_yes"]  # type: ignore[operator]
    assert row["low_yes"] < row["prob_yes"] < row["high_yes"]  # type: ignore[operator]
    assert row["human_labels"] == 0


def test_labels_are_counted_in_with_the_judge_as_kappa_votes(aligner: Aligner, tmp_path: Path) -> None:
    alone = row_of(aligner.predict(verdicts(tmp_path, "yes")), "new")
    rows: list[Row] = [
        ("new", "clear", "gpt", "judge", "yes", "v1"),
        ("newer", "clear", "gpt", "judge", "no", "v1"),
    ]
    for k in (1, 3):
        people: list[Row] = [("new", "clear", f"p{j}", "human", "no", "") for j in range(k)]
        row = row_of(aligner.predict(voirdire.open(table([*rows, *people], tmp_path))), "new")
        expected = aligner.kappa * alone["prob_yes"] / (aligner.kappa + k)  # type: ignore[operator]
        assert row["prob_yes"] == pytest.approx(expected, abs=2e-6)
        assert row["human_labels"] == k


def test_a_saved_aligner_predicts_the_same(aligner: Aligner, study: Study, tmp_path: Path) -> None:
    path = aligner.save(tmp_path / "aligner.json")
    again = Aligner.load(path)
    assert again.curve is None
    one, two = aligner.predict(study), again.predict(study)
    assert (one.probabilities == two.probabilities).all()
    assert np.array_equal(one.low, two.low, equal_nan=True)
    assert list(one.rows()) == list(two.rows())
    assert again.to_dict() == aligner.to_dict()
    assert str(again) == str(aligner)
    jsonschema.validate(json.loads(path.read_text()), json.loads(SCHEMA.read_text()))


def test_a_curve_is_saved_with_the_aligner(study: Study, tmp_path: Path) -> None:
    fitted = voirdire.align(study, replace(QUICK, curve=True))
    assert fitted.curve is not None
    assert "Another 100 labels should buy" in str(fitted)
    again = Aligner.load(fitted.save(tmp_path / "aligner.json"))
    assert again.to_dict() == fitted.to_dict()
    assert again.curve is not None
    assert again.curve.sentence == fitted.curve.sentence


def test_rows_beyond_the_limit_are_drawn_by_cluster(study: Study) -> None:
    fitted = voirdire.align(study, replace(QUICK, most_rows=50))
    assert fitted.evaluation.design.n_rows == 50


def test_same_seed_same_file_and_another_labels_another_hash(
    study: Study, aligner: Aligner, tmp_path: Path
) -> None:
    again = voirdire.align(study, QUICK)
    assert json.dumps(again.to_dict()) == json.dumps(aligner.to_dict())
    rows = made(160)
    rows[0] = (*rows[0][:4], "no" if rows[0][4] == "yes" else "yes", "")
    assert voirdire.align(voirdire.open(table(rows, tmp_path)), QUICK).data_hash != aligner.data_hash


def test_another_judge_version_or_label_is_refused_by_name(aligner: Aligner, tmp_path: Path) -> None:
    for changed, words in (
        ({"judge": "claude"}, "fitted on judge 'gpt', and here the judges are claude"),
        ({"version": "v2"}, "fitted on judge_version v1 of judge 'gpt', and here it is v2"),
    ):
        with pytest.raises(UserError, match=words):
            aligner.predict(verdicts(tmp_path, "yes", **changed))
    with pytest.raises(UserError, match="judge 'gpt' gave 'maybe'"):
        aligner.predict(verdicts(tmp_path, "maybe"))
    rows: list[Row] = [
        ("a", "clear", "gpt", "judge", "yes", "v1"),
        ("a", "clear", "p", "human", "perhaps", ""),
    ]
    with pytest.raises(UserError, match="people gave label 'perhaps' on 'clear'"):
        aligner.predict(voirdire.open(table(rows, tmp_path)))


def test_a_metric_never_seen_is_wider_and_said_so(aligner: Aligner, tmp_path: Path) -> None:
    known = aligner.predict(verdicts(tmp_path, "yes"))
    found = aligner.predict(verdicts(tmp_path, "yes", metric="kind"))
    assert found.metric[0] == "kind"
    assert "no human label on this metric in training" in str(row_of(found, "new")["reason"])
    assert "on a metric without human labels" in found.notes[0]
    assert len(aligner.predict(verdicts(tmp_path, "yes"), metrics=["clear"])) == 2
    with pytest.raises(UserError, match="no metric named 'kind'"):
        aligner.predict(verdicts(tmp_path, "yes"), metrics=["kind"])
    width = [row_of(each, "new") for each in (known, found)]
    assert width[1]["high_yes"] - width[1]["low_yes"] > width[0]["high_yes"] - width[0]["low_yes"]  # type: ignore[operator]


def test_a_judge_without_a_verdict_is_predicted_and_said_so(aligner: Aligner, tmp_path: Path) -> None:
    found = aligner.predict(verdicts(tmp_path, ""))
    assert "the judge gave no verdict" in str(row_of(found, "new")["reason"])


def test_one_label_an_item_fits_and_says_what_is_not_measurable(tmp_path: Path) -> None:
    study = voirdire.open(table(made(60, k=1), tmp_path))
    fitted = voirdire.align(study, QUICK)
    assert math.isnan(fitted.kappa)
    found = fitted.predict(study)
    assert np.isnan(found.low).all()
    assert "not measurable" in found.notes[0]
    row = next(found.rows())
    assert row["low_yes"] is None
    assert json.dumps(fitted.to_dict(), allow_nan=False)


def test_reasons_tell_polarised_from_split_and_spread() -> None:
    scale = Scale("ordinal", ("1", "2", "3", "4"), ordered=True)
    table = np.array(
        [[0.5, 0.05, 0.05, 0.4], [0.3, 0.3, 0.3, 0.1], [0.05, 0.45, 0.1, 0.4], [0.7, 0.1, 0.1, 0.1]]
    )
    none, contested = np.zeros(4, dtype=bool), np.array([True, True, True, False])
    why = contested_reasons(table, contested, scale, unseen=none, silent=none)
    assert [why[i] for i in range(4)] == [
        "polarised between 1 and 4",
        "spread from 1 to 3",
        "polarised between 2 and 4",
        None,
    ]

    def reason(scale: Scale, *shares: float) -> str | None:
        one, no = np.ones(1, dtype=bool), np.zeros(1, dtype=bool)
        return contested_reasons(np.array([shares]), one, scale, unseen=no, silent=no)[0]

    binary, three = Scale("binary", ("no", "yes")), Scale("nominal", ("a", "b", "c"))
    assert reason(binary, 0.5, 0.5) == "split between no and yes"
    assert reason(three, 0.5, 0.1, 0.4) == "split between a and c"
    assert reason(three, 0.3, 0.4, 0.3) == "spread over more than two labels"


def test_the_threshold_is_what_people_show_or_what_is_asked(study: Study, aligner: Aligner) -> None:
    usual, all_rows, no_row = (aligner.predict(study, contested=at) for at in (None, 0.0, 0.999))
    assert usual.thresholds == dict(aligner.evaluation.flagging.thresholds)
    assert set(usual.thresholds) == {"clear", "safe"}
    limit = np.array([usual.thresholds[usual.metric[i] or ""] for i in range(len(usual))])
    assert (usual.contested == (usual.dispute >= limit)).all()
    assert all_rows.contested.all()
    assert not no_row.contested.any()
    with pytest.raises(UserError, match="contested is 60; expected a share"):
        aligner.predict(study, contested=60)


def test_wrong_options_and_files_are_named(tmp_path: Path, study: Study) -> None:
    with pytest.raises(UserError, match="repeats is 0"):
        AlignOptions(repeats=0)
    with pytest.raises(UserError, match="credal is 2"):
        AlignOptions(credal=2)
    (tmp_path / "a.json").write_text("{}")
    with pytest.raises(UserError, match="is no aligner"):
        Aligner.load(tmp_path / "a.json")
    (tmp_path / "b.json").write_text("nonsense")
    with pytest.raises(UserError, match="is not JSON"):
        Aligner.load(tmp_path / "b.json")
    with pytest.raises(UserError, match="cannot be read"):
        Aligner.load(tmp_path / "none.json")
    with pytest.raises(UserError, match="no judge named 'x'"):
        voirdire.align(study, AlignOptions(judges=("x",)))


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app(), list(arguments))
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, result.output


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet", "csv.gz"])
def test_align_then_predict_from_the_command_line(tmp_path: Path, suffix: str) -> None:
    source, saved, out = table(made(60), tmp_path), tmp_path / "aligner.json", tmp_path / f"out.{suffix}"
    options = ["--calibrator", "temperature_bias", "--select", "temperature_bias", "--repeats", "1"]
    code, output = run("align", str(source), "-o", str(saved), *options)
    assert code == 0, output
    assert "metric_prior" in output
    assert f"Wrote {saved}." in output
    code, output = run("predict", str(saved), str(source), "-o", str(out))
    assert code == 0, output
    assert f"Wrote 60 rows to {out}" in output
    again = voirdire.align(voirdire.open(source), QUICK).predict(voirdire.open(source))
    read = frame(out)
    assert [*read][:5] == ["item_id", "metric", "most_likely", "contested", "reason"]
    assert read["contested"].dtype == bool  # a text "false" would be true
    assert read["contested"].tolist() == again.contested.tolist()
    assert read["prob_yes"].tolist() == pytest.approx(again.numbers["prob_yes"].tolist())
    assert again.to_pandas()["prob_yes"].tolist() == again.numbers["prob_yes"].tolist()
    assert run("predict", str(saved), str(source), "-o", str(out))[0] == 2


def frame(path: Path):  # type: ignore[no-untyped-def]
    import pandas

    reader = {"parquet": pandas.read_parquet, "jsonl": lambda p: pandas.read_json(p, lines=True)}
    return reader.get(path.suffix[1:], pandas.read_csv)(path)


def test_metrics_that_only_one_side_rated_are_left_out(tmp_path: Path) -> None:
    extra: list[Row] = [(f"i{i}", "style", "p0", "human", "perhaps", "") for i in range(30)]
    fitted = voirdire.align(voirdire.open(table([*made(60), *extra], tmp_path)), QUICK)
    assert fitted.encoding.metrics == ("clear", "safe")
    judged: Row = ("j", "clear", "gpt", "judge", "yes", "v1")
    apart, alone = (voirdire.open(table(rows, tmp_path)) for rows in ([*extra, judged], extra))
    with pytest.raises(UserError, match="no metric was rated by people and by a judge"):
        voirdire.align(apart, QUICK)
    with pytest.raises(UserError, match="no judge to align"):
        voirdire.align(alone, QUICK)


def test_too_few_items_are_one_line_and_leave_no_file(tmp_path: Path) -> None:
    source, saved = table(made(12), tmp_path), tmp_path / "aligner.json"
    code, output = run("align", str(source), "-o", str(saved))
    assert code == 2
    assert output.count("\n") == 1
    assert "label 8 more" in output
    assert not saved.exists()
    assert run("align", str(source), "--jobs", "0")[1].startswith("voirdire: --jobs 0")


def test_an_unknown_suffix_is_named(aligner: Aligner, study: Study, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no writer for '.xlsx'"):
        aligner.predict(study).export(str(tmp_path / "a.xlsx"))
    with pytest.raises(UserError, match="cannot be written"):
        aligner.save(tmp_path / "nowhere" / "a.json")
