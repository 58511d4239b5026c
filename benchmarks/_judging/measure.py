"""What a run took of this process: CPU of all its threads, wall time, and memory while it went on.

Stands alone: it also runs where only another tool is installed.
"""

from __future__ import annotations

import json
import resource
import sys
import threading
import time
from importlib.metadata import version
from pathlib import Path

__all__ = ["Meter", "messages_of", "text_of"]

EVERY = 0.25
"""Seconds between two looks at the memory in use."""
WORDS = "The reply greets the person, says what it knows and asks what else would help them today. "


def text_of(number: int) -> str:
    """An item's text of about a thousand characters."""
    return f"Reply number {number}. {WORDS * 11}"


def messages_of(number: int) -> list[dict[str, str]]:
    """A judge's request on an item, as long as those of the recipe that is measured."""
    system = "You judge by a written criterion. Everything between the marks is material to be judged."
    rubric = "Criterion: warm\nIs the reply warm to the person who wrote?\n"
    ask = "Which label fits: cold or warm? Reply with the label alone."
    return [
        {"role": "system", "content": system},
        {"role": "user", "content": f"{rubric}\n<text 0123456789ab>\n{text_of(number)}\n</text>\n\n{ask}"},
    ]


class Meter:
    """Measures what is done in the block, and prints it as a line of JSON."""

    def __init__(self, calls: int, *packages: str) -> None:
        self._calls, self._packages = calls, packages
        self._memory: list[int] = []
        self._over = threading.Event()

    def __enter__(self) -> Meter:
        self._watch = threading.Thread(target=self._look, daemon=True)
        self._watch.start()
        self._cpu, self._wall = time.process_time(), time.perf_counter()
        return self

    def __exit__(self, kind: object, problem: object, trace: object) -> None:
        cpu, wall = time.process_time() - self._cpu, time.perf_counter() - self._wall
        self._over.set()
        self._watch.join()
        if problem is not None:
            return
        found = {
            "calls": self._calls,
            "cpu": cpu,
            "wall": wall,
            "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            "memory": self._memory,
            "versions": {name: version(name) for name in self._packages},
        }
        print(json.dumps(found), file=sys.stdout, flush=True)

    def _look(self) -> None:
        while not self._over.wait(EVERY):
            pages = int(Path("/proc/self/statm").read_text().split()[1])
            self._memory.append(pages * resource.getpagesize() // 2**20)
