"""SetTable: people's labels and judges' verdicts on the same rows, as counts of labels that are sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from voirdire.errors import UserError
from voirdire.study.policy import KEPT_APART, Policy
from voirdire.study.scale import Scale
from voirdire.study.study import Study

__all__ = ["SetTable", "joined_scale"]

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class SetTable:
    """n rows, one an item and metric that somebody labelled: people's ``counts`` (n, V) of the V labels.

    ``scale`` holds the V labels, indeterminate ones and response sets kept apart. ``verdicts`` (J, n, V) are
    the shares of the labels over each judge's runs, zeros where it gave no verdict. ``metric`` (n,) indexes
    ``metrics``, ``item`` (n,) are positions in the study, ``cluster`` (n,) is the resampled unit.
    """

    scale: Scale
    counts: Floats
    judges: tuple[str, ...]
    verdicts: Floats
    metrics: tuple[str, ...]
    metric: Positions
    item: Positions
    cluster: Positions

    @classmethod
    def of(cls, study: Study, metrics: Sequence[str], *, judges: Sequence[str] | None = None) -> SetTable:
        """People's labels on ``metrics``, which share their verdicts, and the verdicts of ``judges``.

        All judges of these metrics by default.
        """
        scale = joined_scale([(name, study.metric(name).scale) for name in metrics])
        ids = [
            study.raters[code].id for code in sorted({j for name in metrics for j in study.judges_of(name)})
        ]
        for judge in judges or ():
            if judge not in ids:
                raise UserError(f"no judge named '{judge}'", expected=f"one of {', '.join(ids) or 'none'}")
        chosen = tuple(ids if judges is None else judges)
        parts = [_of_metric(study, name, scale, chosen) for name in metrics]
        item = np.concatenate([part[2] for part in parts])
        return cls(
            scale,
            np.concatenate([part[0] for part in parts]),
            chosen,
            np.concatenate([part[1] for part in parts], axis=1),
            tuple(metrics),
            np.repeat(np.arange(len(metrics)), [len(part[2]) for part in parts]),
            item,
            study.items.units(item),
        )

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def indeterminate(self) -> NDArray[np.bool_]:
        """Which labels admit several verdicts or stand for another, (V,)."""
        return np.array([label in self.scale.indeterminate for label in self.scale.labels], dtype=np.bool_)

    @property
    def people_give_sets(self) -> bool:
        """Whether any person gave an indeterminate label."""
        return bool(self.counts[:, self.indeterminate].any())

    @property
    def judges_give_sets(self) -> bool:
        """Whether any judge gave an indeterminate label."""
        return bool(self.verdicts[:, :, self.indeterminate].any())

    def take(self, rows: Positions | NDArray[np.bool_]) -> SetTable:
        """The table of ``rows`` only."""
        parts = {name: getattr(self, name)[rows] for name in ("counts", "metric", "item", "cluster")}
        return replace(self, verdicts=self.verdicts[:, rows], **parts)

    def common(self) -> SetTable:
        """The rows on which all judges gave a verdict, since judges can be ranked on the same rows only.

        Where there is none, the judge with the fewest verdicts is left out, and so on.
        """
        given = self.verdicts.sum(axis=2) > 0
        kept = [k for k in range(len(self.judges)) if given[k].any()]
        while kept and not given[kept].all(axis=0).any():
            kept.remove(min(kept, key=lambda k: (int(given[k].sum()), -k)))
        table = replace(self, judges=tuple(self.judges[k] for k in kept), verdicts=self.verdicts[kept])
        return table.take(given[kept].all(axis=0) if kept else np.zeros(len(self), dtype=np.bool_))


def joined_scale(scales: Sequence[tuple[str, Scale]]) -> Scale:
    """One scale for metrics that share their verdicts, with every indeterminate label that any of them has.

    ``scales`` are (metric, scale) pairs; another set of verdicts, or one label that admits different ones,
    is refused.
    """
    name, first = max(scales, key=lambda pair: len(pair[1].verdicts))
    labels = dict.fromkeys(first.labels)
    admits = dict(first.indeterminate)
    for other, scale in scales:
        if not set(scale.verdicts) <= set(first.verdicts):
            raise UserError(
                f"metrics '{name}' and '{other}' have different verdicts", fix="compare judges on each alone"
            )
        for label, admitted in scale.indeterminate.items():
            if set(admits.setdefault(label, admitted)) != set(admitted):
                raise UserError(f"'{label}' admits other verdicts on '{other}' than on '{name}'")
            labels.setdefault(label)
    return replace(first, labels=tuple(labels), indeterminate=admits, values=None, ordered=False)


def _of_metric(
    study: Study, metric: str, scale: Scale, judges: Sequence[str]
) -> tuple[Floats, Floats, Positions]:
    """People's counts (n, V), judges' shares (J, n, V) and items (n,) of one metric, in the joined labels."""
    apart = Policy(KEPT_APART)
    panel = study.panel(metric, policy=apart)
    place = np.array([scale.code(label) for label in study.metric(metric).scale.labels], dtype=np.intp)
    counts = np.zeros((len(panel.items), len(scale.labels)))
    counts[:, place] = panel.coded.counts()
    code = {rater.id: position for position, rater in enumerate(study.raters)}
    verdicts = np.zeros((len(judges), len(panel.items), len(scale.labels)))
    for position, judge in enumerate(judges):
        verdicts[position][:, place] = study.verdicts(metric, code[judge], panel.items, policy=apart).shares
    return counts, verdicts, panel.items
