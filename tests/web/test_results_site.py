"""A site of results: every page and link there, every figure that of the results, nothing hostile alive."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pytest

from voirdire.bench.aggregate import About, results_of
from voirdire.bench.cells import ALL, ALL_VARIANTS
from voirdire.bench.finished import read_outcomes
from voirdire.bench.starting import start_bench
from voirdire.bench.tree import OVERALL
from voirdire.errors import UserError
from voirdire.opening import read_table
from voirdire.web.results import addresses
from voirdire.web.results.board import board_choices, board_of
from voirdire.web.results.evidence import Evidence
from voirdire.web.results.folder import MARK, write_site
from voirdire.web.results.opening import open_results
from voirdire.web.results.pages import Pages
from voirdire.web.results.shown import Shown
from voirdire.web.results.talks import talks_of
from web.shown_made import HOSTILE, UNFOUND

LIMITS = ("Stress-test rates are not prevalence.", "Behaviours are not outcomes.")


@pytest.fixture
def site(results_folder: Path) -> Path:
    return results_folder


def pages(site: Path) -> list[Path]:
    """Every page but the whole audit's, which is tested with reports."""
    return sorted(page for page in site.rglob("*.html") if page.parent.name != "audit")


def test_every_link_leads_to_a_file_and_every_fragment_to_an_element(site: Path) -> None:
    ids = {page: set(re.findall(r' id="([^"]+)"', page.read_text())) for page in pages(site)}
    seen = 0
    for page, own in ids.items():
        for href in re.findall(r'(?:href|src)="([^"]*)"', page.read_text()):
            if href == "data:,":
                continue
            path, _, fragment = unquote(href).partition("#")
            target = (page.parent / path).resolve() if path else page
            assert target.is_file(), (page, href)
            if fragment and target.suffix == ".html":
                assert fragment in (own if target == page else ids[target]), (page, href)
            seen += 1
    assert seen > 1000


def test_every_page_prints_the_limitations_the_note_and_the_run(site: Path) -> None:
    for page in pages(site):
        text = page.read_text()
        assert all(limit in text for limit in LIMITS), page
        assert "Made up." in text, page


def test_no_page_runs_a_script_or_lets_a_text_be_markup(site: Path) -> None:
    talks = [page for page in pages(site) if page.parent.name == "talks"]
    assert sum("window.hacked" in page.read_text() for page in talks) == len(talks)
    for page in pages(site):
        text = page.read_text()
        assert not re.search(r"<script|<img|onerror='|<i>2|<b>bold|id='planted'", text), page
        assert "default-src 'none'" in text
        assert " style=" not in text


def test_a_leaderboard_shows_the_figures_of_the_results_for_every_choice(shown: Shown) -> None:
    choices = list(board_choices(shown))
    assert len({choice[:2] for choice in choices}) == 3 * 3
    assert any(rate == "corrected" for _, _, rate in choices)
    for kind, variant, rate in choices:
        board = board_of(shown, kind, variant, rate)
        assert {row.system for row in board.rows} == set(shown.systems)
        for row in board.rows:
            if rate == "judge":
                expected = shown.results.rate(OVERALL, kind, system=row.system, variant=variant)
                assert expected is not None
                assert row.rate.at == expected.share.value
            else:
                corrected = shown.corrected(OVERALL, kind, row.system)
                assert row.rate.at == (None if corrected is None else corrected.corrected.value)


def test_a_page_of_conversations_tells_verdict_quotes_people_and_origin(shown: Shown) -> None:
    node = next(
        node for node in shown.results.nodes if node.level == "metric" and "positive" in node.path[-1]
    )
    assert shown.kept is not None
    page = talks_of(shown, Evidence(shown.kept), node, "Ash")
    assert len(page.talks) == 4
    outcomes = shown.results.outcomes
    for talk in page.talks:
        row = outcomes.ids.index(talk.id)
        assert talk.passed == outcomes.passed[row]
        assert talk.verdict is not None
        assert talk.verdict.rationale.startswith("Because")
        assert talk.people is not None
        origin = dict(talk.origin)
        assert origin["Judge"] == "j (m)"
        assert origin["Metric"].endswith(outcomes.metrics[outcomes.metric[row]].version)
        marked = [
            passage.text for message in talk.messages for passage in message.passages if passage.numbers
        ]
        if outcomes.present[row] == 1:
            assert marked == ["I do it"]
            (first, second) = talk.quotes
            assert (first[1].found, first[2]) == (True, 2)
            assert (second[1].found, second[1].text) == (False, UNFOUND)
        else:
            assert marked == []
        assert [tab.word.split(":")[0] for tab in talk.tabs] == ["teen", "adult", "What differs between them"]
    for differ in page.differ:
        differs = {name: other for name, _, other in differ.rows}
        assert differs["Added to the first message"]
        assert not differs["Later messages of the user"]


