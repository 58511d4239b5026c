"""A panel is computed from its members' verdicts, which are all kept."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from judges.test_faults import study
from voirdire.errors import UserError
from voirdire.judges.call import Reply, Request
from voirdire.judges.panel import Panel, combine, keep_panel, load_panel
from voirdire.judges.planning import make_plan
from voirdire.judges.runner import run_plan
from voirdire.opening import open as open_study
from voirdire.store.parts import stored
from voirdire.store.schema import verdicts
from voirdire.store.sql import open_store
from voirdire.testing.clients import FakeClient, spread

MEMBER = "judge: {name}\nmodel: m-{name}\nrecipe: rubric\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    study(tmp_path, 6)
    for name in "abc":
        (tmp_path / f"{name}.yaml").write_text(MEMBER.format(name=name))
    (tmp_path / "all.yaml").write_text("judge: all\npanel: [a.yaml, b.yaml, c.yaml]\n")
    return tmp_path


def run(folder: Path, panel: Panel) -> int:
    shares = {"m-a": {"pass": 0.6, "fail": 0.4}, "m-b": {"pass": 0.7, "fail": 0.3}, "m-c": {"fail": 1.0}}

    def answer(request: Request) -> Reply:
        return spread(shares[request.model])

    with open_store(folder) as store:
        for member in panel.members:
            plan = make_plan(open_study(folder), member, store)
            asyncio.run(run_plan(plan, store, client=FakeClient(answer)))
        return keep_panel(panel, store)


def test_each_members_verdict_and_the_panels_are_ratings(folder: Path) -> None:
    panel = load_panel(folder / "all.yaml")
    assert run(folder, panel) == 6
    assert run(folder, panel) == 0
    read = open_study(folder)
    by_rater = {read.raters[code].id: code for code in read.raters_of("judge")}
    assert set(by_rater) == {"a", "b", "c", "all"}
    rows = read.rows("good", kind="judge")
    labels = {
        (read.raters[read.ratings.rater[row]].id, read.metric("good").scale.labels[read.ratings.label[row]])
        for row in rows
    }
    assert labels == {("a", "pass"), ("b", "pass"), ("c", "fail"), ("all", "pass")}


def test_a_member_counts_once_after_a_text_was_changed(folder: Path) -> None:
    panel = load_panel(folder / "all.yaml")
    run(folder, panel)
    texts = folder / "texts.csv"
    texts.write_text(texts.read_text().replace("Reply", "Answer"))
    assert run(folder, panel) == 6
    with open_store(folder) as store:
        last = stored(store, verdicts, ["mass", "requests"], rater_id="all")
    assert len(last) == 12
    assert {(row["mass"], len(row["requests"])) for row in last} == {(1.0, 3)}


def rows(*given: tuple[str, str | None, dict[str, float] | None]) -> list[dict[str, object]]:
    return [
        {
            "content_hash": name,
            "rater_id": name,
            "label": label,
            "status": "ok" if label else "unparsed",
            "probabilities": shares,
        }
        for name, label, shares in given
    ]


def declared(folder: Path, more: str) -> Panel:
    (folder / "other.yaml").write_text(f"judge: other\npanel: [a.yaml, b.yaml, c.yaml]\n{more}\n")
    return load_panel(folder / "other.yaml")


GIVEN = rows(
    ("a", "pass", {"pass": 0.6, "fail": 0.4}), ("b", "pass", {"pass": 0.6, "fail": 0.4}), ("c", "fail", None)
)


def test_votes_means_and_weights(folder: Path) -> None:
    vote = combine(declared(folder, ""), "i", "good", GIVEN)
    mean = combine(declared(folder, "combine: mean"), "i", "good", GIVEN)
    heavy = combine(declared(folder, "weights: {c: 3}"), "i", "good", GIVEN)
    assert vote is not None
    assert mean is not None
    assert heavy is not None
    assert (vote.label, mean.label, heavy.label) == ("pass", "fail", "fail")
    assert mean.probabilities == pytest.approx({"pass": 0.4, "fail": 0.6})


def test_a_tie_is_ambiguous_and_a_quorum_holds(folder: Path) -> None:
    two = rows(("a", "pass", None), ("b", "fail", None), ("c", None, None))
    panel = declared(folder, "quorum: 2")
    tied = combine(panel, "i", "good", two)
    assert tied is not None
    assert (tied.label, tied.status, tied.probabilities) == (None, "ambiguous", {"pass": 0.5, "fail": 0.5})
    short = combine(declared(folder, ""), "i", "good", two)
    assert short is not None
    assert (short.label, short.status) == (None, "unparsed")
    assert combine(declared(folder, ""), "i", "good", two[:2]) is None


def test_a_panels_version_changes_with_a_members(folder: Path) -> None:
    before = load_panel(folder / "all.yaml").version
    (folder / "a.yaml").write_text(MEMBER.format(name="a") + "parameters: {temperature: 1}\n")
    assert load_panel(folder / "all.yaml").version != before


@pytest.mark.parametrize(
    ("more", "what"),
    [("weights: {z: 1}", "no member"), ("quorum: 4", "quorum of 4"), ("combine: most", "vote or mean")],
)
def test_mistakes_are_one_line(more: str, what: str, folder: Path) -> None:
    with pytest.raises(UserError, match=what):
        declared(folder, more)
