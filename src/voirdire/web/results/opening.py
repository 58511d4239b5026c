"""Opening a run of a benchmark for its pages: its conversations, verdicts and what people said of them."""

from __future__ import annotations

from pathlib import Path

from voirdire.bench.kept import kept_of
from voirdire.bench.labelled import labelled_study
from voirdire.bench.manifest import run_called
from voirdire.bench.running import plans_of, results_of_run
from voirdire.checks.audit import audit
from voirdire.checks.options import AuditOptions
from voirdire.store.sql import Store
from voirdire.web.results.shown import Kept, Shown

__all__ = ["open_results"]


def open_results(folder: str | Path, *, run: str = "last", store: str = "", audited: bool = True) -> Shown:
    """The results of the run called ``run`` of the benchmark in ``folder``; its store stays open.

    Figures follow the run's first judge. With ``audited`` people's labels are audited, where there are any. A
    benchmark that was not run, and a run that is not there, are users' errors.
    """
    opened = kept_of(folder, store)
    try:
        return _shown(run, opened, audited)
    except BaseException:
        opened.close()
        raise


def _shown(name: str, store: Store, audited: bool) -> Shown:
    run = run_called(store, name)
    plans = plans_of(run, store)
    results = results_of_run(run, store, plans)
    people = labelled_study(run.bench, [(plans[0].judge.name, results.outcomes)], store)
    options = AuditOptions(level=run.options.level, seed=run.options.seed)
    found = audit(people, options) if audited and people is not None else None
    return Shown(results, Kept(run.bench, store, plans[0]), run, people, found)
