"""Numeric columns that the user supplies, such as an embedding of the rationale, in 16 components at most."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["COMPONENTS", "Projection"]

COMPONENTS = 16

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Projection:
    """Standardised columns times ``components`` (d, p); ``mean`` and ``spread`` (d,) of the items it saw."""

    mean: Floats
    spread: Floats
    components: Floats

    @classmethod
    def of(cls, table: Floats) -> Projection:
        """Principal components of columns (n, d), as they are where there are 16 or fewer; no label is used.

        >>> Projection.of(np.random.default_rng(0).normal(size=(50, 20))).components.shape
        (20, 16)
        """
        filled = np.where(np.isfinite(table), table, np.nan)
        count = np.maximum(np.isfinite(filled).sum(axis=0), 1)
        mean = np.nansum(filled, axis=0) / count
        spread = np.sqrt(np.nansum((filled - mean) ** 2, axis=0) / count)
        spread = np.where(spread > 0, spread, 1.0)
        d = table.shape[1]
        if d <= COMPONENTS:
            return cls(mean, spread, np.eye(d))
        standard = np.nan_to_num((filled - mean) / spread)
        _, _, right = np.linalg.svd(standard, full_matrices=False)
        # a singular vector's sign is arbitrary; the largest entry is made positive so that runs agree
        sign = np.sign(right[np.arange(len(right)), np.abs(right).argmax(axis=1)])
        return cls(mean, spread, (right * sign[:, None])[:COMPONENTS].T)

    def apply(self, table: Floats) -> Floats:
        """The components (n, p) of columns (n, d); a missing value counts as the mean."""
        return np.nan_to_num((table - self.mean) / self.spread) @ self.components
