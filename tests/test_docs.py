"""The documentation is complete and current: generated pages, commands named in prose, links."""

from __future__ import annotations

import itertools
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import docs
import pytest
import transcripts

from voirdire import registry

ROOT = Path(__file__).resolve().parents[1]
WRITTEN = sorted({*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")})
WANTED = [
    "tutorial.md",
    "reading-a-report.md",
    "data-model.md",
    "glossary.md",
    "design/README.md",
]


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.fixture(scope="module")
def generated() -> dict[str, str]:
    return docs.pages()


def test_generated_pages_are_current(generated: dict[str, str]) -> None:
    texts = {name: docs.DOCS / name for name in generated}
    stale = [n for n, path in texts.items() if not path.exists() or path.read_text("utf-8") != generated[n]]
    assert not stale, "run make docs"
    assert docs.leftovers(generated) == [], "run make docs"


@pytest.mark.parametrize("page", transcripts.PAGES, ids=named)
def test_a_page_shows_what_its_commands_print(page: Path) -> None:
    assert page.read_text("utf-8") == transcripts.refreshed(page), "run make docs, and read what changed"


@pytest.mark.parametrize("kind", sorted(registry.BUILT_IN))
def test_everything_registered_is_documented(kind: str, generated: dict[str, str]) -> None:
    text = "\n".join(generated.values())
    bare = [name for name in registry.names(kind) if not re.search(rf"^#+ {name}$", text, re.MULTILINE)]
    assert not bare


@pytest.mark.parametrize("name", WANTED)
def test_a_promised_page_is_there(name: str) -> None:
    assert (ROOT / "docs" / name).read_text("utf-8").startswith("# ")


def test_every_decision_is_listed() -> None:
    listed = (ROOT / "docs/design/README.md").read_text("utf-8")
    decisions = {path.name for path in (ROOT / "docs/design").glob("*.md")} - {"README.md"}
    assert not [name for name in decisions if f"({name})" not in listed]


@pytest.mark.parametrize("path", WRITTEN, ids=named)
def test_links_lead_somewhere(path: Path) -> None:
    text = re.sub(r"```.*?```", "", path.read_text("utf-8"), flags=re.DOTALL)
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text)
    local = [link for link in links if not re.match(r"[a-z]+:", link)]
    assert not [link for link in local if not (path.parent / link).exists()]


def commands(path: Path) -> Iterator[list[str]]:
    """Every ``voirdire …`` line of a page's shell blocks, as words."""
    for block in re.findall(r"```(?:sh|bash|console)\n(.*?)```", path.read_text("utf-8"), flags=re.DOTALL):
        for line in block.replace("\\\n", " ").splitlines():
            words = shlex.split(line.removeprefix("$ "), comments=True)
            if words[:1] == ["voirdire"]:
                yield words


@pytest.mark.parametrize("path", WRITTEN, ids=named)
def test_commands_in_prose_exist_with_their_options(path: Path, generated: dict[str, str]) -> None:
    sections = re.split(r"^## (?=voirdire)", generated["cli.md"], flags=re.MULTILINE)[1:]
    helps = {section.split("\n", 1)[0]: section for section in sections}
    for words in commands(path):
        names = itertools.takewhile(lambda word: not word.startswith("-"), words[:3])
        spelt = [" ".join(words[:length]) for length in range(len(list(names)), 0, -1)]
        command = next((name for name in spelt if name in helps), "")
        assert command in helps, " ".join(words)
        assert command != "voirdire" or len(spelt) == 1, " ".join(words)
        options = [word.split("=")[0] for word in words if word.startswith("-")]
        assert not [o for o in options if not re.search(rf"{re.escape(o)}\b", helps[command])], " ".join(
            words
        )
