"""The alignment tutorial shows what its commands print on the shared data.

``python tests/align/test_tutorial.py`` writes today's output into the page.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "tutorial-alignment.md"


def refreshed(data: Path, folder: Path) -> str:
    """The page with the output of its commands, run in ``folder`` beside the data."""
    import transcripts

    (folder / "long.csv").symlink_to(data)
    return transcripts.Reader(PAGE.read_text(encoding="utf-8"), folder).refreshed()


def test_the_page_shows_what_its_commands_print(shared: Path, tmp_path: Path) -> None:
    page = refreshed(shared / "data" / "llm_rubric" / "long.csv", tmp_path)
    assert PAGE.read_text(encoding="utf-8") == page


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "scripts"))
    with tempfile.TemporaryDirectory() as made:
        text = refreshed(ROOT.parent / "shared" / "data" / "llm_rubric" / "long.csv", Path(made))
    PAGE.write_text(text, encoding="utf-8")
