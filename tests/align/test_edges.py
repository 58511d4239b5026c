"""Studies that are hardly any: what is left out, never seen or silent, from the labels to the predictions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import voirdire
from align.planted import of_logits
from align.test_aligner import QUICK, Row, made, row_of, table
from voirdire.align.aligner import Aligner
from voirdire.align.features import Features, Target
from voirdire.align.held_out import Protocol, repeated
from voirdire.align.observe import features_of
from voirdire.align.options import AlignOptions
from voirdire.align.protocol import evaluate
from voirdire.errors import UserError
from voirdire.opening import open as open_study
from voirdire.study import Study

SCALE = {"kind": "ordinal", "labels": ["1", "2", "3", "4", "5"]}


def silent(rows: list[Row], share: float, *, told: bool = False) -> list[Row]:
    """The rows with some verdicts replaced by an empty reply: a share at random, or where people said no."""
    rng = np.random.default_rng(8)
    said_no = {row[0] for row in rows if row[3] == "human" and row[4] == "no"}
    gone = {row[0] for row in rows if row[3] == "judge" and rng.random() < share}
    empty = said_no if told else gone
    return [(*row[:4], "", row[5]) if row[3] == "judge" and row[0] in empty else row for row in rows]


def test_a_judge_with_missing_verdicts_is_fitted_on_every_row(tmp_path: Path) -> None:
    study = voirdire.open(table(silent(made(160), 0.3), tmp_path))
    fitted = voirdire.align(study, QUICK)
    assert fitted.evaluation.design.n_rows == 160
    found = fitted.predict(study)
    mute = [row for row in found.rows() if "the judge gave no verdict" in str(row["reason"])]
    assert 0 < len(mute) < 160
    assert all(np.isfinite(row["prob_yes"]) for row in mute)


def test_an_unparsed_reply_is_a_category_of_its_own(tmp_path: Path) -> None:
    study = voirdire.open(table(silent(made(160, k=1), 0.0, told=True), tmp_path))
    fitted = voirdire.align(
        study, AlignOptions(select="confusion_row", calibrators=("confusion_row",), repeats=1)
    )
    assert fitted.evaluation.gain.low > 0.2
    found = row_of(fitted.predict(voirdire.open(table(reply(""), tmp_path, "new.csv"))), "new")
    assert found["prob_no"] > 0.9  # type: ignore[operator]


def reply(label: str) -> list[Row]:
    return [("new", "clear", "gpt", "judge", label, "v1"), ("other", "clear", "gpt", "judge", "yes", "v1")]


@pytest.fixture(scope="module")
def one_sided() -> Study:
    """Five labels are declared, people use two of them, and the judge three."""
    rng = np.random.default_rng(6)
    rows = []
    for i in range(60):
        good = rng.random() < 0.6
        rows += [
            (f"i{i}", f"p{k}", "human", "54"[int(rng.random() < (0.2 if good else 0.7))]) for k in (0, 1)
        ]
        rows.append((f"i{i}", "gpt", "judge", str(rng.integers(4, 6) if good else 3)))
    names = ("item_id", "rater_id", "rater_kind", "label")
    columns = {name: [row[k] for row in rows] for k, name in enumerate(names)}
    config = {"metrics": {"quality": {"scale": SCALE}}}
    return open_study({**columns, "metric": ["quality"] * len(rows)}, config=config)


def test_labels_never_used_are_possible_and_rare(one_sided: Study) -> None:
    only = ("cumulative_link",)
    fitted = voirdire.align(one_sided, AlignOptions(select=only[0], calibrators=only, repeats=1))
    found = fitted.predict(one_sided)
    assert found.probabilities.shape == (60, 5)
    assert found.probabilities.min() > 0
    assert found.probabilities[:, :3].max() < 0.05
    assert fitted.evaluation.gain.low > 0


def saying(value: str, folder: Path) -> Study:
    rows = [(*row[:4], value, row[5]) if row[3] == "judge" else row for row in made(160)]
    return voirdire.open(table(rows, folder))


def test_a_judge_that_always_says_the_same_adds_nothing(tmp_path: Path) -> None:
    study = saying("yes", tmp_path)
    fitted = voirdire.align(study, QUICK)
    assert fitted.evaluation.gain.low <= 0
    assert fitted.evaluation.verdict.word in ("nothing", "cannot tell")
    shares = fitted.predict(study, metrics=["safe"])
    alone = shares.probabilities[shares.human_labels == 0]
    assert len(alone) == 0 or np.ptp(alone, axis=0).max() < 1e-9


def test_a_judge_without_any_verdict_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no metric was rated by people and by a judge"):
        voirdire.align(saying("", tmp_path), QUICK)


def test_examples_in_the_judges_prompt_take_no_part(tmp_path: Path) -> None:
    rows = made(60)
    shown = {f"i{k}" for k in range(10)}
    path = tmp_path / "labels.csv"
    lines = ["item_id,metric,rater_id,rater_kind,label,judge_version,used_as_example"]
    lines += [",".join((*row, "true" if row[0] in shown and row[3] == "human" else "")) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    study = voirdire.open(path)
    fitted: Aligner = voirdire.align(study, QUICK)
    assert fitted.evaluation.design.n_rows == 50
    observed = features_of(study).labelled
    assert not shown & {study.items.ids[i] for i in observed.item.tolist()}
    others = voirdire.align(
        voirdire.open(table([row for row in rows if row[0] not in shown], tmp_path, "without.csv")), QUICK
    )
    assert fitted.evaluation.gain.value == pytest.approx(others.evaluation.gain.value)
    assert fitted.data_hash == others.data_hash


def test_too_few_items_are_one_line_with_the_number_needed(tmp_path: Path) -> None:
    with pytest.raises(UserError) as refused:
        voirdire.align(voirdire.open(table(made(14), tmp_path)), QUICK)
    text = str(refused.value)
    assert "\n" not in text
    assert "at least 20" in text
    assert "label 6 more" in text


def shuffled(rng: np.random.Generator, n: int) -> tuple[Features, Target]:
    """The rows of a useful judge with the labels permuted among them: base rates stay, the link is gone."""
    planted = of_logits(rng, n, slope=0.8, k=2)
    return planted.features, Target.of(planted.target.counts[rng.permutation(n)])


def test_permuted_labels_leave_no_skill_in_any_of_many_studies() -> None:
    quick = Protocol(select="temperature_bias", calibrators=("temperature_bias",), repeats=1, resamples=200)
    rng, helpful = np.random.default_rng(3), 0
    for _ in range(6):
        found = evaluate(*shuffled(rng, 80), protocol=quick, rng=rng)
        helpful += found.gain.low > 0
        assert found.skill.undefined or found.skill.low <= 0
        assert found.verdict.word in ("nothing", "cannot tell")
    assert helpful == 0


def test_no_cluster_straddles_an_outer_fold_of_an_evaluation() -> None:
    rng = np.random.default_rng(1)
    planted = of_logits(rng, 90)
    target = Target.of(planted.target.counts, cluster=rng.integers(0, 25, 90))
    how = Protocol(calibrators=("temperature",), repeats=2, select="temperature")
    for run in repeated(planted.features, target, how, rng):
        assert set(run.fold.tolist()) == set(range(5))
        for cluster in np.unique(target.cluster):
            assert len(set(run.fold[target.cluster == cluster].tolist())) == 1


def test_a_continuous_score_has_too_many_labels_to_align() -> None:
    rows = {"item_id": [], "rater_id": [], "label": []}  # type: ignore[var-annotated]
    for k in range(120):
        for rater in ("ann", "judge"):
            rows["item_id"].append(f"i{k}")
            rows["rater_id"].append(rater)
            rows["label"].append(f"{k / 7:.3f}")
    with pytest.raises(UserError, match="too many to tell"):
        voirdire.align(voirdire.open(rows, judges="judge"))
