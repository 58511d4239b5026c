"""``voirdire judge``: get a judge's verdicts on a study, once each, and keep every reply."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from voirdire.cli import flags
from voirdire.cli.progress import counted, interrupted

if TYPE_CHECKING:
    from rich.progress import Progress

    from voirdire.judges.judge import Judge
    from voirdire.judges.limits import Budget
    from voirdire.judges.panel import Panel
    from voirdire.judges.planning import Plan
    from voirdire.judges.runner import Outcome
    from voirdire.store.sql import Store
    from voirdire.study import Study

__all__ = ["command"]

INTERRUPTED = 130
REASONS = 3
"""Kinds of errors that are shown, the most frequent first."""


def command(
    source: flags.Source,
    judge: Annotated[
        str,
        typer.Option(
            "--judge",
            metavar="FILE",
            help="The judge's YAML file, or local: a small model in the same process.",
            show_default=False,
        ),
    ],
    store: Annotated[
        str,
        typer.Option(
            "--store",
            metavar="URL",
            help="Where verdicts are kept; as study.yaml says, or the study's folder, by default.",
            show_default=False,
        ),
    ] = "",
    metric: Annotated[
        list[str] | None,
        typer.Option("--metric", metavar="NAME", help="Judge this metric only; may be given again."),
    ] = None,
    runs: Annotated[int, typer.Option("--runs", help="How often to judge each item.")] = 1,
    limit: Annotated[int, typer.Option("--limit", help="At most so many verdicts; 0 for all.")] = 0,
    budget: Annotated[
        float, typer.Option("--budget", help="Stop when so much money is spent; 0 for no limit.")
    ] = 0.0,
    calls: Annotated[int, typer.Option("--calls", help="Stop after so many calls; 0 for no limit.")] = 0,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be asked and what is there, and ask nothing.")
    ] = False,
    batch_export: Annotated[
        Path | None,
        typer.Option(
            "--batch-export",
            metavar="FILE",
            help="Write the next requests as a provider's batch, and ask nothing.",
            show_default=False,
        ),
    ] = None,
    batch_import: Annotated[
        Path | None,
        typer.Option(
            "--batch-import",
            metavar="FILE",
            help="Keep a batch's answers and make verdicts of them, and ask nothing.",
            show_default=False,
        ),
    ] = None,
    probe: Annotated[
        str,
        typer.Option(
            "--probe",
            metavar="NAME",
            help="Also judge changed items and say what moves: injection, swap, truncation or variants.",
            show_default=False,
        ),
    ] = "",
    executor: Annotated[
        str,
        typer.Option(
            "--executor", metavar="NAME", help="Where calls are made: here (local), or on a ray cluster."
        ),
    ] = "local",
    quiet: flags.Quiet = False,
) -> None:
    """Ask a judge for its verdicts, each once; Ctrl-C loses nothing, and the next run goes on from there."""
    from voirdire.cli.probing import ask_changed, folder_of
    from voirdire.errors import UserError, check_whole
    from voirdire.judges.limits import Budget
    from voirdire.judges.panel import keep_panel
    from voirdire.judges.planning import left_of, whole_plan
    from voirdire.judges.probing import probed
    from voirdire.opening import open as open_study
    from voirdire.store.beside import open_beside

    check_whole("--runs", runs, 1, 10_000)
    check_whole("--limit", limit, 0, 10**9)
    check_whole("--calls", calls, 0, 10**9)
    if not budget >= 0:
        raise UserError(f"--budget is {budget:g}", expected="an amount of money, or 0 for no limit")
    study = open_study(source)
    judges, metrics, panel = _chosen(judge, study, tuple(metric or ()))
    for one in judges if probe else ():
        probed(one, probe)  # a probe that cannot be is said before anything is paid for
    spending = Budget(budget or None, calls or None)

    def asked(plan: Plan, kept: Store) -> None:
        if dry_run:
            typer.echo(f"{plan.judge.name}: {_dry(plan)}")
            return
        outcome = _run(plan, kept, spending, executor=executor, quiet=quiet)
        if not quiet:
            typer.echo(_summary(plan, outcome))
        if outcome.stopped:
            raise typer.Exit(INTERRUPTED if outcome.stopped == "stopped" else 0)

    with open_beside(source, store) as kept:
        for one in judges:
            whole = whole_plan(study, one, runs=runs, metrics=metrics)
            plan = left_of(whole, kept, limit=limit)
            if batch_export is not None and not dry_run:
                _export(plan, kept, batch_export, several=len(judges) > 1, quiet=quiet)
                continue
            if batch_import is not None and not dry_run:
                plan = _import(plan, kept, batch_import, quiet=quiet)
            asked(plan, kept)
            if probe:
                ask_changed(whole, probe, kept, folder_of(source), limit=limit, quiet=quiet, ask=asked)
        if panel is not None and not dry_run and batch_export is None:
            new = keep_panel(panel, kept)
            if not quiet:
                typer.echo(f"{new:,} verdicts of the panel {panel.name} kept.")


def _chosen(
    judge: str, study: Study, metrics: tuple[str, ...]
) -> tuple[tuple[Judge, ...], tuple[str, ...], Panel | None]:
    """The judges of a file, a panel or the package, the metrics for all of them, and the panel if any."""
    from voirdire.judges.built_in import built_in_judges, is_built_in
    from voirdire.judges.judge import load_judge
    from voirdire.judges.panel import is_panel, load_panel

    if is_built_in(judge):
        return built_in_judges(judge, study, metrics), (), None
    if is_panel(judge):
        panel = load_panel(judge)
        return panel.members, metrics, panel
    return (load_judge(judge),), metrics, None


def _export(plan: Plan, store: Store, path: Path, *, several: bool, quiet: bool) -> None:
    from voirdire.errors import UserError
    from voirdire.judges.batches import export_batch

    if several:
        raise UserError(
            "a batch goes to one judge", where="--batch-export", fix="export each member's file alone"
        )
    count = export_batch(plan, store, path)
    if not quiet:
        typer.echo(f"{count:,} requests of {plan.judge.name} written to {path}.")


def _import(plan: Plan, store: Store, path: Path, *, quiet: bool) -> Plan:
    from voirdire.judges.batches import import_batch

    found = import_batch(plan, store, path)
    if not quiet:
        typer.echo(f"{path}: {found}")
    return found.answered


def _run(plan: Plan, store: Store, budget: Budget, *, executor: str, quiet: bool) -> Outcome:
    import asyncio
    import signal

    from rich.progress import TextColumn, TimeRemainingColumn

    from voirdire.judges.runner import Stop, run_plan

    stop = Stop()

    async def work(progress: Progress) -> Outcome:
        loop = asyncio.get_running_loop()
        for name in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(name, interrupted, stop, progress)
        bar = progress.add_task(plan.judge.name, total=len(plan), spent="")

        def show(outcome: Outcome) -> None:
            spent = f"{outcome.budget.spent:.2f}" if plan.judge.config.price else ""
            progress.update(bar, completed=outcome.made, spent=spent)

        return await run_plan(plan, store, client=executor, budget=budget, stop=stop, progress=show)

    columns = TimeRemainingColumn(), TextColumn("{task.fields[spent]}")
    with counted(*columns, quiet=quiet) as progress:
        return asyncio.run(work(progress))


def _dry(plan: Plan) -> str:
    from voirdire.judges.estimate import estimate

    return str(estimate(plan))


def _summary(plan: Plan, outcome: Outcome) -> str:
    kept = ", ".join(f"{count:,} {status}" for status, count in sorted(outcome.statuses.items()))
    parts = [f"{outcome.made:,} verdicts of {plan.judge.name} kept" + (f" ({kept})" if kept else "")]
    if plan.done:
        parts.append(f"{plan.done:,} were there")
    if outcome.stopped:
        parts.append(f"{len(plan) - outcome.made:,} are left: {outcome.stopped}")
    if plan.judge.config.price:
        parts.append(f"cost {outcome.cost:.4g}")
    said = "; ".join(parts) + "."
    for reason, count in outcome.errors.most_common(REASONS):
        said += f"\n  error, {count:,} times: {reason}" if count > 1 else f"\n  error: {reason}"
    return said
