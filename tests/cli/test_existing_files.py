"""No command writes over a file that exists, the labels themselves least of all, unless it is told to."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from voirdire.cli.main import app

LABELS = "item_id,rater_id,rater_kind,label\n" + "".join(
    f"i{k},{who},{kind},{'ny'[k % 2]}\n"
    for k in range(60)
    for who, kind in (("ann", "human"), ("bo", "human"), ("model", "judge"))
)


@pytest.mark.parametrize("command", ["align", "rates", "select", "compare", "plan"])
def test_labels_are_not_written_over(command: str, tmp_path: Path) -> None:
    labels, other = tmp_path / "labels.csv", tmp_path / "other.csv"
    labels.write_text(LABELS)
    other.write_text(LABELS)
    sources = [str(labels), str(other)] if command == "compare" else [str(labels)]
    result = CliRunner().invoke(app(), [command, *sources, "--out", str(labels)])
    assert (result.exit_code, labels.read_text()) == (2, LABELS)
    assert "exists already" in result.output
    assert "--force" in result.output


def test_force_replaces_a_file(tmp_path: Path) -> None:
    labels, out = tmp_path / "labels.csv", tmp_path / "rates.csv"
    labels.write_text(LABELS)
    out.write_text("old")
    words = ["rates", str(labels), "--select", "confusion_row", "--out", str(out), "--force"]
    result = CliRunner().invoke(app(), words)
    assert result.exit_code == 0, result.output
    assert out.read_text().startswith("metric,system")
