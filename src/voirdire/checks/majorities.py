"""The judge against what most people said, with ties and unparsed replies counted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voirdire.checks.context import Context
from voirdire.checks.panels import majority, several
from voirdire.checks.scales import weights
from voirdire.checks.words import share
from voirdire.stats import Estimate
from voirdire.stats.cohen import cohen_kappa
from voirdire.stats.proportion import proportion
from voirdire.stats.two_rater import contingency_table
from voirdire.study import Policy

__all__ = ["AgainstMajority", "against_majority"]


@dataclass(frozen=True, eq=False)
class AgainstMajority:
    """One judge's verdicts against the most frequent human label on ``n`` items that have both.

    ``ties`` items had no single most frequent label and are left out, unless the metric names what a tie
    counts as. ``unparsed`` items have a majority and no usable verdict. ``table`` (q, q) has people in
    rows, the judge in columns.
    """

    n: int
    same: int
    ties: int
    unparsed: int
    kappa: Estimate
    accuracy: Estimate
    table: NDArray[np.int64]

    @property
    def bounds(self) -> tuple[float, float]:
        """Agreement if every unparsed reply counted as wrong, and as right."""
        total = self.n + self.unparsed
        return (self.same / total, (self.same + self.unparsed) / total) if total else (np.nan, np.nan)

    def __str__(self) -> str:
        return share(self.same, self.n)


def against_majority(
    context: Context,
    judge: int,
    metric: str,
    *,
    policy: Policy | None = None,
    inside: NDArray[np.bool_] | None = None,
    codes: NDArray[np.intp] | None = None,
) -> AgainstMajority:
    """The judge against the majority on the items ``inside`` (n_items of the people's panel,).

    By default those with several people: one person is no majority.

    ``codes`` replaces the judge's verdicts, such as by a panel's vote, −1 where there is none.
    """
    panel = context.people(metric, policy)
    if codes is None:
        codes = context.verdicts(metric, judge, policy).codes
    tie = panel.metric.tie
    most = majority(panel.coded, panel.scale.code(tie) if tie in panel.scale.labels else None)
    inside = several(panel.coded) if inside is None else inside
    both = inside & (most >= 0) & (codes >= 0)
    table = contingency_table(most[both], codes[both], len(panel.scale.labels))
    n, same = int(both.sum()), int(np.trace(table))
    chosen = weights(panel.scale)
    kappa = cohen_kappa(table, weights=chosen["weights"], level=context.options.level).estimate
    return AgainstMajority(
        n,
        same,
        int((inside & (most < 0) & (codes >= 0)).sum()),
        int((inside & (most >= 0) & (codes < 0) & _asked(context, judge, metric, panel.items)).sum()),
        kappa,
        proportion(same, n, level=context.options.level),
        table,
    )


def _asked(context: Context, judge: int, metric: str, items: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Which of ``items`` (n,) the judge was asked about, whatever became of its reply."""
    study = context.study
    rows = study.rows(metric, usable=False)
    rows = rows[(study.ratings.rater[rows] == judge) & (study.ratings.status[rows] > 0)]
    asked: NDArray[np.bool_] = np.isin(items, study.ratings.item[rows])
    return asked
