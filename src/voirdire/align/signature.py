"""Signature: which labels, judges and columns a fitted map was made for, so that it refuses others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from voirdire.align.features import Features
from voirdire.errors import UserError

__all__ = ["Signature"]


@dataclass(frozen=True, slots=True)
class Signature:
    """The human ``labels``, ``judges`` and their ``judge_labels``, ``metrics`` and which were ``seen``.

    ``covariates`` and ``contrasts`` are the names of the numeric columns.
    """

    labels: tuple[str, ...]
    judges: tuple[str, ...]
    judge_labels: tuple[tuple[str, ...], ...]
    metrics: tuple[str, ...]
    seen: tuple[bool, ...]
    systems: tuple[str, ...]
    covariates: tuple[str, ...]
    contrasts: tuple[str, ...]

    @classmethod
    def of(cls, features: Features) -> Signature:
        """What ``features``, the rows of a fit, hold."""
        known = features.metric[features.metric >= 0]
        seen = np.bincount(known, minlength=features.n_metrics) > 0
        return cls(
            features.scale.labels,
            tuple(output.judge for output in features.judges),
            tuple(output.labels for output in features.judges),
            features.metrics,
            tuple(bool(each) for each in seen),
            features.systems,
            _names(features.covariate_names, features.covariates.shape[1]),
            _names(features.contrast_names, features.contrasts.shape[1]),
        )

    def check(self, features: Features) -> None:
        """Refuse features of another label set, other judges or other columns, naming the difference."""
        other = Signature.of(features)
        for name in ("labels", "judges", "judge_labels", "metrics", "systems", "covariates", "contrasts"):
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine != theirs:
                raise UserError(
                    f"the map was fitted on other {name.replace('_', ' ')}: {theirs}", expected=f"{mine}"
                )

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and numbers."""
        return asdict(self)

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Signature:
        """What :meth:`to_dict` gave, also after a round through JSON."""
        parts: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in saved.items()
        }
        parts["judge_labels"] = tuple(tuple(labels) for labels in saved["judge_labels"])
        return cls(**parts)


def _names(given: tuple[str, ...], count: int) -> tuple[str, ...]:
    """Names of ``count`` columns, numbered where they were not all named."""
    return given if len(given) == count else tuple(f"column {k + 1}" for k in range(count))
