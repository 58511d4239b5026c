"""Rows of one metric whose truth is the mean of parts: a judge rates the whole and each part, with noise."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from align.planted import ORDINAL, Floats, Planted, drawn, voting
from voirdire.align.features import Features, Target
from voirdire.align.judge_output import JudgeOutput
from voirdire.align.numerics import softmax


def mute(output: JudgeOutput) -> JudgeOutput:
    """An answer to another question: no vote for the human labels."""
    return replace(output, votes=np.zeros_like(output.votes))


def of_parts(
    rng: np.random.Generator, n: int, *, whole: float, part: float, parts: int = 4, k: int = 2
) -> tuple[dict[str, Features], Planted]:
    """The three views, and the holistic one with its labels and truth.

    ``whole`` and ``part`` are standard deviations of the judge's noise, in units of the quality's and of a
    part's own spread.
    """
    aspect = rng.normal(size=(n, parts))
    quality = aspect.mean(axis=1) * np.sqrt(parts)
    truth = softmax(-((np.arange(4) - 1.5 - quality[:, None]) ** 2))

    def rated(name: str, latent: Floats, noise: float) -> JudgeOutput:
        code = np.clip(np.round(1.5 + latent + noise * rng.normal(size=n)), 0, 3)
        return voting(name, ORDINAL, code.astype(np.int32))

    own = rated("judge", quality, whole)
    others = tuple(mute(rated(f"judge on {j}", aspect[:, j], part)) for j in range(parts))
    outputs = {"holistic": (own,), "decomposed": others, "both": (own, *others)}
    metric = np.zeros(n, dtype=np.int32)
    views = {view: Features(ORDINAL, judges, metric, ("m",)) for view, judges in outputs.items()}
    target = Target.of(drawn(rng, truth, k), cluster=np.arange(n) // 2)
    return views, Planted(views["holistic"], target, truth)
