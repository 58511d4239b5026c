"""Work on a benchmark that takes long: bars on a terminal, and a stop that loses nothing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from voirdire.cli.progress import counted, interrupted

if TYPE_CHECKING:
    from rich.progress import Progress

    from voirdire.bench.running import RunControl
    from voirdire.bench.simulating import Simulated
    from voirdire.judges.limits import Budget
    from voirdire.judges.planning import Plan
    from voirdire.judges.runner import Outcome

__all__ = ["INTERRUPTED", "carried_out", "spending"]

INTERRUPTED = 130
Done = TypeVar("Done")


def spending(money: float, calls: int) -> Budget:
    """A budget of ``money`` and ``calls``, each 0 for no limit."""
    from voirdire.errors import UserError, check_whole
    from voirdire.judges.limits import Budget

    check_whole("--calls", calls, 0, 10**9)
    if not money >= 0:
        raise UserError(f"--budget is {money:g}", expected="an amount of money, or 0 for no limit")
    return Budget(money or None, calls or None)


def carried_out(
    work: Callable[[RunControl], Awaitable[Done]], *, budget: Budget, limit: int = 0, quiet: bool = False
) -> tuple[Done, str]:
    """What ``work`` comes to under a control that shows how far it is, and why it was stopped, if it was.

    Ctrl-C lets turns and calls under way end; a second one leaves at once.
    """
    import asyncio
    import signal

    from rich.progress import TimeElapsedColumn

    from voirdire.bench.running import RunControl
    from voirdire.judges.runner import Stop

    stop = Stop()

    async def controlled(progress: Progress) -> Done:
        loop = asyncio.get_running_loop()
        for name in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(name, interrupted, stop, progress)
        held = progress.add_task("conversations", total=None)
        judged = progress.add_task("verdicts", total=None, visible=False)

        def simulating(done: Simulated) -> None:
            progress.update(held, completed=done.made)

        def judging(plan: Plan, done: Outcome) -> None:
            progress.update(judged, completed=done.made, total=len(plan), visible=True)

        return await work(
            RunControl(limit=limit, budget=budget, stop=stop, simulating=simulating, judging=judging)
        )

    with counted(TimeElapsedColumn(), quiet=quiet) as progress:
        return asyncio.run(controlled(progress)), stop.reason
