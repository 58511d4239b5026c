"""Opening a benchmark's folder for its pages: what belongs to it as it stands."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sql

from voirdire.bench.aggregate import About, AggregateOptions, results_of
from voirdire.bench.cast import Cast, load_cast
from voirdire.bench.collecting import outcomes_of
from voirdire.bench.contestants import Player
from voirdire.bench.conversation import kept_conversations
from voirdire.bench.judging import judging_plan
from voirdire.bench.labelled import labelled_study
from voirdire.bench.results import Asked
from voirdire.bench.study import study_of
from voirdire.bench.suite import Bench, load_bench
from voirdire.checks.audit import audit
from voirdire.checks.options import AuditOptions
from voirdire.judges.judge import Judge, load_judge
from voirdire.store.beside import open_beside
from voirdire.store.schema import verdicts
from voirdire.store.sql import Store
from voirdire.web.results.shown import Kept, Shown

__all__ = ["open_results"]


def open_results(
    folder: str | Path, *, store: str = "", options: AggregateOptions | None = None, audited: bool = True
) -> Shown:
    """The results of the benchmark in ``folder``, with what is kept behind them; the store stays open.

    Conversations are those of bench.yaml, targets.yaml and user.yaml as they stand, verdicts those of
    judge.yaml on them. With ``audited`` people's labels are audited, where there are any. A benchmark that
    has not been run is a user's error.
    """
    place = Path(folder)
    bench = load_bench(place)
    cast = load_cast(bench, place / "targets.yaml", place / "user.yaml")
    judge = load_judge(place / "judge.yaml")
    opened = open_beside(place, store, create=False)
    try:
        return _shown(bench, cast, judge, opened, options or AggregateOptions(), audited)
    except BaseException:
        opened.close()
        raise


def _shown(
    bench: Bench, cast: Cast, judge: Judge, store: Store, options: AggregateOptions, audited: bool
) -> Shown:
    ids = [part.id for part in cast.parts(bench, unreviewed=True)]
    study = study_of(bench, kept_conversations(store, ids))
    runs = _runs(store, judge)
    plan = judging_plan(bench, study, judge, runs=max(runs, 1), unreviewed=True)
    outcomes = outcomes_of(bench, plan, store)
    people = labelled_study(bench, [(judge.name, outcomes)], store)
    results = results_of(outcomes, _about(bench, cast, judge, runs), options, people=people)
    found = (
        audit(people, AuditOptions(level=options.level, seed=options.seed)) if audited and people else None
    )
    return Shown(results, Kept(bench, store, plan), people, found)


def _runs(store: Store, judge: Judge) -> int:
    """How often the judge was asked on the same transcript."""
    query = sql.select(sql.func.max(verdicts.c.run).label("last")).where(
        verdicts.c.rater_id == judge.name, verdicts.c.judge_version == judge.version
    )
    (row,) = store.rows(query)
    return 0 if row["last"] is None else int(row["last"]) + 1


def _about(bench: Bench, cast: Cast, judge: Judge, runs: int) -> About:
    config = judge.config
    user = cast.user
    return About(
        bench.config.name,
        bench.config.demo,
        Asked(judge.name, config.model, config.family, judge.version, config.recipe or "", runs),
        Player("the simulated user", user.model, user.family),
        tuple(Player(target.system, target.model, target.family) for target in cast.targets),
    )
