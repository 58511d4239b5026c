"""Parts of a verdict: a checklist's questions read as metrics of their own, and what they tell of people."""

from __future__ import annotations

import asyncio
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import voirdire
from voirdire.align.comparison import compare_views
from voirdire.align.options import AlignOptions
from voirdire.cli.main import app
from voirdire.judges.call import Reply, Request
from voirdire.judges.judge import load_judge
from voirdire.judges.planning import make_plan
from voirdire.judges.runner import run_plan
from voirdire.opening import open as open_study
from voirdire.store.sql import open_store
from voirdire.testing.clients import FakeClient, spread

STUDY = """
tables:
  - file: labels.csv
  - {file: texts.csv, kind: items}
metrics:
  warm:
    scale: {kind: binary, labels: [cold, warm]}
"""
HEAD = 'model: small\nendpoint: {url: "http://127.0.0.1:9/v1"}\n'
WHOLE = f"judge: whole\nrecipe: rubric\n{HEAD}"
CHECKLIST = f"""judge: list
recipe: checklist
options:
  questions:
    - {{name: greets, ask: "Does it greet?"}}
    - {{name: thanks, ask: "Does it thank?"}}
{HEAD}"""
TREE = f"""judge: tree
recipe: rubric_tree
options:
  labels: [never, sometimes, always]
  parts:
    - {{name: polite, asks: "Is it polite?"}}
{HEAD}"""
N = 160


def written(folder: Path, *, n: int = N) -> Path:
    """People call a reply warm as it greets and thanks; its text says how much it does of each."""
    rng = np.random.default_rng(5)
    parts = rng.integers(0, 2, size=(n, 2))
    share = 1 / (1 + np.exp(-(3 * parts[:, 0] + 1.5 * parts[:, 1] - 2.2)))
    rows = [
        f"i{i},warm,p{j},human,{'warm' if rng.random() < share[i] else 'cold'}"
        for i in range(n)
        for j in range(3)
    ]
    (folder / "labels.csv").write_text("\n".join(["item_id,metric,rater_id,rater_kind,label", *rows]))
    texts = [f"i{i},greeting {g} thanking {t} of number {i}" for i, (g, t) in enumerate(parts.tolist())]
    (folder / "texts.csv").write_text("\n".join(["item_id,text", *texts]))
    (folder / "study.yaml").write_text(STUDY)
    for name, judge in (("whole", WHOLE), ("list", CHECKLIST), ("tree", TREE)):
        (folder / f"{name}.yaml").write_text(judge)
    return folder


def answer(request: Request) -> Reply | str:
    """A question gets the truth; the whole a coin of the text."""
    text = request.messages[-1].content
    if "Does it" in text:
        asked = "greeting" if "greet?" in text else "thanking"
        yes = 0.9 if f"{asked} 1" in text else 0.1
        return spread({"yes": yes, "no": 1 - yes})
    if "polite" in text:
        return "sometimes"
    return "warm" if sum(map(ord, text)) % 2 else "cold"


def judged(folder: Path, *names: str) -> None:
    for name in names:
        with open_store(folder) as store:
            plan = make_plan(open_study(folder), load_judge(folder / f"{name}.yaml"), store)
            asyncio.run(run_plan(plan, store, client=FakeClient(answer)))


def opened(folder: Path) -> Any:
    return open_study(folder, config={"parts": True})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = written(tmp_path_factory.mktemp("parts"))
    judged(found, "whole", "list")
    return found


def test_parts_are_left_out_unless_they_are_asked_for(folder: Path) -> None:
    assert [metric.name for metric in open_study(folder).metrics] == ["warm"]
    assert [metric.name for metric in opened(folder).metrics] == ["warm", "warm/greets", "warm/thanks"]


def test_a_part_has_its_own_labels_in_order_and_its_probabilities(folder: Path) -> None:
    study = opened(folder)
    scale = study.metric("warm/greets").scale
    assert scale.labels == ("no", "yes")
    assert scale.ordered
    rows = study.rows("warm/greets")
    assert len(rows) == N
    assert {study.raters[code].id for code in study.ratings.rater[rows].tolist()} == {"list"}
    for row in rows.tolist():
        text = study.items.texts["text"][int(study.ratings.item[row])]
        assert math.isclose(study.ratings.probabilities["yes"][row], 0.9 if "greeting 1" in text else 0.1)


def test_a_rubrics_leaf_keeps_the_order_of_its_labels(tmp_path: Path) -> None:
    judged(written(tmp_path, n=12), "tree")
    scale = opened(tmp_path).metric("warm/polite").scale
    assert scale.labels == ("never", "sometimes", "always")
    assert scale.ordered


def test_parts_are_not_judged_themselves_and_those_of_earlier_versions_are_not_read(tmp_path: Path) -> None:
    judged(written(tmp_path, n=12), "list")
    with open_store(tmp_path) as store:
        assert len(make_plan(opened(tmp_path), load_judge(tmp_path / "whole.yaml"), store)) == 12
    (tmp_path / "list.yaml").write_text(CHECKLIST.replace("greets", "hails"))
    judged(tmp_path, "list")
    assert [one.name for one in opened(tmp_path).metrics] == ["warm", "warm/hails", "warm/thanks"]


def test_the_whole_is_compared_with_the_parts_and_not_with_what_is_made_of_them(folder: Path) -> None:
    options = AlignOptions(select="stack", repeats=1)
    found = compare_views(opened(folder), ["warm"], options, rng=np.random.default_rng(1))
    assert found.judges == ("whole",)
    assert found.aspects == ("warm/greets", "warm/thanks")
    last = found.points[-1]
    assert last.decomposed.low > 0.05
    assert last.losses["holistic"].value > last.base_rates.value - 0.02
    assert "on 2 parts of it (decomposed)" in str(found)


def test_a_checklist_alone_is_compared_with_its_own_parts(tmp_path: Path) -> None:
    judged(written(tmp_path, n=60), "list")
    options = AlignOptions(select="confusion_row", repeats=1)
    found = compare_views(opened(tmp_path), ["warm"], options, rng=np.random.default_rng(1))
    assert found.judges == ("list",)


def test_the_commands_read_the_parts_they_need(folder: Path, tmp_path: Path) -> None:
    run, out = CliRunner(), tmp_path / "aligner.json"
    common = ["--metric", "warm", "--select", "stack", "--calibrator", "stack", "--repeats", "1"]
    made = run.invoke(app(), ["align", str(folder), *common, "--view", "decomposed", "--out", str(out)])
    assert made.exit_code == 0, made.output
    table = tmp_path / "predicted.csv"
    told = run.invoke(app(), ["predict", str(out), str(folder), "--out", str(table)])
    assert told.exit_code == 0, told.output
    assert len(table.read_text().splitlines()) == N + 1


def test_an_audit_takes_a_study_with_parts(tmp_path: Path) -> None:
    judged(written(tmp_path, n=30), "whole", "list")
    (tmp_path / "study.yaml").write_text("parts: true\n" + STUDY)
    audit = voirdire.audit(open_study(tmp_path))
    assert {entry.judge for entry in audit.stand_in} == {"whole", "list"}
