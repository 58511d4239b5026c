"""Quick parts of ``benchmarks/alignment_truth.py``: a judge that knows nothing, and the gain's interval."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from align.planted import NOMINAL, voting
from voirdire.align.features import Features, Target
from voirdire.align.held_out import HeldOut, Protocol, repeated
from voirdire.align.protocol import evaluate

Floats = NDArray[np.float64]
PRIOR = np.array([0.5, 0.3, 0.2])
ONE_MAP = Protocol(select="confusion_row", calibrators=("confusion_row",), repeats=1, resamples=100)


def study(rng: np.random.Generator, n: int, *, informed: bool) -> tuple[Features, Target]:
    """Two labels a row; a judge whose verdict is drawn from people's distribution, or from the base rates."""
    truth = rng.dirichlet(1.5 * PRIOR, size=n).clip(1e-9)
    truth /= truth.sum(axis=1, keepdims=True)
    knows = truth if informed else np.tile(PRIOR, (n, 1))
    code = (rng.random((n, 1)) > np.cumsum(knows, axis=1)[:, :-1]).sum(axis=1).astype(np.int32)
    features = Features(NOMINAL, (voting("judge", NOMINAL, code),), np.zeros(n, dtype=np.int32), ("m",))
    return features, Target.of(rng.multinomial(2, truth).astype(float))


@pytest.mark.coverage_simulation
@pytest.mark.parametrize(("n", "studies"), [(60, 20), (200, 15)])
def test_a_judge_that_knows_nothing_is_not_called_helpful(n: int, studies: int) -> None:
    rng = np.random.default_rng(n)
    words = [
        evaluate(*study(rng, n, informed=False), protocol=ONE_MAP, rng=rng).verdict.word
        for _ in range(studies)
    ]
    assert sum(word in ("helps", "as a person") for word in words) <= 1


@pytest.mark.coverage_simulation
def test_the_gains_interval_holds_the_procedures_mean_gain() -> None:
    rng = np.random.default_rng(8)
    found = []
    for _ in range(60):
        features, target = study(rng, 150, informed=True)
        held = HeldOut(features, target, repeated(features, target, ONE_MAP, rng), ONE_MAP, rng)
        gain = held.over(held.losses["metric_prior"] - held.losses["confusion_row"])
        found.append((gain.value, gain.low, gain.high))
    value, low, high = np.array(found).T
    assert value.mean() > 0.08
    assert ((low <= value.mean()) & (value.mean() <= high)).mean() >= 0.88
