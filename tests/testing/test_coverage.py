"""The intervals of an audit hold planted truths as often as their level says, reader and checks included."""

from __future__ import annotations

from collections import defaultdict

import pytest

import voirdire
from voirdire.testing import Difficulty, PlantedJudge, PlantedMetric, known_truth, people
from voirdire.testing.beside import beside
from voirdire.testing.files import write

METRICS, STUDIES, ITEMS = 40, 6, 84
OPTIONS = voirdire.AuditOptions(resamples=400, checks=("stand_in", "people"))


def planted(number: int) -> PlantedMetric:
    return PlantedMetric(
        name=f"metric-{number:02d}",
        items=ITEMS,
        people=people(4, accuracy=(0.95, 0.9, 0.85, 0.75), missing=0.15),
        difficulty=(Difficulty(share=0.7), Difficulty(share=0.3, guess=0.5)),
        cluster_size=2,
        cluster_pull=0.5,
    )


@pytest.mark.coverage_simulation
def test_intervals_hold_the_truth_at_their_level(tmp_path) -> None:  # type: ignore[no-untyped-def]
    held: dict[str, list[bool]] = defaultdict(list)
    for seed in range(STUDIES):
        judge = PlantedJudge(id="judge", accuracy=0.85, lean=0.1)
        made = known_truth(map(planted, range(METRICS)), judges=[judge], seed=seed)
        audit = voirdire.audit(voirdire.open(write(made, tmp_path / f"study-{seed}.csv")), OPTIONS)
        for one in beside(audit, made):
            if one.figure != "difference":  # its level is corrected over metrics
                assert one.inside is not None
                held[one.figure].append(one.inside)
    assert set(held) == {"judge–person κ", "person–person κ", "α", "Fleiss κ"}
    n = METRICS * STUDIES
    error = (0.95 * 0.05 / n) ** 0.5
    for figure, inside in held.items():
        assert len(inside) == n
        share = sum(inside) / n
        assert 0.95 - 3 * error - 0.01 <= share, f"{figure}: {share:.3f} of intervals hold the truth"
    joint = [all(values) for values in zip(*held.values(), strict=True)]
    assert sum(joint) < n, "intervals that never miss say nothing"


@pytest.mark.coverage_simulation
def test_differences_hold_the_truth_at_their_corrected_level(tmp_path) -> None:  # type: ignore[no-untyped-def]
    made = known_truth(
        map(planted, range(METRICS)), judges=[PlantedJudge(id="judge", accuracy=0.85)], seed=99
    )
    audit = voirdire.audit(voirdire.open(write(made, tmp_path / "study.csv")), OPTIONS)
    inside = [one.inside for one in beside(audit, made) if one.figure == "difference"]
    assert len(inside) == METRICS
    assert sum(map(bool, inside)) >= METRICS - 2, "a level above 99 % over 40 metrics"
