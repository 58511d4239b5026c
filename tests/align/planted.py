"""Rows whose true label distributions are known: nominal, ordinal, binary and pairwise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voirdire.align.features import Features, Target
from voirdire.align.judge_output import JudgeOutput
from voirdire.align.numerics import softmax
from voirdire.study.scale import PAIRWISE_LABELS, Scale

Floats = NDArray[np.float64]
NOMINAL = Scale("nominal", ("a", "b", "c"))
ORDINAL = Scale("ordinal", ("1", "2", "3", "4"), ordered=True, values=(1.0, 2.0, 3.0, 4.0))
BINARY = Scale("binary", ("fail", "pass"))
PAIRWISE = Scale("pairwise", PAIRWISE_LABELS)


@dataclass(frozen=True, eq=False)
class Planted:
    """Features, drawn labels, and the distribution ``truth`` (n, C) that they were drawn from."""

    features: Features
    target: Target
    truth: Floats

    def excess(self, predicted: Floats) -> float:
        """Mean expected log loss of ``predicted`` above that of the truth, in nats (Kullback-Leibler)."""
        return float((self.truth * np.log(self.truth / predicted)).sum(axis=1).mean())


def log_softmax(logits: Floats) -> Floats:
    return logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))


def stating(name: str, scale: Scale, z: Floats) -> JudgeOutput:
    """A judge that states log probabilities ``z`` (n, C)."""
    n, c = z.shape
    code = z.argmax(axis=1).astype(np.int32)
    score = code + 1.0 if scale.ordered else np.full(n, np.nan)
    margin = z[:, 0] - z[:, -1] if scale.kind == "pairwise" else np.zeros(n)
    return JudgeOutput(
        name, scale.labels, code, z, np.zeros((n, c)), score, np.zeros(n), c - 1.0, margin=margin
    )


def voting(name: str, scale: Scale, code: NDArray[np.int32]) -> JudgeOutput:
    """A judge that gives one label a row; code C is a reply without a verdict."""
    n, c = len(code), len(scale.labels)
    given = code < c
    votes = np.where(given[:, None], np.eye(c)[np.minimum(code, c - 1)], 0.0)
    score = np.where(given, code + 1.0, np.nan) if scale.ordered else np.full(n, np.nan)
    margin = votes[:, 0] - votes[:, scale.code("second")] if scale.kind == "pairwise" else np.zeros(n)
    none = np.full((n, c), np.nan)
    return JudgeOutput(name, scale.labels, code, none, votes, score, np.zeros(n), c - 1.0, margin=margin)


def drawn(rng: np.random.Generator, truth: Floats, k: int) -> Floats:
    return rng.multinomial(k, truth).astype(np.float64)


def of_logits(
    rng: np.random.Generator,
    n: int,
    *,
    scale: Scale = NOMINAL,
    slope: float = 1.0,
    bias: Floats | None = None,
    k: int = 3,
) -> Planted:
    """One judge that states z; people's logits are slope * z + bias."""
    z = log_softmax(1.5 * rng.normal(size=(n, len(scale.labels))))
    truth = softmax(slope * z + (0.0 if bias is None else bias))
    features = Features(scale, (stating("judge", scale, z),), np.zeros(n, dtype=np.int32), ("m",))
    return Planted(features, Target.of(drawn(rng, truth, k), cluster=np.arange(n) // 2), truth)


def of_metrics(
    rng: np.random.Generator, n: int, effects: Floats, *, slope: float = 0.7, k: int = 2
) -> Planted:
    """One stating judge, and metrics whose logits differ by ``effects`` (M, C)."""
    z = log_softmax(rng.normal(size=(n, effects.shape[1])))
    metric = rng.integers(0, len(effects), n).astype(np.int32)
    truth = softmax(slope * z + effects[metric])
    names = tuple(f"m{k}" for k in range(len(effects)))
    features = Features(NOMINAL, (stating("judge", NOMINAL, z),), metric, names)
    return Planted(features, Target.of(drawn(rng, truth, k)), truth)


def of_panel(
    rng: np.random.Generator, n: int, *, judges: int = 3, silent: float = 0.1, k: int = 3
) -> Planted:
    """Ordinal labels of a quality that differs by metric; judges give labels with noise, or no verdict."""
    metric = rng.integers(0, 3, n).astype(np.int32)
    quality = rng.normal(size=n) + np.array([-0.7, 0.0, 0.7])[metric]
    truth = softmax(-((np.arange(4) - 1.5 - quality[:, None]) ** 2))
    outputs = []
    for j in range(judges):
        code = np.clip(np.round(1.5 + quality + 0.6 * rng.normal(size=n)), 0, 3).astype(np.int32)
        outputs.append(
            voting(f"judge {j}", ORDINAL, np.where(rng.random(n) < silent, 4, code).astype(np.int32))
        )
    features = Features(ORDINAL, tuple(outputs), metric, ("x", "y", "z"))
    return Planted(features, Target.of(drawn(rng, truth, k), cluster=np.arange(n) // 3), truth)


def of_pairs(rng: np.random.Generator, n: int, *, tie: float = -0.3, k: int = 2) -> Planted:
    """Pairs whose margin the judge states: Davidson's model, slope 0.8, ties rarer at clear margins."""
    margin = 2 * rng.normal(size=n)
    eta, nu = 0.8 * margin, tie - 0.3 * np.abs(margin)
    truth = softmax(np.stack([eta / 2, nu, -eta / 2], axis=1))
    z = log_softmax(np.stack([margin / 2, np.full(n, -0.5), -margin / 2], axis=1))
    features = Features(
        PAIRWISE,
        (stating("judge", PAIRWISE, z),),
        np.zeros(n, dtype=np.int32),
        ("preference",),
        contrasts=rng.normal(size=(n, 1)),
        contrast_names=("length",),
    )
    return Planted(features, Target.of(drawn(rng, truth, k)), truth)
