"""How many human labels a judge is worth, for the headline table of an audit that aligned it."""

from __future__ import annotations

from collections.abc import Mapping

from voirdire.checks.audit import Audit, StandIn
from voirdire.checks.finding import Cell, Missing
from voirdire.report import wording

__all__ = ["worth"]


def worth(audit: Audit, entry: StandIn) -> Cell:
    """What the alignment found for the entry's metrics; the second line says what it is pooled over."""
    finding = audit.finding("alignment")
    if finding is None:
        return None
    for names, found in finding.data.items():
        pooled = [metric.name for metric in audit.study.metrics if _among(metric.name, names)]
        if set(entry.metrics) <= set(pooled) and isinstance(found, Mapping):
            return _words(str(found["worth"]), _pooled(audit, entry, len(pooled)))
    return Missing("not measurable", "not aligned: too few labels or no verdicts")


def _words(said: str, pooled: list[str]) -> Cell:
    value, bracket, rest = said.partition(" [")
    if not bracket:
        word, _, reason = said.partition(" (")
        if reason:
            return Missing(word, reason.removesuffix(")"))
    interval = [f"[{rest}".replace(" ", wording.NBSP)] if bracket else []
    second = ", ".join([*interval, *pooled])
    return f"{value}\n{second}" if second else value


def _pooled(audit: Audit, entry: StandIn, metrics: int) -> list[str]:
    judges = len({other.judge for other in audit.stand_in if other.judge})
    said = [f"{wording.count(judges)} judges together"] if judges > 1 else []
    return said + ([f"{wording.count(metrics)} metrics together"] if metrics > len(entry.metrics) else [])


def _among(name: str, names: str) -> bool:
    """Whether ``names``, a list in words, has ``name``."""
    return f", {name}, " in f", {names}, "
