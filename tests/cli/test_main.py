"""The command line as a whole: help, versions, exit codes, and no traceback for a user's mistake."""

from __future__ import annotations

import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from voirdire import cli
from voirdire.cli.main import app

COMMANDS = sorted(
    module.name
    for module in pkgutil.iter_modules(cli.__path__)
    if hasattr(__import__(f"voirdire.cli.{module.name}", fromlist=["command"]), "command")
)
HEAVY = ("numpy", "scipy", "duckdb", "pydantic", "jinja2", "rich", "yaml")


def run(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # type: ignore[call-overload, no-any-return]
        [sys.executable, "-m", "voirdire", *arguments], capture_output=True, text=True, timeout=120, **options
    )


def test_the_expected_commands_are_there() -> None:
    assert {"audit", "demo", "plugins"} <= set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str) -> None:
    result = CliRunner().invoke(app(), [command.replace("_", "-"), "--help"])
    assert result.exit_code == 0
    assert "Usage:" in result.output


def test_help_lists_every_command_and_is_shown_where_none_is_given() -> None:
    asked, bare = CliRunner().invoke(app(), ["--help"]), CliRunner().invoke(app(), [])
    assert asked.exit_code == bare.exit_code == 0
    assert asked.output == bare.output
    assert all(command.replace("_", "-") in asked.output for command in COMMANDS)


def test_version() -> None:
    result = CliRunner().invoke(app(), ["--version"])
    assert result.exit_code == 0
    assert result.output.startswith("voirdire 0.")


@pytest.mark.parametrize("code", ["import voirdire", "from voirdire.cli.main import app; app()"])
def test_starting_loads_nothing_heavy(code: str) -> None:
    code = f"import sys; {code}; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert not set(HEAVY) & set(loaded.split())


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nope"], "No such command 'nope'"),
        (["plugin"], "plugins"),
        (["audit"], "Missing argument"),
        (["audit", "x.csv", "--nope"], "No such option"),
        (["audit", "x.csv", "--level", "high"], "--level"),
        (["plugins", "statistics"], "expected one of statistic"),
        (["audit", "/no/such/file.csv"], "/no/such/file.csv"),
        (["audit", "x.csv", "--level", "2"], "level is 2"),
        (["audit", "x.csv", "--reading", "kind"], "no reading scale named 'kind'"),
        (["audit", "x.csv", "--column", "label"], "expected NAME=COLUMN"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(arguments: list[str], says: str) -> None:
    result = CliRunner().invoke(app(), arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith("voirdire: ")
    assert len(result.stderr.splitlines()) == 1
    assert says in result.stderr
    assert result.stdout == ""


def test_a_mistake_from_a_shell_is_the_same(tmp_path: Path) -> None:
    result = run("audit", str(tmp_path / "absent.csv"))
    assert result.returncode == 2
    assert result.stderr.startswith("voirdire: ")
    assert "Traceback" not in result.stderr


def test_an_error_cannot_steer_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("item_id,rater_id,rater_kind,label\n1,a,\x1b[2Jrobot\u202e,pass\n", encoding="utf-8")
    result = CliRunner().invoke(app(), ["audit", str(path)])
    assert result.exit_code == 2
    assert "robot" in result.stderr
    assert not {"\x1b", "\u202e"} & set(result.stderr)


def test_ctrl_c_is_one_line_and_exit_code_130(monkeypatch: pytest.MonkeyPatch) -> None:
    from voirdire import registry

    def interrupted(kind: str) -> list[str]:
        raise KeyboardInterrupt

    monkeypatch.setattr(registry, "names", interrupted)
    result = CliRunner().invoke(app(), ["plugins"])
    assert result.exit_code == 130
    assert result.stderr.strip() == "voirdire: stopped"


def test_a_closed_pipe_is_quiet() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        result = subprocess.run(
            [sys.executable, "-m", "voirdire", "plugins"], stdout=writer, stderr=subprocess.PIPE, timeout=60
        )
    finally:
        os.close(writer)
    assert result.stderr == b""
