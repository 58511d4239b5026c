"""study.yaml: what is read, and every mistake in one line with the nearest remedy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from voirdire.errors import UserError, UserErrors
from voirdire.opening import open as open_study
from voirdire.study.config import MetricConfig, RaterConfig, ScaleConfig, StudyConfig, TableConfig
from voirdire.study.declaration import load_declaration, read_declaration

RATINGS = "item_id,metric,rater_id,label\na,tone,Ann,01\na,tone,gpt,yes\nb,style,Ann,no\nb,style,gpt,yes\n"


def study_yaml(folder: Path, text: str | bytes) -> Path:
    (folder / "labels.csv").write_text(RATINGS)
    path = folder / "study.yaml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_scalars_are_text(tmp_path: Path) -> None:
    path = study_yaml(
        tmp_path,
        "tables: [{file: labels.csv}]\n"
        "metrics: {'*': {scale: {labels: [no, 01, yes], ordered: true, values: [0, 1, 2.5]}}}\n"
        "raters: {gpt: {kind: judge}}\n",
    )
    scale = open_study(path).metrics[0].scale
    assert scale.labels == ("no", "01", "yes")
    assert scale.values == (0, 1, 2.5)
    assert scale.ordered


def test_the_folder_and_its_study_yaml_are_the_same(tmp_path: Path) -> None:
    path = study_yaml(tmp_path, "name: ours\ntables: [{file: labels.csv}]\n")
    assert open_study(path).name == open_study(tmp_path).name == "ours"


def test_patterns_come_after_names_and_the_star_last() -> None:
    declared = {
        "*": MetricConfig(title="other"),
        "pos-*": MetricConfig(title="pos"),
        "pos-1": MetricConfig(title="1"),
    }
    config = StudyConfig(metrics=declared)
    assert [config.metric(name).title for name in ("pos-1", "pos-2", "x")] == ["1", "pos", "other"]
    assert StudyConfig().metric("x") == MetricConfig()


@pytest.mark.parametrize("part", [StudyConfig, TableConfig, MetricConfig, ScaleConfig, RaterConfig])
def test_every_key_is_described(part: Any) -> None:
    assert part.__doc__
    assert [name for name, field in part.model_fields.items() if not field.description] == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["holds no keys"]),
        ("- a\n- b\n", ["holds no keys"]),
        ("just text", ["holds no keys"]),
        ("name: [unclosed", ["is not YAML", "line"]),
        ("a: 1\na: 2\n", ["line 2 gives 'a' a second time"]),
        ("raters: {gpt: {kind: judge}, gpt: {kind: human}}", ["gives 'gpt' a second time"]),
        ("a: &x [1, 2]\nb: *x\n", ["line 2 uses an alias"]),
        ("metrcs: {}\n", ["unknown key 'metrcs'", "did you mean 'metrics'?"]),
        (
            "tables: [{file: labels.csv, layuot: wide}]",
            ["study.yaml, tables.0: unknown key 'layuot'", "'layout'"],
        ),
        ("metrics: {tone: {scale: {label: [a]}}}", ["metrics.tone.scale: unknown key 'label'", "'labels'"]),
        ("metrics: {tone: {polarity: good}}", ["'polarity' is 'good'", "expected positive, negative"]),
        ("raters: {gpt: {kind: jugde}}", ["'kind' is 'jugde'", "did you mean 'judge'?"]),
        ("tables: [{kind: ratings}]", ["'file' is not given"]),
        ("tables: 7", ["'tables' is '7'"]),
        ("population: {items: many}", ["'items' is 'many'"]),
        ("normalise: [trim, upper]", ["'upper'", "trim, case or nfc"]),
        ("on_duplicate: newest", ["'newest'", "error, first, last or majority"]),
        ("tables: [{file: nowhere.csv}]", ["nowhere.csv", "no such file"]),
        ("tables: [{file: ../}]", ["is a folder"]),
        ("tables: [{file: labels.csv, kind: items}]", ["stands in row 2 already"]),
        ("tables: [{file: labels.csv, kind: reviews}]", ["no column 'adequacy'"]),
        ("tables: [{file: labels.csv, columns: {label: labl}}]", ["no column 'labl'", "'label'"]),
        ("tables: [{file: labels.csv, item_from: [item_id, metrc]}]", ["no column 'metrc'", "'metric'"]),
        ("tables: [{file: labels.csv, encoding: utf-9}]", ["no text encoding named 'utf-9'"]),
        ("tables: [{file: labels.csv, separator: ab}]", ["one character"]),
        ("metrics: {tome: {}}", ["no rating is on metric 'tome'", "'tone'"]),
        ("raters: {gtp: {}}", ["no rating is by 'gtp'", "'gpt'"]),
        ("clusters: [topic]", ["no item attribute 'topic'"]),
        ("slices: [topic]", ["no item attribute 'topic'"]),
        ("metrics: {tone: {policy: as maybe}}", ["no policy 'as maybe'", "kept apart"]),
        ("metrics: {tone: {tie: draw}}", ["tie names 'draw'"]),
        ("metrics: {tone: {scale: {labels: [a, a]}}}", ["metric 'tone'", "lists label 'a' twice"]),
        ("metrics: {tone: {scale: {labels: [a, b], values: [1]}}}", ["2 labels and 1 values"]),
        ("metrics: {tone: {scale: {labels: [a, b], indeterminate: {c: [a]}}}}", ["names 'c'"]),
        ("metrics: {tone: {scale: {kind: binary, labels: [a, b, c]}}}", ["a binary scale has two verdicts"]),
        ("metrics: {tone: {scale: {kind: ordinal}}}", ["needs its order"]),
        ("metrics: {'': {}}", ["no rating is on metric ''"]),
    ],
)
def test_a_mistake_is_one_line_that_says_where(tmp_path: Path, text: str, words: list[str]) -> None:
    if "tables" not in text and text.startswith(("metrics", "raters", "clusters", "slices")):
        text = f"tables: [{{file: labels.csv}}]\n{text}\n"
    with pytest.raises(UserError) as caught:
        open_study(study_yaml(tmp_path, text))
    for word in words:
        assert word in str(caught.value)


def test_all_mistakes_are_listed_at_once(tmp_path: Path) -> None:
    text = "nmae: x\nmetrics: {tone: {rubrik: y}}\nraters: {gpt: {kind: person}}\non_duplicate: latest\n"
    with pytest.raises(UserErrors) as caught:
        open_study(study_yaml(tmp_path, text))
    assert caught.value.total == 4


def test_a_file_that_is_not_utf_8_or_too_large_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="byte 7 is not UTF-8"):
        load_declaration(study_yaml(tmp_path, b"name: \xff\xfe"))
    with pytest.raises(UserError, match="larger than 10 MB"):
        load_declaration(study_yaml(tmp_path, b"#" * 10_000_001))
    with pytest.raises(UserError, match="is not YAML"):
        load_declaration(study_yaml(tmp_path, b"[" * 100_000))


def test_faults_of_all_files_are_listed_together(tmp_path: Path) -> None:
    path = study_yaml(tmp_path, "tables: [{file: labels.csv}, {file: one.csv}, {file: two.csv}]\n")
    (tmp_path / "one.csv").write_text("item_id,rater_id,label\na,Ann\n,Ann,yes\n")
    (tmp_path / "two.csv").write_text("item_id,rater_id,label\na,Ann,x\na,,y\n")
    with pytest.raises(UserErrors) as caught:
        open_study(path)
    assert [fault.where.split(",")[0] for fault in caught.value.faults] == ["one.csv", "one.csv", "two.csv"]


def test_python_values_are_spelled_like_a_files() -> None:
    loaded = {"metrics": {1: {"scale": {"labels": [0, 1, True], "values": [0, 1, 2]}}}, "missing": []}
    config = read_declaration(loaded, where="config")
    assert config.metrics["1"].scale.labels == ["0", "1", "true"]
    assert config.missing == []
