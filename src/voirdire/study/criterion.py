"""The written criterion of a metric, told from an earlier wording of it."""

from __future__ import annotations

import hashlib
import json

from voirdire.study.config import MetricConfig
from voirdire.study.metric import Metric

__all__ = ["criterion_hash"]

DIGITS = 12


def criterion_hash(metric: Metric | MetricConfig) -> str:
    """The head of a hash of what a rater is asked: the rubric and its examples, not the name or the title.

    >>> one, other = MetricConfig(rubric="Is it cold?"), MetricConfig(title="Cold", rubric="Is it cold?")
    >>> criterion_hash(one) == criterion_hash(other)
    True
    """
    told = [metric.rubric, list(metric.present), list(metric.absent)]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:DIGITS]
