"""A study whose labels are still coming in can be audited and aligned; what nobody labelled waits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import voirdire
from review.studies import begun
from voirdire.study import Study

ITEMS = 40


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Of three declared metrics one is being labelled, and of forty items thirty are."""
    folder: Path = tmp_path_factory.mktemp("under") / "way"
    way = begun(folder, metrics=("kind",), names=("Ann", "Bo"), items=ITEMS)
    rng = np.random.default_rng(3)
    for name in way.people:
        for k in range(30):
            usual = "fail" if k % 3 == 0 else "pass"
            way.say(name, f"i{k}", "kind", usual if rng.random() < 0.8 else "pass")
    return voirdire.open(folder)


def test_the_audit_counts_what_is_there(study: Study) -> None:
    said = " ".join(str(voirdire.audit(study, voirdire.AuditOptions(resamples=100))).split())
    assert "Human labels: 60, by 2 people" in said
    assert "Items: 30 rated by people, of 40" in said
    assert "clear" not in said


def test_what_is_learned_predicts_every_judged_item(study: Study) -> None:
    aligner = voirdire.align(study, voirdire.AlignOptions(select="temperature", repeats=1))
    assert aligner.encoding.metrics == ("kind",)
    predictions = aligner.predict(study)
    assert len(predictions) == ITEMS
    assert predictions.notes == ()
