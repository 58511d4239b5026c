"""Who is shown as a person whose labels hardly depend on the item, and who is not."""

from __future__ import annotations

import numpy as np

from checks.studies import PASS_FAIL, study
from voirdire.checks.audit import audit
from voirdire.checks.context import Context
from voirdire.checks.options import AuditOptions
from voirdire.checks.rater_spammers import SEPARATION, spammer_table
from voirdire.stats import Estimate
from voirdire.study import Metric, Study

HELP = Metric("help", PASS_FAIL)
WORDS = np.array(["fail", "pass"])


def made(labels: dict[str, np.ndarray], **more: object) -> Study:
    rows = [
        (f"i{item}", "help", rater, str(WORDS[label]))
        for rater, column in labels.items()
        for item, label in enumerate(column)
    ]
    return study(rows, [HELP], **more)  # type: ignore[arg-type]


def good(rng: np.random.Generator, truth: np.ndarray, accuracy: float = 0.85) -> np.ndarray:
    return np.where(rng.random(len(truth)) < accuracy, truth, 1 - truth)


def panel(seed: int = 0, n: int = 120) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    return {
        **{name: good(rng, truth) for name in ("ann", "bob", "cy")},
        "always": np.ones(n, dtype=int),
        "coin": rng.integers(0, 2, n),
        "contrary": 1 - good(rng, truth),
    }


def shown(one: Study) -> list[str]:
    table = spammer_table(Context(one, AuditOptions()), ["help"])
    return [str(row.cells["rater"]) for row in table.rows]


def test_constant_and_random_labels_are_shown_and_contrary_ones_are_not() -> None:
    labels = panel(n=240)
    table = spammer_table(Context(made(labels), AuditOptions()), ["help"])
    assert [row.cells["rater"] for row in table.rows] == ["always", "coin"]
    always = table.rows[0]
    assert always.cells["commonest"] == "pass, 100\xa0%"
    assert always.cells["labels"] == 240
    found = always.cells["separation"]
    assert isinstance(found, Estimate)
    assert (found.value, found.low, found.high) == (0, 0, 0)
    coin = table.rows[1].cells["separation"]
    assert isinstance(coin, Estimate)
    assert coin.low <= coin.high < SEPARATION
    assert str(table.rows[0].cells["maxima"]).endswith("from 5 starts")
    assert "explains disagreement away" in table.caption


def test_few_items_or_few_people_accuse_nobody() -> None:
    labels = panel(n=29)
    assert shown(made(labels)) == []
    two = {name: panel()[name] for name in ("ann", "always")}
    assert shown(made(two)) == []


def test_people_who_err_often_but_look_are_hardly_ever_shown() -> None:
    accused = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        truth = rng.integers(0, 2, 60)
        accused += len(shown(made({name: good(rng, truth, 0.75) for name in "abcde"})))
    assert accused <= 3, f"{accused} of 100 people with 75 % right answers"


def test_clusters_are_drawn_whole() -> None:
    """Labels that ignore the truth, the same on all ten items of a prompt: 240 items are 24 draws."""
    rng = np.random.default_rng(2)
    truth = np.repeat([0] * 12 + [1] * 12, 10)
    labels = {name: good(rng, truth) for name in ("ann", "bob", "cy", "dee")}
    labels["coin"] = np.repeat([0, 1] * 12, 10)
    clusters = {f"i{item}": f"p{item // 10}" for item in range(240)}

    def high(**more: object) -> float:
        table = spammer_table(Context(made(labels, **more), AuditOptions()), ["help"])
        return next((r.cells["separation"].high for r in table.rows if r.cells["rater"] == "coin"), 1.0)  # type: ignore[union-attr]

    assert high() < SEPARATION < high(cluster=clusters)


def test_the_audit_shows_them_under_the_raters() -> None:
    found = audit(made(panel(n=240)), AuditOptions(resamples=200, checks=("raters",))).finding("raters")
    assert found is not None
    assert [table.name for table in found.tables][:2] == ["raters", "spammers"]
    again = audit(made(panel(n=240)), AuditOptions(resamples=200, checks=("raters",))).finding("raters")
    assert again is not None
    assert again.tables[1] == found.tables[1]
