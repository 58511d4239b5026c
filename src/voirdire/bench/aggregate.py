"""Aggregating: from outcomes to results, the same whatever the verdicts came from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version

import numpy as np
import sqlalchemy as sql

from voirdire.bench.audited import Audited, audited_rates
from voirdire.bench.cells import judged, layers_of, selections
from voirdire.bench.collecting import outcomes_of
from voirdire.bench.contestants import Contestant, Player, Role, contestants
from voirdire.bench.contrasts import variant_contrasts
from voirdire.bench.conversation import kept_conversations
from voirdire.bench.gaps import directions, gaps
from voirdire.bench.judging import judging_plan
from voirdire.bench.labelled import labelled_study
from voirdire.bench.outcomes import LACKING, Outcomes
from voirdire.bench.ranks import rankings
from voirdire.bench.results import Asked, Results
from voirdire.bench.shares import METHOD, pass_rates
from voirdire.bench.stability import stability, variance_split
from voirdire.bench.study import study_of
from voirdire.bench.suite import Bench
from voirdire.bench.tree import Node, tree_of
from voirdire.errors import UserError, check_share, check_whole
from voirdire.judges.judge import Judge
from voirdire.store.schema import manifests
from voirdire.store.sql import Store
from voirdire.study.study import Study

__all__ = ["About", "AggregateOptions", "about_of", "aggregate", "results_of"]


@dataclass(frozen=True, kw_only=True)
class AggregateOptions:
    """Options of aggregation: the intervals' ``level``, ``draws`` behind ranks, and the ``seed`` of both.

    ``runs`` verdicts of a conversation are read, of which the first counts and all say how stable the judge
    is. With ``unreviewed`` metrics that no review passed have figures of their own.

    >>> AggregateOptions(level=0.9).draws
    4000
    """

    level: float = 0.95
    draws: int = 4000
    seed: int = 20261129
    runs: int = 1
    unreviewed: bool = False

    def __post_init__(self) -> None:
        check_share("level", self.level, 0.5)
        check_whole("draws", self.draws, 100, 1_000_000)
        check_whole("seed", self.seed, 0, 2**63 - 1)
        check_whole("runs", self.runs, 1, 1000)


@dataclass(frozen=True)
class About:
    """What outcomes do not say of themselves: the benchmark's name, who judged, and who played.

    ``systems`` are those under test with their models and families; others are known by name alone.
    """

    name: str
    demo: str = ""
    judge: Asked = field(default_factory=Asked)
    user: Player = field(default_factory=lambda: Player(""))
    systems: tuple[Player, ...] = ()


def results_of(
    outcomes: Outcomes,
    about: About,
    options: AggregateOptions | None = None,
    *,
    other_judges: Sequence[Outcomes] = (),
    people: Study | None = None,
) -> Results:
    """Every figure of ``outcomes``: rates from metric to overall, contrasts, ranks, gaps and variance.

    ``other_judges`` only say how much a judge matters, where they judged the same conversations.
    ``people`` is a study with the verdicts and with people's labels, to correct rates. The same arguments
    give the same results. No conversation at all is a user's error.
    """
    if not len(outcomes):
        raise UserError("no conversation to aggregate", where=about.name, fix="voirdire bench run")
    chosen = options or AggregateOptions()
    level = chosen.level
    nodes, every = tree_of(outcomes.metrics), selections(outcomes)
    layers = layers_of(outcomes, nodes)
    rates = tuple(rate for layer in layers for rate in pass_rates(outcomes, layer, every, level=level))
    found_gaps = tuple(gaps(rates, level=level))
    rng = np.random.default_rng(chosen.seed)
    alike = [one for one in other_judges if one.ids == outcomes.ids]
    known = {player.name: player for player in about.systems}
    systems = tuple(known.get(name, Player(name)) for name in outcomes.systems)
    related = contestants(systems, _measuring(about))
    return Results(
        name=about.name,
        demo=about.demo,
        level=level,
        seed=chosen.seed,
        method=METHOD,
        judge=about.judge,
        user=about.user,
        systems=systems,
        metrics=outcomes.metrics,
        variants=outcomes.variants,
        axes=outcomes.axes,
        nodes=nodes,
        rates=rates,
        contrasts=tuple(variant_contrasts(outcomes, layers, level=level)),
        rankings=tuple(rankings(outcomes, layers[0], every, level=level, draws=chosen.draws, rng=rng)),
        gaps=found_gaps,
        directions=directions(found_gaps),
        variance=variance_split([outcomes, *alike], level=level),
        stability=stability(outcomes, level=level),
        contestants=related,
        audited=_audited(outcomes, nodes, people, chosen),
        counts=_counts(outcomes),
        lacking=_lacking(outcomes),
        notes=(*_notes(outcomes, nodes), *_left_out(len(other_judges) - len(alike)), *_said(related)),
        outcomes=outcomes,
        voirdire=version("voirdire"),
    )


def aggregate(
    bench: Bench,
    store: Store,
    judges: Sequence[Judge],
    options: AggregateOptions | None = None,
    *,
    ids: Sequence[str] | None = None,
    study: Study | None = None,
) -> Results:
    """The results of what ``store`` keeps of ``bench``, by the verdicts of the first of ``judges``.

    ``ids`` name the conversations that belong to a run, all that are kept where None; ``study`` is theirs,
    where :func:`~voirdire.bench.study.study_of` has made it already. Nothing is played and nobody is asked:
    what is missing is counted. People's labels in the store correct the rates.
    """
    if not judges:
        raise UserError("no judge", fix="name one: --judge judge.yaml")
    chosen = options or AggregateOptions()
    study = study or study_of(bench, kept_conversations(store, ids))
    told = []
    for judge in judges:
        plan = judging_plan(bench, study, judge, runs=chosen.runs, unreviewed=chosen.unreviewed)
        told.append((judge.name, outcomes_of(bench, plan, store)))
    (_, first), *others = told
    return results_of(
        first,
        about_of(bench, store, judges[0], runs=chosen.runs),
        chosen,
        other_judges=[outcomes for _, outcomes in others],
        people=labelled_study(bench, told, store),
    )


def about_of(bench: Bench, store: Store, judge: Judge, *, runs: int = 1) -> About:
    """Who judged, as its file says, and who played, as the newest simulation in ``store`` says."""
    config = judge.config
    asked = Asked(config.judge, config.model, config.family, judge.version, config.recipe, runs)
    rows = store.rows(sql.select(manifests).where(manifests.c.kind == "simulation"))
    played = max(rows, key=lambda row: row["created_at"])["document"] if rows else {}
    user, targets = played.get("user", {}), played.get("targets", [])
    return About(
        bench.config.name,
        bench.config.demo,
        asked,
        Player(user.get("user", ""), user.get("model", ""), user.get("family", "")),
        tuple(Player(one["system"], one["model"], one["family"]) for one in targets),
    )


def _audited(
    outcomes: Outcomes, nodes: Sequence[Node], people: Study | None, options: AggregateOptions
) -> Audited:
    if people is None:
        return Audited()
    return audited_rates(people, outcomes.metrics, nodes, level=options.level, seed=options.seed)


def _measuring(about: About) -> list[tuple[Role, Player]]:
    """The models that take part in measuring; a script is none."""
    judge = Player(about.judge.name, about.judge.model, about.judge.family)
    every: list[tuple[Role, Player]] = [("judge", judge), ("simulated user", about.user)]
    return [(role, player) for role, player in every if player.model]


def _counts(outcomes: Outcomes) -> dict[str, int]:
    metrics = outcomes.metrics
    there = judged(outcomes)
    return {
        "conversations": len(outcomes),
        "judged": int(there.sum()),
        "missing": int((~there).sum()),
        "no_occasion": int((outcomes.opportunity == 0).sum()),
        "faulty": int(outcomes.faulty.sum()),
        "metrics": len(metrics),
        "positive_metrics": sum(metric.polarity == "positive" for metric in metrics),
        "negative_metrics": sum(metric.polarity == "negative" for metric in metrics),
        "counted_metrics": sum(metric.counts for metric in metrics),
        "benchmarks": len({metric.benchmark for metric in metrics}),
        "scenarios": len(np.unique(outcomes.metric.astype(np.int64) * 2**31 + outcomes.scenario)),
        "systems": len(outcomes.systems),
        "variants": len(outcomes.variants),
        "repeats": len(np.unique(outcomes.repeat)),
        "judge_runs": outcomes.runs.shape[1],
    }


def _lacking(outcomes: Outcomes) -> dict[str, int]:
    given = Counter(outcomes.lacking.tolist())
    return {name: given[code] for code, name in enumerate(LACKING) if code and given[code]}


def _notes(outcomes: Outcomes, nodes: Sequence[Node]) -> list[str]:
    root = nodes[0]
    notes = ["A rate is the share of conversations with a verdict, each conversation weighing the same."]
    rows = np.isin(outcomes.metric, root.metrics)
    positive = int((outcomes.polarity[rows] == 1).sum())
    negative = int(rows.sum()) - positive
    if positive and negative:
        notes.append(
            f"Both kinds together are weighed by conversations: {positive:,} on positive metrics and "
            f"{negative:,} on negative ones."
        )
    if root.waiting:
        notes.append(
            f"{len(root.waiting):,} of {len(outcomes.metrics):,} metrics have no passed review of their "
            "present version and stand in no figure above their own."
        )
    unheld = len(root.metrics) - len(np.unique(outcomes.metric[rows]))
    if unheld:
        notes.append(
            f"{unheld:,} of {len(root.metrics):,} metrics that count have no conversation that this judge "
            "was asked about, and stand in no figure."
        )
    lacking = _lacking(outcomes)
    if lacking:
        said = ", ".join(f"{count:,} {name}" for name, count in lacking.items())
        notes.append(f"Without a verdict: {said}; they leave the denominator.")
    return notes


def _said(related: Sequence[Contestant]) -> list[str]:
    return [f"◆ {one.system} and the {one.role} are related: {one.relation}." for one in related]


def _left_out(judges: int) -> list[str]:
    """What is said of further judges that were asked about other conversations."""
    if not judges:
        return []
    what = "1 further judge was" if judges == 1 else f"{judges:,} further judges were"
    return [f"{what} asked about other conversations, and is in no split of variance."]
