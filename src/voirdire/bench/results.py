"""Results of a judged benchmark: every figure that a site, a label card or a reader of JSON needs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from typing import Any

from voirdire.align.plain import plain
from voirdire.bench.audited import Audited
from voirdire.bench.cells import ALL, ALL_VARIANTS, Kind
from voirdire.bench.contestants import Contestant, Player
from voirdire.bench.contrasts import VariantContrast
from voirdire.bench.gaps import Direction, Gap
from voirdire.bench.outcomes import Outcomes, Rated
from voirdire.bench.ranks import Ranking
from voirdire.bench.shares import PassRate
from voirdire.bench.stability import Stability, VarianceSplit
from voirdire.bench.tree import OVERALL, Node
from voirdire.decide.lines import aligned, folded
from voirdire.errors import UserError
from voirdire.stats.estimate import Estimate

__all__ = ["LIMITATIONS", "SCHEMA", "Asked", "Results"]

SCHEMA = "voirdire-bench/1"
LIMITATIONS = ("Stress-test rates are not prevalence.", "Behaviours are not outcomes.")
PLAIN = (int, str, bool, type(None))
LEAN = ("value", "low", "high", "n_items", "n_clusters", "undefined", "no_interval")
"""What JSON keeps of an estimate; level, method and target are the same throughout."""


@dataclass(frozen=True)
class Asked:
    """The judge behind the verdicts; all empty where verdicts came from elsewhere."""

    name: str = ""
    model: str = ""
    family: str = ""
    version: str = ""
    recipe: str = ""
    runs: int = 1


@dataclass(frozen=True, eq=False)
class Results:
    """Everything computed from ``outcomes``; figures above metrics are of those that count alone.

    ``rates`` are by node, kind, system and variants; ``contrasts`` compare matched variants, ``rankings``
    order systems, ``gaps`` and ``directions`` set what is wanted beside what is not. ``variance`` says where
    verdicts vary and ``stability`` how a judge asked again agrees with itself. ``audited`` is what people's
    labels say. ``lacking`` counts conversations without a verdict by reason, ``counts`` everything else.
    ``axes`` says of each variant the value on every axis. ``method`` names the interval of the rates.
    """

    name: str
    demo: str
    level: float
    seed: int
    method: str
    judge: Asked
    user: Player
    systems: tuple[Player, ...]
    metrics: tuple[Rated, ...]
    variants: tuple[str, ...]
    axes: tuple[Mapping[str, str], ...]
    nodes: tuple[Node, ...]
    rates: tuple[PassRate, ...]
    contrasts: tuple[VariantContrast, ...]
    rankings: tuple[Ranking, ...]
    gaps: tuple[Gap, ...]
    directions: tuple[Direction, ...]
    variance: tuple[VarianceSplit, ...]
    stability: tuple[Stability, ...]
    contestants: tuple[Contestant, ...]
    audited: Audited
    counts: Mapping[str, int]
    lacking: Mapping[str, int]
    notes: tuple[str, ...]
    outcomes: Outcomes
    voirdire: str = ""

    def rate(
        self, node: str = OVERALL, kind: Kind = "both", *, system: str = ALL, variant: str = ALL_VARIANTS
    ) -> PassRate | None:
        """The rate of one cell, None where it has no conversation; an unknown name is a user's error."""
        self._known(node, system, variant)
        return self._rates.get((node, kind, system, variant))

    def ranking(self, kind: Kind, *, node: str = OVERALL, variant: str = ALL_VARIANTS) -> Ranking | None:
        """The order of systems in one cell, None below two systems."""
        self._known(node, ALL, variant)
        return self._rankings.get((node, kind, variant))

    def gap(self, node: str = OVERALL, *, system: str = ALL, variant: str = ALL_VARIANTS) -> Gap | None:
        """The positive share minus the negative one, None where a node lacks one of the kinds."""
        self._known(node, system, variant)
        return self._gaps.get((node, system, variant))

    def node(self, *path: str) -> Node:
        """The node at ``path``: area, subarea, benchmark, metric; all of it where no name is given."""
        if path not in self._paths:
            raise UserError(f"no node {' > '.join(path)}", expected="area, subarea, benchmark and metric")
        return self._paths[path]

    def to_dict(self) -> dict[str, Any]:
        """Everything but the conversations themselves, as the published schema has it."""
        said: dict[str, Any] = {
            field.name: _lean(getattr(self, field.name)) for field in fields(self) if field.name != "outcomes"
        }
        return {"schema": SCHEMA, **said, "limitations": list(LIMITATIONS)}

    def __str__(self) -> str:
        return "\n".join(
            [*_headline(self), *(line for note in (*self.notes, *LIMITATIONS) for line in folded(note))]
        )

    def _known(self, node: str, system: str, variant: str) -> None:
        known = {
            "node": (node, self._ids),
            "system": (system, {ALL, *(one.name for one in self.systems)}),
            "variant": (variant, self._selections),
        }
        for what, (name, names) in known.items():
            if name not in names:
                raise UserError(f"no {what} '{name}'", expected=f"one of {', '.join(sorted(names)[:20])}")

    @cached_property
    def _ids(self) -> set[str]:
        return {node.id for node in self.nodes}

    @cached_property
    def _selections(self) -> set[str]:
        return {ALL_VARIANTS, *(rate.variant for rate in self.rates)}

    @cached_property
    def _paths(self) -> dict[tuple[str, ...], Node]:
        return {node.path: node for node in self.nodes}

    @cached_property
    def _rates(self) -> dict[tuple[str, str, str, str], PassRate]:
        return {(one.node, one.kind, one.system, one.variant): one for one in self.rates}

    @cached_property
    def _rankings(self) -> dict[tuple[str, str, str], Ranking]:
        return {(one.node, one.kind, one.variant): one for one in self.rankings}

    @cached_property
    def _gaps(self) -> dict[tuple[str, str, str], Gap]:
        return {(one.node, one.system, one.variant): one for one in self.gaps}


