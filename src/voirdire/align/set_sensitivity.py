"""Whether the choice of a judge hangs on what people who named one verdict would also have accepted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from voirdire.align.response_sets import accepting, membership, read_out
from voirdire.align.set_table import SetTable

__all__ = ["BETAS", "SetSensitivity", "set_sensitivity"]

BETAS = tuple(round(0.05 * step, 2) for step in range(20))
"""At 1 everybody accepts everything, and judges of one verdict a row are all alike."""


@dataclass(frozen=True)
class SetSensitivity:
    """The best judge in response-set error where others would accept ``verdict`` too with probability beta.

    ``verdict`` None lets every verdict be accepted. ``order`` holds the judges from best to worst at each of
    ``betas``.
    """

    verdict: str | None
    betas: tuple[float, ...]
    order: tuple[tuple[str, ...], ...]

    @property
    def best(self) -> tuple[str, ...]:
        """The best judge at each beta."""
        return tuple(names[0] for names in self.order)

    @property
    def changes_choice(self) -> tuple[float, ...]:
        """Every beta at which another judge is best than at the smallest beta."""
        return tuple(b for b, name in zip(self.betas, self.best, strict=True) if name != self.best[0])

    @property
    def changes_ranking(self) -> tuple[float, ...]:
        """Every beta at which the judges stand in another order than at the smallest beta."""
        return tuple(b for b, names in zip(self.betas, self.order, strict=True) if names != self.order[0])


def set_sensitivity(table: SetTable, *, betas: Sequence[float] = BETAS) -> tuple[SetSensitivity, ...]:
    """Rank the judges of ``table`` on the rows that all of them judged, for every beta.

    Once letting every verdict be accepted by those who named another, then for each verdict alone. Judges'
    verdicts are taken as they gave them. Between judges of one verdict a row the first path never changes the
    ranking: the difference of their errors is proportional to (1 - beta).
    """
    both = table.common()
    ways = [(None, None), *((verdict, row) for row, verdict in enumerate(both.scale.verdicts))]
    return tuple(
        SetSensitivity(verdict, tuple(betas), tuple(_order(both, beta, row) for beta in betas))
        for verdict, row in ways
    )


def _order(table: SetTable, beta: float, row: int | None) -> tuple[str, ...]:
    """The judges by their mean squared error against what people would accept, equal ones as listed."""
    members = membership(table.scale)
    people = read_out(table.counts, accepting(members, beta, row))
    errors = np.array([((read_out(one, members) - people) ** 2).mean() for one in table.verdicts])
    return tuple(table.judges[k] for k in np.argsort(errors.round(12), kind="stable"))
