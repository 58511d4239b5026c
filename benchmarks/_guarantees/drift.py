"""How often the drift alarm is raised without drift, and how soon with it, for maps fitted on few items.

A judge says one of three labels; one person's label follows from it by a fixed table. Each run fits the
stack on its items, takes the reference from five folds as ``voirdire align`` does, and follows
2,000 further labels. Drift: from some label on, x and z change places in a share of people's labels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from voirdire.align.features import Features, Target
from voirdire.align.folds import grouped_folds
from voirdire.align.judge_output import JudgeOutput
from voirdire.align.numerics import PRIOR_MASS
from voirdire.align.scores import log_score
from voirdire.align.selection import fit
from voirdire.decide.drift import first_alarm
from voirdire.opening import open as open_study

Floats = NDArray[np.float64]
JUDGE = np.array([0.5, 0.3, 0.2])
PEOPLE = np.array([[0.8, 0.15, 0.05], [0.25, 0.55, 0.2], [0.1, 0.25, 0.65]])
"""What one person says, given what the judge said."""
LABELS = 2000
SCALE = (
    open_study({"item": ["a", "b", "c"], "rater": ["p"] * 3, "label": ["x", "y", "z"]}).metric("label").scale
)


@dataclass(frozen=True, eq=False)
class Maps:
    """Fitted maps: the log score (runs, judge label, person's label), its reference, and the largest."""

    loss: Floats
    mean: Floats
    low: Floats
    high: Floats
    largest: float


def fitted(runs: int, n: int, *, select: str, level: float, rng: np.random.Generator) -> Maps:
    """``runs`` maps, each fitted on ``n`` items with a label each, with its out-of-fold reference."""
    loss, reference, least = [], [], 1.0
    for _ in range(runs):
        judge = rng.choice(3, n, p=JUDGE)
        person = said(judge, rng.random(n))
        features, target = features_of(judge), Target.of(np.eye(3)[person])
        held = np.empty(n)
        for train, test in grouped_folds(target.cluster, rng=rng):
            part = fit(features.take(train), target.take(train), select=select, rng=rng)
            held[test] = log_score(part.predict(features.take(test)), target.counts[test])
        model = fit(features, target, select=select, rng=rng)
        loss.append(-np.log(model.predict(features_of(np.arange(3)))))
        reach = stdtrit(n - 1, (1 + level) / 2) * held.std(ddof=1) / math.sqrt(n)
        reference.append((held.mean(), held.mean() - reach, held.mean() + reach))
        least = min(least, min(float(member.floor.table.min()) for member in model.members))
    mean, low, high = np.array(reference).T
    return Maps(np.array(loss), mean, low, high, -math.log(PRIOR_MASS * least))


def said(judge: NDArray[np.intp], u: Floats) -> NDArray[np.intp]:
    """People's labels from uniform numbers ``u``, shaped alike."""
    limits = PEOPLE.cumsum(axis=1)[judge, :2]
    label: NDArray[np.intp] = (u[..., None] > limits).sum(axis=-1)
    return label


def features_of(judge: NDArray[np.intp]) -> Features:
    n = len(judge)
    code = judge.astype(np.int32)
    none = np.full((n, 3), np.nan)
    output = JudgeOutput(
        "judge", SCALE.labels, code, none, np.eye(3)[code], judge.astype(np.float64), np.zeros(n), 2.0
    )
    return Features(SCALE, (output,), np.zeros(n, dtype=np.int32), ("label",))


def alarms(
    maps: Maps, *, share: float, start: int, tolerance: float, level: float, rng: np.random.Generator
) -> NDArray[np.intp]:
    """When each map's alarm is raised (runs,), 0 for never; from ``start`` on a share of x and z swap."""
    shape = (len(maps.mean), LABELS)
    judge = rng.choice(3, shape, p=JUDGE)
    person = said(judge, rng.random(shape))
    turned = (rng.random(shape) < share) & (np.arange(LABELS) >= start)
    person = np.where(turned, 2 - person, person)
    scores = np.take_along_axis(maps.loss.reshape(shape[0], -1), judge * 3 + person, axis=1)
    reference = (maps.mean, maps.low, maps.high)
    return first_alarm(scores, reference, largest=maps.largest, tolerance=tolerance, level=level).at


def worse(maps: Maps, share: float) -> float:
    """By how many nats the drift makes the mean score worse, over the maps."""
    after = (1 - share) * PEOPLE + share * PEOPLE[:, ::-1]
    return float(np.einsum("j,jc,rjc->r", JUDGE, after - PEOPLE, maps.loss).mean())


def run(runs: int) -> None:
    """False alarms at no tolerance and at the default; promised: at most 5 %. Then planted drifts."""
    rng = np.random.default_rng(17)
    print("items  tolerance  drift from  share  nats worse   alarms   median delay")
    for n, of in ((100, 1.0), (300, 0.4), (1000, 0.2)):
        maps = fitted(max(1, round(of * runs)), n, select="stack", level=0.95, rng=rng)
        for tolerance, start, share in (
            (0.0, 0, 0.0),
            (0.02, 0, 0.0),
            (0.02, 0, 0.1),
            (0.02, 0, 0.2),
            (0.02, 0, 0.4),
            (0.02, 500, 0.4),
        ):
            at = alarms(maps, share=share, start=start, tolerance=tolerance, level=0.95, rng=rng)
            late = at[at > start] - start
            delay = f"{np.median(late):.0f} labels" if share and len(late) else ""
            print(
                f"{n:5d} {tolerance:10.2f} {start:11d} {share:6.1f} {worse(maps, share):11.3f} "
                f"{(at > 0).mean():8.3f}   {delay}"
            )
