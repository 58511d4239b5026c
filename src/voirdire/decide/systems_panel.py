"""How far a ranking by several judges hangs on one of them: each judge left out in turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from voirdire.decide.kinship import kin_of
from voirdire.decide.systems_means import SystemMeans, sides_of_pairs
from voirdire.decide.systems_options import SystemsOptions
from voirdire.decide.systems_ranking import rank_agreement
from voirdire.decide.systems_result import LeftOut
from voirdire.decide.systems_scores import scores_of
from voirdire.study.study import Study

__all__ = ["left_out"]


def left_out(
    study: Study,
    metrics: Sequence[str],
    judges: Sequence[int],
    options: SystemsOptions,
    rng: np.random.Generator,
) -> Iterator[LeftOut]:
    """One row a judge, on items that all of ``judges`` (positions, two or more) scored."""
    scores = scores_of(study, metrics, judges, people=False)
    scores = None if scores is None else scores.enough(options.fewest)
    if scores is None or len(judges) < 2:
        return
    means, size, n = SystemMeans.of(scores), len(scores.systems), len(judges)
    sides = [sides_of_pairs(n, size, source) for source in range(n)]
    everyone = np.mean(sides, axis=0)
    for place, judge in enumerate(judges):
        others = np.mean([side for k, side in enumerate(sides) if k != place], axis=0)
        both = means.contrasts(np.concatenate([everyone, others]))
        reach = both.critical(level=options.level, draws=options.draws, rng=rng)
        half = len(everyone)
        tau = rank_agreement(both.take(slice(half)), both.take(slice(half, None)), reach, level=options.level)
        before = _places(means.mean.mean(axis=0))
        after = _places(np.delete(means.mean, place, axis=0).mean(axis=0))
        rater = study.raters[judge]
        kin = list(kin_of(rater, scores.systems).every)
        at = [scores.systems.index(name) for name in kin]
        yield LeftOut(
            rater.id,
            scores.metrics,
            n,
            len(scores.item),
            tau,
            scores.systems[int(before.argmin())],
            scores.systems[int(after.argmin())],
            int((before != after).sum()),
            int(np.abs(before - after).max()),
            tuple(kin),
            tuple((int(before[k]), int(after[k])) for k in at),
        )


def _places(mean: NDArray[np.float64]) -> NDArray[np.int64]:
    """Each system's place (S,), 1 the highest mean; equal means share the better place."""
    found: NDArray[np.int64] = 1 + (mean[None, :] > mean[:, None] + 1e-12).sum(axis=1)
    return found
