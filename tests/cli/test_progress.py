"""Progress is shown on a terminal, on standard error, and nowhere else."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

import voirdire
from voirdire import registry
from voirdire.cli.progress import steps

LABELS = "item_id,rater_id,label\n" + "".join(
    f"{item},{who},{item % 2}\n" for item in range(9) for who in "ab"
)


def test_nothing_is_said_where_nobody_watches(capsys: pytest.CaptureFixture[str]) -> None:
    with steps() as step:
        step("Reading")
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(("flags", "shown"), [((), True), (("--quiet",), False), (("--json",), False)])
def test_a_terminal_sees_each_step(tmp_path: Path, flags: tuple[str, ...], shown: bool) -> None:
    (tmp_path / "labels.csv").write_text(LABELS, encoding="utf-8")
    command = [sys.executable, "-m", "voirdire", "audit", str(tmp_path / "labels.csv"), *flags]
    main, terminal = pty.openpty()
    os.set_blocking(main, False)
    try:
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=terminal, timeout=60, check=True)
        said = os.read(main, 100_000).decode() if shown else ""
        if not shown:
            with pytest.raises(BlockingIOError):
                os.read(main, 1)
    finally:
        os.close(main)
        os.close(terminal)
    assert ("Auditing 18 ratings" in said) is shown
    assert b"Auditing" not in result.stdout


def test_an_audit_tells_each_check_before_it_runs(tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text(LABELS, encoding="utf-8")
    told: list[str] = []
    voirdire.audit(voirdire.open(tmp_path / "labels.csv"), progress=told.append)
    assert sorted(told) == registry.names("check")
