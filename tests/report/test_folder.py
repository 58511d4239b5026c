"""What a report writes to a folder: few ratings inside the page, many in pages beside it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from report import examples
from voirdire.checks.finding import Evidence
from voirdire.errors import UserError
from voirdire.report import links, row_pages, write
from voirdire.report.links import Links
from voirdire.report.ratings_data import ratings_data
from voirdire.study import Column, Items, Metric, Rater, Ratings, Scale, Study

Open = Callable[..., Any]


@pytest.fixture
def few_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Treat every study as one of many ratings."""
    monkeypatch.setattr("voirdire.report.folder.MANY", 0)
    monkeypatch.setattr("voirdire.report.html.MANY", 0)


def embedded(path: Path) -> dict[str, Any]:
    """The ratings inside a page."""
    page = path.read_text(encoding="utf-8")
    start = page.index('id="ratings"')
    found: dict[str, Any] = json.loads(page[page.index(">", start) + 1 : page.index("</script>", start)])
    return found


def full_column(column: Any, n: int) -> list[int]:
    return column if isinstance(column, list) else [column] * n


def test_a_small_study_is_two_files(tmp_path: Path) -> None:
    audit = examples.full()
    assert write(audit, tmp_path / "out") == [
        tmp_path / "out" / "report.html",
        tmp_path / "out" / "audit.json",
    ]
    assert json.loads((tmp_path / "out" / "audit.json").read_text(encoding="utf-8"))["answer"] == audit.answer


def test_the_page_holds_every_rating_as_it_came_in(tmp_path: Path) -> None:
    study = examples.study()
    path, _ = write(examples.audit(study), tmp_path)
    data, n = embedded(path), len(study.ratings)
    item, rater = full_column(data["item"], n), full_column(data["rater"], n)
    metric, label = full_column(data["metric"], n), full_column(data["label"]["codes"], n)
    shown = {
        (
            data["items"][item[k]],
            data["metrics"][metric[k]]["name"],
            data["raters"][rater[k]]["id"],
            data["label"]["values"][label[k]] if label[k] >= 0 else None,
        )
        for k in range(n)
    }
    expected = {
        (
            study.items.ids[study.ratings.item[k]],
            study.metrics[study.ratings.metric[k]].name,
            study.raters[study.ratings.rater[k]].id,
            study.ratings.raw[k],
        )
        for k in range(n)
    }
    assert shown == expected
    assert len(shown) == n


def test_a_column_of_one_value_is_written_once() -> None:
    study = examples.study(("tone",))
    data = ratings_data(study, np.arange(len(study.ratings) - 1))
    assert (data["metric"], data["status"], data["run"]["codes"]) == (0, 0, 0)


@pytest.mark.usefixtures("few_is_none")
def test_many_ratings_are_pages_whose_names_hold_no_users_text(tmp_path: Path) -> None:
    study = examples.study(examples.HOSTILE, texts=examples.HOSTILE)
    written = write(examples.audit(study, [examples.stand_in(examples.HOSTILE[0], "no")]), tmp_path)
    names = {path.relative_to(tmp_path).as_posix() for path in written}
    metrics = {f"rows/metric-{place:04d}.html" for place in range(len(examples.HOSTILE))}
    assert names == {"report.html", "audit.json", "rows/index.html", "rows/texts-0000.html", *metrics}
    assert {path for path in tmp_path.rglob("*") if path.is_file()} == set(written)
    report = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert 'href="rows/metric-0000.html#rows?metric=' in report
    assert 'id="ratings"' not in report
    ratings = sum(len(full_column(embedded(tmp_path / name)["rater"], 0)) for name in metrics)
    assert ratings == len(study.ratings)


@pytest.mark.usefixtures("few_is_none")
def test_a_long_metric_is_cut_between_items(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_pages, "PART", 10)
    study = examples.study(("tone",), n_items=7)
    write(examples.audit(study), tmp_path)
    pages = sorted((tmp_path / "rows").glob("metric-*.html"))
    assert [path.name for path in pages] == [f"metric-0000{part}.html" for part in ("-2", "-3", "")]
    items = [name for path in pages for name in embedded(path)["items"]]
    assert sorted(items) == sorted(study.items.ids)


