"""The drift alarm: order of labels, what is refused, bounds that hold, and drift that is found."""

from __future__ import annotations

import importlib.util
import math
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from decide.changed import Row, rows_of, study_of
from voirdire import Aligner, AlignOptions, DriftOptions, UserError, align, drift
from voirdire.align.observe import features_of
from voirdire.decide.drift import first_alarm
from voirdire.decide.drift_map import largest_loss
from voirdire.study import Study

DAY = "2026-11-{:02d}T10:00:00"


@pytest.fixture(scope="module")
def simulation() -> ModuleType:
    """The benchmark's simulation, with fewer runs."""
    path = Path(__file__).resolve().parents[2] / "benchmarks" / "_guarantees" / "drift.py"
    spec = importlib.util.spec_from_file_location("benchmarks_drift", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def old() -> Study:
    return study_of(rows_of(range(160), right=0.92))


@pytest.fixture(scope="module")
def aligner(old: Study) -> Aligner:
    return align(old, AlignOptions(select="confusion_row", repeats=1))


def dated(rows: list[Row], *, backwards: bool = False) -> list[Row]:
    days = [1 + int(str(row["item_id"])[1:]) % 28 for row in rows]
    return [
        row | {"created_at": DAY.format(29 - day if backwards else day)}
        for row, day in zip(rows, days, strict=True)
    ]


def test_labels_that_turned_raise_the_alarm_and_others_do_not(aligner: Aligner) -> None:
    alike = drift(aligner, study_of(rows_of(range(160, 760), right=0.92)))
    assert not alike.alarm
    turned = drift(aligner, study_of(rows_of(range(160, 760), right=0.92, turn=1.0)))
    assert turned.alarm
    assert 0 < turned.first < 300
    assert turned.change.low > 0.02
    assert turned.sentence.startswith("DRIFT")


def test_the_score_is_the_mean_log_loss_of_clusters_in_order_of_time(aligner: Aligner) -> None:
    late = study_of(dated(rows_of(range(160, 260)), backwards=True))
    found = drift(aligner, late)
    rows = features_of(late, metrics=["warm"], encoding=aligner.encoding).labelled
    predicted = aligner.model.predict(rows.features)
    loss = [
        -sum(n * math.log(q) for n, q in zip(counts, share, strict=True)) / sum(counts)
        for counts, share in zip(rows.target.counts.tolist(), predicted.tolist(), strict=True)
    ]
    assert found.order == "created_at"
    assert found.change.n_clusters == 50
    assert found.change.value == pytest.approx(np.mean(loss) - found.reference.value)
    since = drift(aligner, late, DriftOptions(since="2026-11-15"))
    assert 0 < since.n_labels < found.n_labels


def test_labels_without_a_time_are_taken_by_row_and_said(aligner: Aligner) -> None:
    rows = dated(rows_of(range(160, 200)))
    rows[0]["created_at"] = ""
    found = drift(aligner, study_of(rows))
    assert found.order == "rows"
    assert "1 labels have no created_at" in found.notes[0]


def test_mistakes_are_one_line(aligner: Aligner, old: Study) -> None:
    later = rows_of(range(160, 200))
    with pytest.raises(UserError, match="was fitted on"):
        drift(aligner, old)
    with pytest.raises(UserError, match="no metric of the aligner"):
        drift(aligner, study_of(rows_of(range(160, 200), metrics=("cold",))))
    with pytest.raises(UserError, match="fitted on judge 'model'"):
        drift(aligner, study_of(rows_of(range(160, 200), judge="other")))
    with pytest.raises(UserError, match="not every label says when"):
        drift(aligner, study_of(later), DriftOptions(since="2026-11-15"))
    with pytest.raises(UserError, match="expected a date"):
        drift(aligner, study_of([row | {"created_at": "soon"} for row in later]))
    for wrong in ({"tolerance": -1.0}, {"level": 2}, {"since": "soon"}):
        with pytest.raises(UserError):
            DriftOptions(**wrong)  # type: ignore[arg-type]
    assert drift(aligner, study_of(rows_of(range(160, 200), people=()))).change.undefined == "no_labels"


def test_no_loss_is_beyond_the_largest(aligner: Aligner) -> None:
    late = features_of(study_of(rows_of(range(300))), metrics=["warm"], encoding=aligner.encoding)
    assert -np.log(aligner.model.predict(late.features).min()) <= largest_loss(aligner.model)


def test_an_uncertain_reference_makes_the_alarm_later() -> None:
    scores = np.full((1, 800), 0.9)
    sure, unsure = (first_alarm(scores, (0.5, 0.5 - e, 0.5 + e), largest=8.0).at[0] for e in (0.01, 0.2))
    assert 0 < sure < unsure


@pytest.mark.coverage_simulation
def test_without_drift_5_percent_are_alarmed_at_most_and_drift_is_found(
    simulation: ModuleType,
) -> None:
    """80 maps fitted on 100 items, 2,000 labels each; promised 5 %, allowing 2.33 binomial errors."""
    rng = np.random.default_rng(4)
    maps = simulation.fitted(80, 100, select="confusion_row", level=0.95, rng=rng)
    none = simulation.alarms(maps, share=0.0, start=0, tolerance=0.0, level=0.95, rng=rng)
    assert (none > 0).mean() <= 0.05 + 2.33 * math.sqrt(0.05 * 0.95 / 80)
    drifted = simulation.alarms(maps, share=0.4, start=0, tolerance=0.02, level=0.95, rng=rng)
    assert (drifted > 0).mean() > 0.9
