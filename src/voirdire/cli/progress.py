"""Progress of long work: one line on standard error, on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

    from voirdire.judges.runner import Stop

__all__ = ["counted", "interrupted", "steps"]


@contextmanager
def steps(*, quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """Give a function that says what is done now; it is silent where nobody watches."""
    if quiet or not sys.stderr.isatty():
        yield lambda text: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("Starting", total=None)
        yield lambda text: progress.update(task, description=text)


def counted(*last: ProgressColumn, quiet: bool = False) -> Progress:
    """Bars that say how many of how many are done, then the columns ``last``; to be used with ``with``."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        *last,
        console=console,
        disable=quiet or not console.is_terminal,
        transient=True,
    )


def interrupted(stop: Stop, progress: Progress) -> None:
    """What Ctrl-C does: the first time it asks for a stop, the second time it leaves at once."""
    if stop.asked:
        raise KeyboardInterrupt
    stop()
    progress.console.print("Stopping: what is under way is finished and kept. Ctrl-C again to leave at once.")
