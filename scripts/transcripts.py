"""Run what a page tells a reader to run, and put the true output under it.

On each page of ``PAGES`` every shell block's ``voirdire`` lines and every Python block are run, in
order, in one folder that starts empty. A ``text`` block that follows one holds its output, and is replaced. A
``csv`` or ``yaml`` block is first saved under the last file name that the page mentions before it.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGES = [
    ROOT / "README.md",
    ROOT / "docs" / "tutorial.md",
    ROOT / "docs" / "data-model.md",
    ROOT / "docs" / "select.md",
    ROOT / "docs" / "replacement.md",
    ROOT / "docs" / "label-sets.md",
    ROOT / "docs" / "rates.md",
    ROOT / "docs" / "judging.md",
    ROOT / "docs" / "plan.md",
    ROOT / "docs" / "compare.md",
    ROOT / "docs" / "systems.md",
    ROOT / "docs" / "gate.md",
    ROOT / "docs" / "tutorial-bench.md",
    ROOT / "docs" / "bench-diff.md",
]
WIDTH, HEIGHT = "100", "40"
BLOCK = re.compile(r"```(sh|python|csv|yaml)\n(.*?)```\n(?:(\n```text\n)(.*?)(```\n))?", re.DOTALL)
FILE = re.compile(r"`([\w./-]+\.(?:csv|yaml))`")


class Reader:
    """Somebody who follows one page to the letter, in ``folder``."""

    def __init__(self, page: str, folder: Path) -> None:
        self.page, self.folder = page, folder
        self.names: dict[str, Any] = {}

    def refreshed(self) -> str:
        """The page with the output that its blocks have today."""
        with contextlib.chdir(self.folder):
            return BLOCK.sub(self._follow, self.page)

    def _follow(self, block: re.Match[str]) -> str:
        kind, text = block[1], block[2]
        if kind in ("csv", "yaml"):
            path = Path(FILE.findall(self.page[: block.start()])[-1])
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            return block[0]
        shown = block[3] is not None
        output = self._python(text) if kind == "python" else self._shell(text, mistakes=shown)
        if not shown:
            return block[0]
        return f"```{kind}\n{text}```\n{block[3]}{output}{block[5]}"

    def _python(self, text: str) -> str:
        with contextlib.redirect_stdout(io.StringIO()) as output:
            exec(compile(text, "<page>", "exec"), self.names)
        return tidy(output.getvalue())

    def _shell(self, text: str, *, mistakes: bool) -> str:
        lines = [shlex.split(line, comments=True) for line in text.replace("\\\n", " ").splitlines()]
        return "".join(command(words[1:], mistakes) for words in lines if words[:1] == ["voirdire"])


def command(words: list[str], mistakes: bool) -> str:
    """What one command prints on a terminal of 100 by 40; another exit code than 0 where a page shows it."""
    from typer.testing import CliRunner

    from voirdire.cli.main import app

    runner = CliRunner(env={"COLUMNS": WIDTH, "LINES": HEIGHT, "TERMINAL_WIDTH": WIDTH, "NO_COLOR": "1"})
    result = runner.invoke(app(), words, prog_name="voirdire")
    assert result.exit_code == 0 or (mistakes and result.exit_code in (1, 2, 3)), result.output
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return tidy(result.output)


def tidy(output: str) -> str:
    return "".join(f"{line.rstrip()}\n" for line in output.strip("\n").splitlines())


def refreshed(page: Path) -> str:
    """The text of ``page`` with today's output."""
    with tempfile.TemporaryDirectory() as folder:
        return Reader(page.read_text(encoding="utf-8"), Path(folder)).refreshed()
