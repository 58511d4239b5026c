"""What the aligned judge is worth: its gain over base rates, and in human labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from voirdire.align.aligner import Aligner, align
from voirdire.align.options import AlignOptions
from voirdire.checks.context import Context
from voirdire.errors import UserError
from voirdire.gate.cases import chosen
from voirdire.gate.measure import Measured
from voirdire.gate.policy import Rule
from voirdire.registry import register
from voirdire.stats.estimate import undefined

__all__ = ["AlignedGain", "AlignedWorth"]

MOST_ROWS = 4000


def _aligned(context: Context, rule: Rule) -> Iterator[tuple[str, Aligner | str]]:
    """An aligner for each scale among the rule's metrics, or why there is none."""
    judges, metrics = chosen(context, rule)
    rated = [name for name in context.compared() if name in metrics and context.study.judges_of(name)]
    by_scale: dict[tuple[str, ...], list[str]] = {}
    for name in rated:
        by_scale.setdefault(context.study.metric(name).scale.labels, []).append(name)
    for names in by_scale.values():
        options = AlignOptions(
            judges=tuple(context.study.raters[code].id for code in judges),
            metrics=tuple(names),
            repeats=1,
            level=context.options.level,
            most_rows=MOST_ROWS,
            seed=context.options.seed,
        )
        words = ", ".join(context.study.metric(name).label for name in names)
        yield words, context.once(("aligner", options), _Fit(options))


@dataclass(frozen=True)
class _Fit:
    options: AlignOptions

    def __call__(self, context: Context) -> Aligner | str:
        try:
            return align(context.study, self.options)
        except UserError as problem:
            return str(problem)


@register("measure", "aligned_gain")
class AlignedGain:
    """How much better the aligned judge predicts people's labels than base rates by metric, nats a label."""

    is_test: ClassVar[bool] = False

    def __call__(self, context: Context, rule: Rule) -> Iterable[Measured]:
        """One case a scale, over the rule's judges together."""
        for words, found in _aligned(context, rule):
            if isinstance(found, str):
                yield Measured(words, undefined("insufficient_items"), reason=found)
            else:
                yield Measured(words, found.evaluation.gain, n=found.evaluation.design.n_clusters)


@register("measure", "aligned_worth")
class AlignedWorth:
    """How many other people predict one more label as well as the aligned judge does."""

    is_test: ClassVar[bool] = False

    def __call__(self, context: Context, rule: Rule) -> Iterable[Measured]:
        """One case a scale, over the rule's judges together."""
        for words, found in _aligned(context, rule):
            if isinstance(found, str):
                yield Measured(words, undefined("insufficient_items"), reason=found)
            else:
                worth = found.evaluation.power[0].equivalence
                yield Measured(words, worth, n=found.evaluation.design.n_clusters)
