"""How much worse a saved aligner predicts people's labels than it did when it was fitted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from voirdire.align.aligner import Aligner
from voirdire.checks.context import Context
from voirdire.decide.drift import DriftOptions, drift
from voirdire.errors import UserError
from voirdire.gate.measure import Measured
from voirdire.gate.policy import Rule
from voirdire.registry import register

__all__ = ["DriftChange"]

KNOWN = ("aligner", "since")


@register("measure", "drift")
class DriftChange:
    """By how many nats a saved aligner's log score on new human labels is worse than at fitting.

    The rule's options name the ``aligner`` (a file of ``voirdire align``) and may say ``since`` which time
    labels count. The interval holds however often the gate is run.
    """

    is_test: ClassVar[bool] = False

    def __call__(self, context: Context, rule: Rule) -> Iterable[Measured]:
        """One case, over the aligner's metrics together."""
        where = f"rule on {rule.measure}"
        unknown = [name for name in rule.options if name not in KNOWN]
        if unknown:
            raise UserError(f"no option '{unknown[0]}'", where=where, expected=" or ".join(KNOWN))
        if rule.judges or rule.metrics or rule.systems:
            raise UserError("a choice of judges or metrics", where=where, expected="the aligner's own")
        path = rule.options.get("aligner")
        if not isinstance(path, str) or not path:
            raise UserError("no aligner", where=where, fix="options: {aligner: judge.json}")
        since = str(rule.options.get("since", ""))
        tolerance = 0.0 if rule.at_most is None else max(rule.at_most, 0.0)
        options = DriftOptions(tolerance=tolerance, level=context.options.level, since=since)
        found = drift(Aligner.load(path), context.study, options)
        yield Measured(
            ", ".join(found.metrics),
            found.change,
            reason="; ".join(found.notes),
            n=found.change.n_clusters or 0,
            unit="items with new labels",
        )
