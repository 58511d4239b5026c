"""A file whose every name, label and text attacks the page, from reading to the opened report."""

from __future__ import annotations

import csv
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from report.examples import HOSTILE
from voirdire.checks.audit import audit
from voirdire.checks.options import AuditOptions
from voirdire.opening import open as open_study
from voirdire.report import write

Open = Callable[..., Any]
WORDS = [word.replace("\x00", "") for word in HOSTILE]


@pytest.fixture(scope="module")
def attack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A long table of five people and a judge, in which every value is hostile."""
    path = tmp_path_factory.mktemp("attack") / "labels.csv"
    header = ["item_id", "metric", "rater_id", "rater_kind", "label", "system", "text", "rationale"]
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(header)
        for item, metric, rater in product(range(24), range(2), range(6)):
            word = WORDS[item % len(WORDS)]
            label = WORDS[(item * (rater + 1) + rater) % 2]
            kind = "judge" if rater == 5 else "human"
            said = f"{word} {item}"
            rows.writerow([said, WORDS[metric], WORDS[rater], kind, label, WORDS[item % 3], said, word])
    return path


@pytest.mark.browser
@pytest.mark.parametrize("many", [False, True])
def test_no_value_of_a_file_acts_on_the_page(
    many: bool, attack: Path, tmp_path: Path, browser_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    if many:
        monkeypatch.setattr("voirdire.report.folder.MANY", 0)
        monkeypatch.setattr("voirdire.report.html.MANY", 0)
    written = write(audit(open_study(attack), AuditOptions(resamples=100)), tmp_path)
    pages = [path for path in written if path.suffix == ".html"]
    assert len(pages) == (1 if not many else 1 + 2 + 1 + 1)
    for page in pages:
        opened = browser_page(page, "#rows")
        opened.tab.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        opened.wait_for_plots()
        assert opened.tab.evaluate("document.documentElement.scrollWidth") <= 1280
        assert opened.tab.locator("img, iframe, object, embed, base, form:not(.vega-bindings)").count() == 0
        assert opened.tab.locator("a[href^='javascript']").count() == 0
        assert opened.tab.evaluate("window.broken") is None
        assert opened.requests == [page.as_uri()]
        assert opened.troubles == []