def _lean(value: Any) -> Any:
    """Plain data, estimates cut down to what differs; quick, for there may be a hundred thousand."""
    kind = type(value)
    if kind is float:
        return value if math.isfinite(value) else plain(value)
    if kind in PLAIN:
        return value
    if kind is Estimate:
        return {name: _lean(getattr(value, name)) for name in LEAN}
    if is_dataclass(kind):
        return {name: _lean(getattr(value, name)) for name in kind.__dataclass_fields__}
    if isinstance(value, Mapping):
        return {name: _lean(item) for name, item in value.items()}
    if isinstance(value, tuple):
        return [_lean(item) for item in value]
    return plain(value)


def _headline(results: Results) -> Iterator[str]:
    """The leaderboard as a table, and what is missing from it."""
    kinds: list[Kind] = [kind for kind in ("positive", "negative") if results.rate(OVERALL, kind)]
    if not kinds:
        yield "No metric counts yet: none has a passed review of its present version."
        return
    ranking = results.ranking("both") or next((one for kind in kinds if (one := results.ranking(kind))), None)
    order = [one.system for one in ranking.systems] if ranking else [one.name for one in results.systems]
    rows = [["system", "rank", *(f"{kind} (%)" for kind in kinds), "judged", "missing"]]
    held = {one.system: one.rank for one in ranking.systems} if ranking else {}
    for system in (*order, ALL):
        rates = [results.rate(OVERALL, kind, system=system) for kind in kinds]
        rank = held.get(system)
        rows.append(
            [
                system,
                "" if rank is None else f"{rank.low}-{rank.high}",
                *("none" if rate is None else _percent(rate.share) for rate in rates),
                f"{sum(rate.judged for rate in rates if rate):,}",
                f"{sum(rate.missing for rate in rates if rate):,}",
            ]
        )
    yield from aligned(rows, numbers=range(2, len(rows[0])))
    if results.audited.rates:
        yield "Judge's rates; what people would say of them stands under `audited`."
    else:
        yield f"Judge's rates, not corrected: {results.audited.why}."


def _percent(share: Estimate) -> str:
    if share.undefined is not None:
        return "undefined"
    value = f"{100 * share.value:.1f}"
    return f"{value} [{100 * share.low:.1f}, {100 * share.high:.1f}]" if share.has_interval else value