def test_people_are_shown_as_pass_and_fail_in_the_polarity_of_the_metric(shown: Shown) -> None:
    assert shown.kept is not None
    evidence = Evidence(shown.kept)
    outcomes = shown.results.outcomes
    for node in (node for node in shown.results.nodes if node.level == "metric"):
        wanted = outcomes.metrics[node.metrics[0]].polarity == "positive"
        told = evidence.told(node.path[-1], [outcomes.ids[row] for row in shown.rows(node.metrics[0], "Ash")])
        said = {one.conversation.id: {label.label for label in one.people} for one in told}
        for talk in talks_of(shown, evidence, node, "Ash").talks:
            (label,) = said[talk.id]
            assert talk.people is not None
            assert talk.people.words == ("2 pass" if (label == "present") == wanted else "2 fail")


def test_downloads_hold_every_conversation_verdict_and_figure(shown: Shown, site: Path) -> None:
    outcomes = shown.results.outcomes
    for suffix in ("csv", "parquet"):
        table = read_table(site / "data" / f"outcomes.{suffix}")
        assert list(table.columns["conversation"]) == list(outcomes.ids)
        passed = [{"true": 1, "false": 0}[value or ""] for value in table.columns["passed"]]
        assert passed == outcomes.passed.tolist()
    held = _lines(site / "data" / "transcripts.jsonl")
    assert sorted(one["id"] for one in held) == sorted(outcomes.ids)
    assert (
        sum(any(HOSTILE in turn["reply"] for turn in one["spoken"]) for one in held)
        == (outcomes.present == 1).sum()
    )
    given = _lines(site / "data" / "verdicts.jsonl")
    assert len(given) == 2 * len(outcomes)
    assert json.loads((site / "data" / "results.json").read_text()) == shown.results.to_dict()


def test_a_site_is_written_anew_byte_for_byte_and_leaves_other_folders_alone(
    shown: Shown, site: Path, tmp_path: Path
) -> None:
    before = {
        file: file.read_bytes()
        for file in site.rglob("*")
        if file.is_file() and file.suffix != ".pdf" and file.parent.name != "audit"
    }
    stray = site / "talks" / "gone.html"
    stray.write_text("of an earlier run")
    write_site(shown, site)
    assert not stray.exists()
    assert all(file.read_bytes() == content for file, content in before.items())
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(UserError, match="holds other files"):
        write_site(shown, tmp_path)
    assert (site / MARK).is_file()


def test_a_benchmark_that_was_not_run_says_so(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no bench.yaml.*voirdire bench new"):
        open_results(tmp_path)
    start_bench(tmp_path / "example", example=True)
    with pytest.raises(UserError, match="has not been run; fix: voirdire bench run"):
        open_results(tmp_path / "example")


def test_addresses_depend_on_names_alone(shown: Shown) -> None:
    node = next(node for node in shown.results.nodes if node.level == "metric")
    name = shown.results.outcomes.ids[0]
    assert addresses.talks(node.id, "Ash", name) == addresses.talks(node.id, "Ash", name)
    assert set(addresses.talks(node.id, "../../etc <x>")) <= set("abcdefghijklmnopqrstuvwxyz0123456789-./")
    assert ".." not in addresses.talks(node.id, "../../etc <x>")


@pytest.mark.shared
def test_the_replica_shows_its_printed_figures(shared: Path) -> None:
    path = shared / "data" / "impactbench_replica" / "conversations.csv.gz"
    pages = Pages(Shown(results_of(read_outcomes(path), About("ImpactBench, replica"))))
    assert not any(path.startswith("talks/") for path in pages.paths)
    top = _text(pages, addresses.explore())
    for figure in ("45.9", "44.6", "16.3", "0 of 240"):
        assert figure in top
    board = _text(pages, addresses.board("positive"))
    assert "77.5" in board
    assert "61.6" in board
    spread = [float(rate) for rate in re.findall(r'data-l="Rate, %">([\d.]+)', board)]
    assert round(max(spread) - min(spread), 1) == 15.9
    negative = _text(pages, addresses.board("negative"))
    rates = [float(rate) for rate in re.findall(r'data-l="Rate, %">([\d.]+)', negative)]
    assert round(max(rates) - min(rates), 1) == 38.6
    assert "In 10 of 10 systems good is done more often" in board


def _text(pages: Pages, path: str) -> str:
    content = pages.page(path)
    assert isinstance(content, bytes)
    return content.decode()


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_counts_of_a_metric_by_variant_add_up(shown: Shown) -> None:
    outcomes = shown.results.outcomes
    for node in (node for node in shown.results.nodes if node.level == "metric"):
        rows = shown.rows(node.metrics[0])
        assert (outcomes.metric[rows] == node.metrics[0]).all()
        rate = shown.own_rate(node, ALL)
        assert rate is not None
        assert int((outcomes.passed[rows] == 1).sum()) == rate.passed
    every = np.concatenate([shown.rows(code) for code in range(len(outcomes.metrics))])
    assert sorted(every.tolist()) == list(range(len(outcomes)))


def test_a_leaderboard_says_how_many_of_the_metrics_it_holds(shown: Shown) -> None:
    outcomes = shown.results.outcomes
    kept = outcomes.take(outcomes.metric == outcomes.metric[0])
    some = replace(shown, results=replace(shown.results, outcomes=kept))
    kind = outcomes.metrics[outcomes.metric[0]].polarity
    assert " of " not in board_of(shown, kind, ALL_VARIANTS, "judge").note.split(",")[0]
    assert board_of(some, kind, ALL_VARIANTS, "judge").note.startswith("1 of ")
