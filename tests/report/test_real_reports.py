"""Reports of the shared data sets: documents that follow the schema, pages that open quietly."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from voirdire.checks.audit import Audit, audit
from voirdire.checks.options import AuditOptions
from voirdire.report import document, write
from voirdire.report.text import text

pytestmark = pytest.mark.shared

Open = Callable[..., Any]
SETS = ("humanebench", "pandalm", "dices", "mtbench", "impactbench")


@pytest.fixture(scope="module")
def audited(request: pytest.FixtureRequest) -> Callable[[str], Audit]:
    """The audit of a data set by name, made once."""
    made: dict[str, Audit] = {}

    def of(name: str) -> Audit:
        if name not in made:
            made[name] = audit(request.getfixturevalue(name), AuditOptions(resamples=200))
        return made[name]

    return of


@pytest.fixture(scope="module")
def folder(
    audited: Callable[[str], Audit], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Path]:
    """The folder of a data set's report, written once."""
    made: dict[str, Path] = {}

    def of(name: str) -> Path:
        if name not in made:
            made[name] = tmp_path_factory.mktemp(name)
            write(audited(name), made[name])
        return made[name]

    return of


@pytest.mark.parametrize("name", SETS)
def test_the_document_follows_the_schema(name: str, folder: Callable[[str], Path]) -> None:
    schema = json.loads(
        (Path(document.__file__).parent / "schema" / "audit-1.json").read_text(encoding="utf-8")
    )
    found = json.loads((folder(name) / "audit.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(found)


@pytest.mark.parametrize("name", SETS)
def test_the_summary_fits_one_screen(name: str, audited: Callable[[str], Audit]) -> None:
    lines = text(audited(name), width=80, height=24).splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80


def test_what_items_say_is_left_out_when_asked(audited: Callable[[str], Audit], tmp_path: Path) -> None:
    made = audited("humanebench")
    said = {value for column in made.study.items.texts.values() for value in column.values if len(value) > 80}
    assert said
    whole = "".join(path.read_text(encoding="utf-8") for path in write(made, tmp_path / "whole"))
    without = "".join(
        path.read_text(encoding="utf-8") for path in write(made, tmp_path / "without", text=False)
    )
    starts = [json.dumps(value, ensure_ascii=False)[1:60] for value in said]
    assert all(start in whole for start in starts if not set("<>&\\") & set(start))
    assert not any(start in without for start in starts)


@pytest.mark.browser
@pytest.mark.parametrize(("name", "width"), [*((name, 400) for name in SETS), ("impactbench", 1280)])
def test_the_page_opens_quietly(
    name: str, width: int, folder: Callable[[str], Path], browser_page: Open
) -> None:
    path = folder(name) / "report.html"
    opened = browser_page(path, width=width)
    opened.wait_for_plots()
    assert opened.tab.evaluate("document.documentElement.scrollWidth") <= width
    assert opened.requests == [path.as_uri()]
    assert opened.troubles == []


@pytest.mark.browser
@pytest.mark.parametrize("name", SETS)
def test_every_row_with_evidence_finds_its_ratings(
    name: str, folder: Callable[[str], Path], browser_page: Open
) -> None:
    """Each distinct link of the page, tried in the viewer that it leads to (at most 25, evenly spread)."""
    path = folder(name) / "report.html"
    opened = browser_page(path)
    hrefs = opened.tab.eval_on_selector_all("th a", "all => [...new Set(all.map((link) => link.href))]")
    assert hrefs
    for href in hrefs[:: max(1, len(hrefs) // 25)]:
        if "#" not in href:
            assert Path(href.removeprefix("file://")).exists()
            continue
        opened.tab.goto(href)
        said = opened.tab.locator("#rows .note[aria-live]").inner_text()
        assert not said.startswith("No rating fits"), href
    assert opened.troubles == []


@pytest.mark.browser
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (400, "dark")])
def test_a_real_page_is_accessible(
    width: int, scheme: str, folder: Callable[[str], Path], browser_page: Open
) -> None:
    sync_axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    opened = browser_page(folder("humanebench") / "report.html", width=width, scheme=scheme)
    opened.wait_for_plots()
    found = sync_axe.Axe().run(opened.tab).response["violations"]
    serious = [
        (violation["id"], node["html"][:120], node["failureSummary"][:300])
        for violation in found
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
    ]
    assert serious == []
