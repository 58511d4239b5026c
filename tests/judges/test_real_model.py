"""A real small model judges real items through the whole of the path that any judge takes."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import voirdire
from conftest import missing
from judges.studies import kept
from voirdire.cli.main import app
from voirdire.errors import UserError
from voirdire.judges.clients.local import weights_of
from voirdire.stats import Estimate
from voirdire.store.schema import replies, verdicts

pytestmark = pytest.mark.model

ITEMS, PAIRS, REPEATED = 24, 20, 6
FEW = 60


@pytest.fixture(scope="module", autouse=True)
def weights() -> None:
    try:
        weights_of("")
    except UserError as problem:
        missing(f"the local model ({problem})")


def judged(data: Path, folder: Path, n: int) -> Path:
    """The ``n`` shortest items of a data set in a folder of their own, with the local judge's verdicts.

    Columns of fewer letters would be taken for attributes, which no judge sees unless its file says so.
    """
    texts = rows_of(data / "texts.csv")
    texts.sort(
        key=lambda row: (
            min(len(text) for name, text in row.items() if text and name != "item_id") <= FEW,
            sum(map(len, row.values())),
        )
    )
    chosen = {row["item_id"] for row in texts[:n]}
    for name in ("texts.csv", "long.csv"):
        rows = [row for row in rows_of(data / name) if row["item_id"] in chosen]
        with open(folder / name, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
    judge(folder)
    return folder


def rows_of(file: Path) -> list[dict[str, str]]:
    with open(file, newline="", encoding="utf-8-sig") as opened:
        return list(csv.DictReader(opened))


def judge(folder: Path, *more: str) -> None:
    done = CliRunner().invoke(app(), ["judge", str(folder), "--judge", "local", *more])
    assert done.exit_code == 0, done.output


@pytest.fixture(scope="module")
def items(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return judged(shared / "data" / "humanebench", tmp_path_factory.mktemp("items"), ITEMS)


@pytest.fixture(scope="module")
def pairs(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return judged(shared / "data" / "pandalm", tmp_path_factory.mktemp("pairs"), PAIRS)


def test_every_item_has_one_whole_verdict(items: Path) -> None:
    rows = [row for row in kept(items, verdicts) if row["run"] == 0]
    assert len({row["item_id"] for row in rows}) == len(rows) == ITEMS
    assert {row["status"] for row in rows} == {"ok"}
    assert {row["label"] for row in rows} <= {"-1", "-0.5", "0.5", "1"}
    answers = {reply["request_hash"]: reply for reply in kept(items, replies)}
    for row in rows:
        holds_together(row, answers, "ABCD")


def holds_together(row: dict[str, Any], answers: dict[str, dict[str, Any]], letters: str) -> None:
    """The distribution sums to 1, and its mass is what the model gave to the letters before it was scaled."""
    shares = row["probabilities"]
    assert math.fsum(shares.values()) == pytest.approx(1)
    (reply,) = (answers[name] for name in row["requests"])
    top = reply["tokens"][0][2]
    assert len(top) == 20
    assert math.fsum(math.exp(logprob) for _, logprob in top) <= 1 + 1e-6
    own = [math.exp(logprob) for word, logprob in top if word.strip().upper() in letters]
    assert 0 < math.fsum(own) == pytest.approx(row["mass"])
    # the reply is the likeliest of the letters, for nothing is drawn at temperature 0
    assert shares[row["label"]] == max(shares.values())


def test_repeats_are_identical(items: Path) -> None:
    judge(items, "--limit", str(REPEATED), "--runs", "2")
    columns = ("label", "probabilities", "mass", "status")
    by_run = [
        {
            row["item_id"]: [row[name] for name in columns]
            for row in kept(items, verdicts)
            if row["run"] == run
        }
        for run in (0, 1)
    ]
    assert len(by_run[1]) == REPEATED
    assert by_run[1] == {item: by_run[0][item] for item in by_run[1]}
    study = voirdire.open(items)
    (local,) = (code for code in study.judges_of("humane_severity") if study.raters[code].id == "local")
    assert (study.ratings.rater == local).sum() == ITEMS + REPEATED


def test_the_audit_finds_its_position_bias(pairs: Path) -> None:
    orders = [row for row in kept(pairs, verdicts) if row["part"]]
    assert sorted(row["presented"] for row in orders) == ["ab"] * PAIRS + ["ba"] * PAIRS
    answers = {reply["request_hash"]: reply for reply in kept(pairs, replies)}
    for row in orders:
        holds_together(row, answers, "ABC")
    (finding,) = voirdire.audit(voirdire.open(pairs), voirdire.AuditOptions(checks=("position",))).findings
    assert "local-pairs changed its verdict with the order" in finding.answer
    by_name = {table.name: table for table in finding.tables}
    (wins,) = (row for row in by_name["first_wins"].rows if row.cells["rater"] == "local-pairs")
    (same,) = (row for row in by_name["swapped"].rows if row.cells["judge"] == "local-pairs")
    first, consistent = wins.cells["first"], same.cells["consistent"]
    assert isinstance(first, Estimate)
    assert isinstance(consistent, Estimate)
    assert same.cells["pairs"] == PAIRS
    assert first.low > 0.5  # the answer shown first wins more often than quality could explain
    assert consistent.high < 0.5  # most verdicts change when the two change places
    assert first.value == sum(
        row["presented"] == {"first": "ab", "second": "ba"}.get(row["label"]) for row in orders
    ) / (sum(row["label"] != "tie" for row in orders))
