"""Filling in what a diff of two runs lacks: the first run with one cause swapped, held and judged."""

from __future__ import annotations

import asyncio

from voirdire.bench.causes import SWAPPED, Lacking, Mixed, Mixture
from voirdire.bench.manifest import run_called
from voirdire.bench.running import RunControl, judge_left
from voirdire.bench.simulating import Control, simulate
from voirdire.errors import UserError
from voirdire.store.sql import Store

__all__ = ["fill_diff"]


async def fill_diff(
    store: Store, first: str, second: str, *, control: RunControl | None = None
) -> tuple[str, ...]:
    """Hold and judge what :func:`~voirdire.bench.diff.diff_runs` lacks, and say for which causes.

    The conversations and verdicts are kept like any others, and belong to no run. It can be stopped and goes
    on where it stopped. A mixture that cannot be played is left out.
    """
    control = control or RunControl()
    one, other = run_called(store, first), run_called(store, second)
    mixed = Mixed(store, one, other)
    filled = []
    for cause in SWAPPED:
        if one.parts[cause] == other.parts[cause] or not isinstance(mixed.with_one(cause), Lacking):
            continue
        try:
            mixture = mixed.mixture(cause)
        except UserError:  # the diff says why
            continue
        await _filled(mixture, store, control)
        if control.stop.asked:
            break
        filled.append(cause)
    return tuple(filled)


async def _filled(mixture: Mixture, store: Store, control: RunControl) -> None:
    if mixture.cast.targets:
        told = Control(
            budget=control.budget, stop=control.stop, progress=control.simulating, clients=control.clients
        )
        unreviewed = mixture.options.unreviewed
        await simulate(mixture.bench, store, mixture.cast, unreviewed=unreviewed, control=told)
    if not control.stop.asked:
        await judge_left(await asyncio.to_thread(mixture.plan, store), store, control)
