"""Every judge's file that the documentation shows can be loaded."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from voirdire.judges.judge import load_judge

DOCS = Path(__file__).resolve().parents[2] / "docs"
SHOWN = [
    (name, place, text)
    for name in ("your-own-judge.md", "providers.md", "judging.md")
    for place, text in enumerate(
        re.findall(r"```yaml\n(judge: .*?)```", (DOCS / name).read_text("utf-8"), re.DOTALL)
    )
]


@pytest.mark.parametrize(("name", "place", "text"), SHOWN, ids=lambda value: str(value)[:20])
def test_a_judge_on_a_page_loads(tmp_path: Path, name: str, place: int, text: str) -> None:
    file = tmp_path / "tone.yaml"
    file.write_text(text, encoding="utf-8")
    assert load_judge(file).name == "tone"


def test_there_are_judges_on_the_pages() -> None:
    assert {name for name, _, _ in SHOWN} == {"your-own-judge.md", "providers.md", "judging.md"}
    assert len(SHOWN) >= 13