@pytest.mark.usefixtures("few_is_none")
def test_texts_left_out_are_nowhere(tmp_path: Path) -> None:
    study = examples.study(texts=("a secret text",))
    for path in write(examples.audit(study), tmp_path, text=False):
        assert "a secret text" not in path.read_text(encoding="utf-8")


def test_a_folder_that_cannot_be_made_is_a_users_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(UserError, match="cannot write the report"):
        write(examples.full(), tmp_path / "file" / "out")


def test_links_lead_inside_beside_or_nowhere() -> None:
    study, evidence = examples.study(), Evidence(metric="safety", raters=("a&b",))
    assert Links(study, inside=True)(evidence) == "#rows?metric=safety&rater=a%26b"
    assert Links(study, inside=False, folder="rows")(evidence).startswith("rows/metric-0001.html#rows?")
    assert Links(study, inside=False, folder="rows")(Evidence()) == "rows/index.html"
    assert Links(study, inside=False)(evidence) == ""
    assert Links(study, inside=True)(None) == ""
    assert links.page_name(12, 2) == "metric-0012-3.html"


@pytest.mark.browser
@pytest.mark.usefixtures("few_is_none")
def test_a_link_opens_the_page_beside_at_its_ratings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, browser_page: Open
) -> None:
    monkeypatch.setattr(row_pages, "TEXTS", 5)
    study = examples.study(texts=examples.HOSTILE, judges=(examples.HOSTILE[0],))
    report, *_ = write(examples.audit(study, [examples.stand_in("safety", "no")]), tmp_path)
    opened = browser_page(report)
    opened.tab.click(".head tbody th a")
    opened.tab.wait_for_selector("#rows tbody tr")
    assert opened.tab.url.endswith("rows/metric-0001.html#rows?metric=safety")
    assert opened.tab.locator("#rows tbody tr").count() == 12
    opened.tab.locator("#rows tbody tr").nth(7).get_by_role("link", name="text").click()
    opened.tab.wait_for_selector("#i7")
    assert "texts-0001.html#i7" in opened.tab.url
    assert examples.HOSTILE[0] in opened.tab.locator("#i7").inner_text()
    assert opened.tab.evaluate("window.broken") is None
    assert opened.troubles == []
    assert all(url.startswith(tmp_path.as_uri()) for url in opened.requests)


def large(n: int) -> Study:
    """``n`` ratings on 40 metrics by 10 raters."""
    rng = np.random.default_rng(3)
    n_items = n // 100
    item = np.repeat(np.arange(n_items, dtype=np.int32), 100)[:n]
    within = np.tile(np.arange(100, dtype=np.int32), n_items)[:n]
    scale = Scale("binary", ("pass", "fail"))
    label = rng.integers(0, 2, n).astype(np.int32)
    ratings = Ratings(
        item=item,
        metric=((within // 10) + 10 * (item % 4)).astype(np.int32),
        rater=(within % 10).astype(np.int32),
        run=Column(np.zeros(n, dtype=np.int32), ("0",)),
        raw=Column(label, scale.labels),
        label=label,
        status=np.zeros(n, dtype=np.int8),
        source=np.zeros(n, dtype=np.int16),
        row=np.arange(2, n + 2),
    )
    return Study(
        name="large",
        items=Items(tuple(f"item-{place}" for place in range(n_items))),
        metrics=tuple(Metric(f"metric-{place}", scale) for place in range(40)),
        raters=tuple(Rater(f"rater-{place}", "human" if place else "judge") for place in range(10)),
        ratings=ratings,
    )


def test_a_million_ratings_are_written_in_seconds(tmp_path: Path) -> None:
    study = large(1_000_000)
    begin = time.process_time()
    written = write(examples.audit(study), tmp_path)
    assert time.process_time() - begin < 4
    assert len(written) == 2 + 40 + 1
