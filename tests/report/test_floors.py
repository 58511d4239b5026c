"""The alignment section's figures: what they draw, where, and what they say where the judge adds nothing."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from report import examples
from voirdire.checks.finding import (
    Cell,
    Column,
    Evidence,
    Finding,
    FloorToCeiling,
    LabelCounts,
    LabelShares,
    Missing,
    Row,
    Table,
)
from voirdire.report.floors import Floors, alignment_figures
from voirdire.report.strip import strip, strip_axis
from voirdire.stats.estimate import Estimate

KNOWN = "knows no verdict"
SCHEMA = Path(__file__).resolve().parents[2] / "docs" / "schema" / "audit-1.json"


def nats(value: float, half: float = 0.1, n: int = 40) -> Estimate:
    return Estimate(value, value - half, value + half, n_items=n, method="t over clusters")


def table(name: str, *rows: dict[str, Cell]) -> Table:
    columns = tuple(Column(key, key.capitalize(), "coefficient") for key in rows[0])
    return Table(name, f"Caption of {name}", columns, tuple(Row(row) for row in rows))


def scores(aligned: Estimate, gain: Estimate, *, ceiling: float | None = 0.4) -> Table:
    rows: list[dict[str, Cell]] = [
        {"model": "the judge as it is", "role": "the judge as it is", "log": nats(1.6)},
        {"model": "every label alike", "role": KNOWN, "log": nats(math.log(3), 0.0)},
        {
            "model": "base rates by metric",
            "role": KNOWN,
            "log": nats(0.9),
            "minus_prior": Missing("reference"),
        },
        {"model": "pool of the aligned", "role": "used", "log": aligned, "minus_prior": gain},
    ]
    if ceiling is not None:
        rows.append({"model": "best possible", "role": "by model", "log": ceiling})
    return table("alignment", *rows)


def power(n: int = 40) -> Table:
    rows: list[dict[str, Cell]] = [
        {"m": m, "people": nats(0.9 - 0.1 * m, n=n), "judge": nats(0.7, n=n)} for m in range(5)
    ]
    return table("power", *rows)


RELIABILITY = table(
    "reliability",
    {"label": "fail", "predicted": 0.3, "observed": nats(0.35)},
    {"label": "fail", "predicted": 0.4, "observed": nats(0.35)},
    {"label": "pass", "predicted": 0.25, "observed": nats(0.2, 0.4)},
    {"label": "pass", "predicted": 0.75, "observed": nats(0.8)},
)
DISAGREEMENT = table("disagreement", {"predicted": 0.5, "observed": nats(0.4)})


def floors(*tables: Table) -> Floors:
    drawn = alignment_figures(tables, 0)
    assert drawn is not None
    return drawn.floors


def audit(*tables: Table) -> Any:
    made = examples.full()
    finding = Finding(
        "alignment",
        "How well does the judge know how people would judge?",
        "The judge helps.",
        tables,
        data={"tone": {"worth": "about 1.4 [0.9, >2]"}},
    )
    return replace(made, findings=(finding, *made.findings))


def test_floors_judge_and_people_stand_where_their_probability_is() -> None:
    drawn = floors(scores(nats(0.7), nats(0.2)), power())
    assert [row.dots[0].form for row in drawn.rows] == ["raw", "floor", "floor", "aligned", *["people"] * 3]
    assert [row.name for row in drawn.rows][-3:] == [
        "One other person",
        "Two other people",
        "Three other people",
    ]
    top = drawn.ticks[-1][0] / 100
    assert top <= 1
    per_percent = drawn.ticks[1][0] / int(drawn.ticks[1][1].split("\N{NO-BREAK SPACE}")[0])
    assert drawn.floor == pytest.approx(100 * math.exp(-0.9) * per_percent, abs=0.02)
    assert drawn.ceiling == pytest.approx(100 * math.exp(-0.4) * per_percent, abs=0.02)
    aligned = drawn.rows[3].dots[0]
    assert aligned.at == pytest.approx(100 * math.exp(-0.7) * per_percent, abs=0.02)
    assert aligned.interval is not None
    assert aligned.interval[0] < aligned.at < aligned.interval[1]
    assert drawn.rows[3].probability == "50\N{NO-BREAK SPACE}%"
    assert drawn.note == ""


def test_an_aligned_interval_in_the_floor_area_is_said() -> None:
    nothing = floors(scores(nats(0.85), nats(0.05)))
    assert nothing.note.endswith("no better than base rates by metric.")
    paired = floors(scores(nats(0.85), nats(0.05, 0.01)))
    assert "does not reach 0" in paired.note
    assert "no better" not in paired.note


def test_a_judge_that_a_floor_other_than_the_reference_beats_is_no_better_than_that_floor() -> None:
    made = scores(nats(0.7), nats(0.2, 0.01))
    system = Row(
        {"model": "base rates by system", "role": KNOWN, "log": nats(0.68), "minus_prior": nats(0.22)}
    )
    drawn = floors(replace(made, rows=(*made.rows, system)))
    assert drawn.note.endswith("no better than base rates by system.")
    ahead = replace(system, cells={**system.cells, "ahead": nats(0.05, 0.01)})
    paired = floors(replace(made, rows=(*made.rows, ahead)))
    assert paired.note.endswith("its gain over base rates by system does not reach 0.")
    assert drawn.floor > drawn.rows[3].dots[0].at


def test_people_on_fewer_rows_have_the_judge_on_the_same_rows_beside_them() -> None:
    one = floors(scores(nats(0.7), nats(0.2)), power(n=12)).rows[4]
    assert [dot.form for dot in one.dots] == ["aligned", "people"]
    assert one.second == "on 12 rows"
    assert one.beside == "judge 50\N{NO-BREAK SPACE}%"


def test_without_ceiling_people_or_floors_nothing_is_made_up() -> None:
    drawn = floors(scores(nats(0.7), nats(0.2), ceiling=None))
    assert drawn.ceiling is None
    assert {dot.form for row in drawn.rows for dot in row.dots} == {"raw", "floor", "aligned"}
    judged = table("alignment", {"model": "pool", "role": "used", "log": nats(0.7)})
    assert alignment_figures((judged,), 0) is None
    assert alignment_figures((power(),), 0) is None


def test_squares_draw_the_label_that_is_predicted_most_differently() -> None:
    other = scores(nats(0.5), nats(0.4))
    drawn = alignment_figures((scores(nats(0.7), nats(0.2)), RELIABILITY, other, DISAGREEMENT), 0)
    assert drawn is not None
    (square,) = drawn.squares
    assert "“pass”" in square.title
    assert "2 groups of 40 rows" in square.caption
    first = square.marks[0]
    assert first[0] == square.side * 0.25
    assert first[1] == square.side * 0.8
    assert first[2] == square.side
    later = alignment_figures((scores(nats(0.7), nats(0.2)), RELIABILITY, other, DISAGREEMENT), 2)
    assert later is not None
    assert [each.title for each in later.squares] == ["Does it know which items people dispute?"]


def test_a_prediction_is_a_bar_beside_the_squares_of_people() -> None:
    columns = (
        Column("item", "Item", "item"),
        Column("people", "People said", "labels"),
        Column("expected", "Expected, %", "labels"),
    )
    cells: dict[str, Cell] = {
        "item": "item 1",
        "people": LabelCounts({"pass": 2, "fail": 1}),
        "expected": LabelShares({"pass": 0.604, "borderline": 0.3, "fail": 0.096}),
    }
    contested = Table("likely_contested", "Contested", columns, (Row(cells, Evidence("tone")),))
    made = audit(scores(nats(0.7), nats(0.2)), contested)
    page = made.to_html()
    assert 'aria-label="3 people: 2 pass, 1 fail"' in page
    assert "expected: pass 60\N{NO-BREAK SPACE}%, borderline 30\N{NO-BREAK SPACE}%, fail 10" in page
    assert re.search(r'class="L-pass"><rect x="0.0" y="0" width="108.7"', page)
    kept = made.to_dict()["findings"][0]["tables"][1]["rows"][0]["cells"]["expected"]
    assert kept == {"kind": "shares", "shares": {"pass": 0.604, "borderline": 0.3, "fail": 0.096}}


def test_the_headline_table_says_the_worth_where_the_judge_was_aligned() -> None:
    page = audit(scores(nats(0.7), nats(0.2))).to_html()
    assert "Worth, in human labels" in page
    assert "about 1.4" in page
    assert "not aligned" in page
    assert "Worth, in human labels" not in examples.full().to_html()


JUDGE = table(
    "reliability",
    {"label": "pass", "who": "aligned", "predicted": 0.3, "observed": nats(0.35)},
    {"label": "pass", "who": "as it is", "predicted": 0.05, "observed": nats(0.4)},
    {"label": "pass", "who": "as it is", "predicted": 0.95, "observed": nats(0.6)},
)


def tenths(*shares: float) -> Table:
    rows: list[dict[str, Cell]] = [
        {"from": k / 10, "to": (k + 1) / 10, "observed": nats(share, 0.02), "least": 0.08, "most": 0.12}
        for k, share in enumerate(shares)
    ]
    return table("pit", *rows)


def test_the_judge_as_it_is_stands_hollow_beside_the_aligned() -> None:
    drawn = alignment_figures((scores(nats(0.7), nats(0.2)), JUDGE), 0)
    assert drawn is not None
    (square,) = drawn.squares
    assert [mark[0] for mark in square.marks] == [66.0]
    assert [mark[0] for mark in square.hollow] == [11.0, 209.0]
    assert "(one group of 40 rows)" in square.caption
    assert "Hollow: as it is." in square.caption
    assert "The judge as it is: 0.05 predicted, 0.40 observed; 0.95" in square.label
    page = audit(scores(nats(0.7), nats(0.2)), JUDGE).to_html()
    figure = re.search(r"<figure class=.keep.>.*?</figure>", page, re.DOTALL)
    assert figure is not None
    assert figure[0].count('class="hollow"') == 2
    assert figure[0].count('class="fj"') == 1


def test_a_histogram_shows_where_labels_fall_and_what_chance_allows() -> None:
    pit = tenths(0.06, *[0.1] * 8, 0.14)
    drawn = alignment_figures((scores(nats(0.7), nats(0.2)), RELIABILITY, pit), 0)
    assert drawn is not None
    figure = drawn.histogram
    assert figure is not None
    height = {share: round(figure.side * (1 - share / 0.2), 1) for share in (0.06, 0.1, 0.14, 0.08, 0.12)}
    assert figure.bars[0] == (0.0, 22.0, height[0.06])
    assert figure.bars[-1] == (198.0, 22.0, height[0.14])
    assert figure.bands[3] == (66.0, 22.0, height[0.12], height[0.08])
    assert figure.even == height[0.1]
    assert figure.ticks[-1] == (0.0, "0.2")
    assert audit(scores(nats(0.7), nats(0.2)), RELIABILITY, pit).to_html().count('class="step"') == 10
    none = alignment_figures((scores(nats(0.7), nats(0.2)), RELIABILITY), 0)
    assert none is not None
    assert none.histogram is None


def metrics(*cells: FloorToCeiling) -> Table:
    columns = (Column("metric", "Metric"), Column("strip", "Floor to ceiling"))
    rows = tuple(Row({"metric": f"m{k}", "strip": cell}) for k, cell in enumerate(cells))
    return Table("alignment_metrics", "Metric by metric", columns, rows)


def test_strips_share_an_axis_and_say_their_figures() -> None:
    def at(share: float) -> float:
        return -math.log(share)

    one = FloorToCeiling(at(0.36), at(0.12), Estimate(at(0.4), at(0.44), at(0.35), n_items=40), at(0.47))
    two = FloorToCeiling(at(0.5), math.nan, Estimate(at(0.52), n_items=40), math.nan)
    on = strip_axis([one, two])
    assert on is not None
    assert (on.high, [words for _, words, _ in on.lines]) == (0.6, ["0", "60 %"])
    drawn = strip(one, on)
    assert (drawn.floor, drawn.raw, drawn.aligned, drawn.ceiling) == (90.0, 30.0, 100.0, 117.5)
    assert drawn.interval == (87.5, 110.0)
    assert strip(two, on).raw is None
    assert strip(two, on).ceiling is None
    assert strip(two, on).interval is None
    made = audit(scores(nats(0.7), nats(0.2)), metrics(one, two))
    page = made.to_html()
    assert page.count('class="strip"') == 2
    words = "base rates 36 %, the judge as it is 12 %, aligned 40 %, best possible 47 %"
    assert words.replace(" %", " %") in page
    assert page.count("Upright lines: base rates and the best possible by model.") == 1
    document = made.to_dict()
    jsonschema.validate(document, json.loads(SCHEMA.read_text(encoding="utf-8")))
    cells = [row["cells"]["strip"] for row in document["findings"][0]["tables"][1]["rows"]]
    assert cells[0]["kind"] == "floor_to_ceiling"
    assert cells[0]["floor"] == pytest.approx(at(0.36))
    assert (cells[1]["raw"], cells[1]["ceiling"]) == (None, None)


@pytest.mark.browser
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (400, "dark")])
def test_the_section_is_accessible_and_quiet(
    width: int, scheme: str, browser_page: Callable[..., Any], tmp_path: Path
) -> None:
    sync_axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    strips = metrics(FloorToCeiling(1.0, 2.0, nats(0.9), 0.7), FloorToCeiling(1.1, 2.0, nats(0.9), math.nan))
    pit = tenths(0.06, *[0.1] * 8, 0.14)
    tables = (scores(nats(0.7), nats(0.2)), JUDGE, DISAGREEMENT, power(n=12), strips, pit)
    path = tmp_path / "report.html"
    path.write_text(audit(*tables).to_html(), encoding="utf-8")
    opened = browser_page(path, width=width, scheme=scheme)
    opened.wait_for_plots()
    opened.tab.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    found = sync_axe.Axe().run(opened.tab).response["violations"]
    assert [(one["id"], one["nodes"][0]["html"][:120]) for one in found if one["impact"] != "minor"] == []
    assert opened.tab.evaluate("document.documentElement.scrollWidth") <= width
    assert opened.troubles == []
    plot = opened.tab.locator(".fl tbody .pl").first.bounding_box()
    mark = opened.tab.locator(".fl tbody .pl .hollow").first.bounding_box()
    under = opened.tab.locator(".floors .under").bounding_box()
    assert plot["x"] <= mark["x"] <= plot["x"] + plot["width"]
    assert under["x"] == pytest.approx(plot["x"], abs=1.5)
    assert under["width"] == pytest.approx(plot["width"], abs=1.5)
