"""Label cards: a grade only where the rules allow one, each rule tried at its edge, words by audience."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.bench.audited import Audited, CorrectedRate
from voirdire.bench.card import AUDIENCES, Card, Cards
from voirdire.bench.card_people import PeopleOn, people_on
from voirdire.bench.card_rules import FAIR, FEWEST, FEWEST_JUDGED, WEAK, WIDE, WIDEST, Basis, grade
from voirdire.bench.card_words import basis, said, summary
from voirdire.bench.cells import ALL_VARIANTS
from voirdire.bench.shares import PassRate
from voirdire.errors import UserError
from voirdire.stats.coded import Coded
from voirdire.stats.engine import agreement
from voirdire.stats.estimate import Estimate, undefined
from voirdire.web.results.cards import card_view, drawing, pdf
from voirdire.web.results.rendering import html
from voirdire.web.results.shown import Shown
from web.shown_made import shown_made


def rate(judged: int = 100, missing: int = 0) -> PassRate:
    share = Estimate(0.5, 0.4, 0.6, n_items=judged)
    return PassRate(
        "n", "positive", "s", ALL_VARIANTS, share, share, share, judged // 2, judged, missing, 0.5, 0.5, 0, 0
    )


def corrected(low: float = 0.45, high: float = 0.55, metrics: int = 4) -> CorrectedRate:
    one = Estimate((low + high) / 2, low, high, n_items=100)
    return CorrectedRate("n", "positive", "s", one, one, one, 100, FEWEST, 2, metrics, 4, "direct")


GOOD = Estimate(0.9)


def people(alpha: Estimate = GOOD, items: int = 40, labels: int = 80) -> PeopleOn:
    return PeopleOn(items, labels, 2, alpha)


def basis_of(**changes: Any) -> Basis:
    whole = {"rate": rate(), "corrected": corrected(), "people": people(), **changes}
    return Basis(**whole)


@pytest.mark.parametrize(
    ("changes", "expected", "words"),
    [
        ({}, "yes", "2 people an item, 40 items"),
        ({"rate": None}, "withheld", "no conversation judged"),
        (
            {"corrected": replace(corrected(), labelled=FEWEST - 1, method="pooled")},
            "withheld",
            f"people checked {FEWEST - 1} of its conversations, {FEWEST} needed",
        ),
        ({"rate": rate(0)}, "withheld", "no conversation judged"),
        ({"rate": rate(FEWEST_JUDGED)}, "yes", ""),
        ({"rate": rate(FEWEST_JUDGED - 1)}, "withheld", "29 conversations, 30 needed"),
        ({"rate": rate(90, 10)}, "yes", ""),
        ({"rate": rate(89, 11)}, "withheld", "11 of 100 verdicts are missing"),
        ({"people": PeopleOn(), "corrected": None}, "withheld", "nobody has checked"),
        ({"corrected": None}, "withheld", "too few"),
        (
            {"people": people(undefined("no_pairable_items"), 40, 40)},
            "withheld",
            "one person an item, 40 items",
        ),
        ({"people": people(Estimate(WEAK))}, "with care", "often disagree"),
        ({"people": people(Estimate(WEAK - 1e-9))}, "withheld", "disagree on what it means"),
        ({"people": people(Estimate(FAIR))}, "yes", ""),
        ({"corrected": corrected(0.2, 0.2 + WIDEST + 0.01)}, "withheld", "too wide"),
        ({"corrected": corrected(0.2, 0.2 + WIDE + 0.01)}, "with care", "wide"),
        ({"judge_kin": True}, "with care", "same family"),
        ({"judge_errs": True}, "with care", "errs"),
        ({"corrected": corrected(metrics=3)}, "with care", "3 of 4 metrics"),
    ],
)
def test_each_rule_at_its_edge(changes: dict[str, Any], expected: str, words: str) -> None:
    graded = grade(basis_of(**changes))
    assert graded.grade == expected
    assert words in graded.reason
    assert len(graded.reason.split()) <= 10


@given(
    judged=st.integers(0, 60),
    missing=st.integers(0, 20),
    items=st.integers(0, 50),
    alpha=st.one_of(st.none(), st.floats(-1, 1)),
    width=st.floats(0, 0.9),
)
@settings(max_examples=60, deadline=None)
def test_thin_evidence_never_gets_a_grade(
    judged: int, missing: int, items: int, alpha: float | None, width: float
) -> None:
    on = people(undefined("no_pairable_items") if alpha is None else Estimate(alpha), items, 2 * items)
    known = corrected(0.05, 0.05 + width) if items >= FEWEST else None
    graded = grade(Basis(rate(judged, missing), known, on))
    thin = judged < FEWEST_JUDGED or items < FEWEST or alpha is None or alpha < WEAK or width > WIDEST + 1e-12
    assert (graded.grade == "withheld") or not thin


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    return shown_made(tmp_path_factory.mktemp("card") / "bench")


@pytest.fixture(scope="module")
def cards(shown: Shown) -> Cards:
    assert shown.kept is not None
    return Cards(shown.results, shown.kept.bench, shown.people)


def test_a_card_shows_the_corrected_figure_and_only_where_it_is_graded(shown: Shown, cards: Cards) -> None:
    graded = 0
    for system in shown.systems:
        for row in cards.card(system).rows:
            found = shown.corrected(row.node.id, row.kind, system)
            if row.graded.grade == "withheld":
                assert row.share is None
            else:
                graded += 1
                assert found is not None
                assert row.share == found.corrected
    assert graded >= 4


def test_nothing_is_graded_where_nobody_labelled(shown: Shown) -> None:
    cards = Cards(shown.results)
    bare = Cards(_unaudited(shown), cards.bench, None)
    card = bare.card("Ash")
    assert card.graded == ()
    assert {row.graded.reason for row in card.rows} == {"nobody has checked the judge here"}
    assert "No behaviour of Ash can be graded yet" in summary(card)
    assert "No person has checked it" in basis(card, shown.results)


def _unaudited(shown: Shown) -> Any:
    return replace(shown.results, audited=Audited())


def test_people_s_agreement_is_that_of_the_statistic_on_pass_and_fail(shown: Shown) -> None:
    metrics = [metric for metric in shown.results.metrics if metric.name.startswith("mind-negative")]
    found = people_on(shown.people, metrics)
    assert shown.people is not None
    names = {metric.name for metric in metrics}
    study, ratings = shown.people, shown.people.ratings
    cells: dict[int, dict[int, str]] = {}
    for row in range(len(ratings)):
        name = study.metrics[ratings.metric[row]].name
        if name in names and study.raters[ratings.rater[row]].kind == "human":
            label = study.metric(name).scale.labels[ratings.label[row]]
            cells.setdefault(int(ratings.item[row]), {})[int(ratings.rater[row])] = label
    table = [list(given.values()) for given in cells.values()]
    expected = agreement(Coded.from_matrix(table), ["krippendorff_alpha"], interval="jackknife")
    assert found.items == len(cells) == 64
    assert found.labels == 128
    assert math.isclose(found.alpha.value, expected["krippendorff_alpha"].value)


@pytest.mark.parametrize("audience", AUDIENCES)
def test_each_audience_reads_its_own_words_and_never_a_letter(
    shown: Shown, cards: Cards, audience: str
) -> None:
    card = cards.card("Ash")
    view = card_view(card, shown.results, audience)
    words = " ".join([view.summary, view.basis, *view.weakest, *(row.second for row in view.rows)])
    words += " ".join(f"{row.said.text} {row.said.second}" for row in view.rows if row.said)
    lay = audience in ("parent", "educator")
    assert ("in 100" in words) == lay
    assert ("@" in words and "node" in words) == (audience == "developer")
    assert not re.search(r"\bgrade [A-F]\b|overall score|accurate|significant", words)
    for row in card.graded:
        told = said(row, audience)
        assert told is not None
        assert row.share is not None
        numbers = [float(number) for number in re.findall(r"\d+\.?\d*", told.text + told.second)]
        scale = 1 if audience == "developer" else 100
        assert any(abs(number - scale * row.share.low) <= 0.5 for number in numbers)


def test_an_unknown_system_is_a_mistake(cards: Cards) -> None:
    with pytest.raises(UserError, match="no system 'Nobody'"):
        cards.card("Nobody")


def test_a_card_becomes_a_pdf_of_one_a4_page(shown: Shown, cards: Cards) -> None:
    pytest.importorskip("vl_convert")
    for audience in AUDIENCES:
        view = card_view(cards.card("Birch <i>2</i>"), shown.results, audience)
        made = pdf(
            html("card.svg", path="", **drawing(view, name="Made & small", demo="Made up.", points=True))
        )
        assert made.startswith(b"%PDF")
        assert made.count(b"/MediaBox") == 1
        assert b"/MediaBox [0 0 595 842]" in made


def test_the_best_level_is_that_at_which_most_is_graded(shown: Shown, cards: Cards) -> None:
    card: Card = cards.card("Ash")
    assert card.left_out == 0
    assert len({row.node.level for row in card.rows}) == 1
    assert sum(len(row.metrics) for row in card.rows) == len(shown.results.metrics)
    assert np.isfinite([row.judged for row in card.rows]).all()
