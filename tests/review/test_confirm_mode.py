"""Labels given with a judge's verdict in sight are kept, marked, and in no figure that they would flatter."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import voirdire
from review.studies import UnderWay, begun
from voirdire.align.observe import features_of
from voirdire.gate.gate import gate
from voirdire.gate.policy import GatePolicy
from voirdire.review.assigning import Wanted, assign_to
from voirdire.review.settings import RoundSettings
from voirdire.study import Study

ITEMS = 40
RULES = [{"measure": "judge_kappa", "at_least": 0.5}, {"measure": "people_alpha", "at_least": 0.5}]


def labelled(folder: Path, *, confirmed: bool) -> UnderWay:
    """A blind round whose labels say little of the judge, and perhaps one that repeats its verdicts."""
    way = begun(folder, metrics=("kind",), names=("Ann", "Bo"), items=ITEMS)
    said = np.random.default_rng(4).random((2, ITEMS)) < 0.6
    for n, name in enumerate(way.people):
        for k in range(ITEMS):
            way.say(name, f"i{k}", "kind", "pass" if said[n, k] else "fail")
    if confirmed:
        told = way.round.settings.model_dump() | {"mode": "confirm", "judge": "tone-judge"}
        second = way.desk.new_round(RoundSettings.model_validate(told))
        people = [one.link.rater_id for one in way.people.values()]
        again = [Wanted(code, item, "kind") for code in people for item in way.desk.study.items.ids]
        assign_to(way.desk, second, again)
        confirming = UnderWay(way.desk, second, way.people)
        for name in way.people:
            for k in range(ITEMS):
                confirming.say(name, f"i{k}", "kind", "fail" if k % 3 == 0 else "pass")
    return way


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> tuple[Study, Study]:
    """Without and with the labels of the confirming round."""
    found = []
    for name, confirmed in (("blind", False), ("both", True)):
        folder = tmp_path_factory.mktemp("confirm") / name
        labelled(folder, confirmed=confirmed)
        found.append(voirdire.open(folder))
    return found[0], found[1]


def test_they_are_kept_and_marked(studies: tuple[Study, Study]) -> None:
    blind, both = studies
    assert len(both.ratings) == len(blind.ratings) + 2 * ITEMS
    anchored = both.ratings.attributes["anchored"]
    assert int(anchored.equals("true").sum()) == 2 * ITEMS
    assert int(both.usable.sum()) == int(blind.usable.sum()) == 3 * ITEMS
    assert {both.ratings.run[int(k)] for k in np.flatnonzero(anchored.equals("true"))} == {"round-2"}


def test_no_audited_figure_changes_and_the_audit_says_how_many_there_are(
    studies: tuple[Study, Study],
) -> None:
    documents = []
    for study in studies:
        audit = voirdire.audit(study, voirdire.AuditOptions(resamples=100))
        documents.append({one["check"]: one for one in audit.to_dict()["findings"]})
    blind, both = documents
    said = (
        f"{2 * ITEMS} labels were given beside the judge's verdict or shown to it; agreement leaves them out."
    )
    assert said in json.dumps(both["coverage"])
    assert said not in json.dumps(blind["coverage"])
    assert blind.keys() == both.keys()
    figures = set(blind) - {"coverage", "raters"}
    assert len(figures) > 3
    for check in figures:
        assert both[check] == blind[check], check


def test_alignment_rates_and_gates_leave_them_out(studies: tuple[Study, Study]) -> None:
    seen = [features_of(study, metrics=["kind"]) for study in studies]
    for part in ("target", "features"):
        one, other = (vars(getattr(observed, part)) for observed in seen)
        arrays = [name for name, value in one.items() if isinstance(value, np.ndarray)]
        assert arrays
        for name in arrays:
            np.testing.assert_array_equal(one[name], other[name], err_msg=name)
    panels = [study.panel("kind").coded for study in studies]
    np.testing.assert_array_equal(panels[0].label, panels[1].label)
    held: list[Any] = [
        gate(study, GatePolicy.model_validate({"rules": RULES})).to_dict() for study in studies
    ]
    assert held[0] == held[1]
    found = [
        voirdire.rates(study, voirdire.RatesOptions(metrics=("kind",), draws=100)).to_dict()
        for study in studies
    ]
    assert found[0] == found[1]


def test_the_summary_says_how_many_are_left_out(studies: tuple[Study, Study]) -> None:
    blind, both = (str(voirdire.audit(study, voirdire.AuditOptions(resamples=100))) for study in studies)
    said = "80 labels given beside the judge's verdict or shown to it"
    assert said in " ".join(both.split())
    assert said not in " ".join(blind.split())
