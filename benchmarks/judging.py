"""What judging takes: CPU a call beside the bare client and other tools, and memory over many verdicts.

Run ``python benchmarks/judging.py``. A local endpoint in a process of its own answers after 50 ms; every
contender asks it as often, 32 calls at a time, in a process of its own, and in turns, so that a busy machine
disturbs all alike. voirdire's part runs from the plan to committed replies and verdicts. The other tools get
virtual environments of their own in a cache folder (``--cache``), made with pip on the first run; ``--alone``
leaves them out. Of each the round with the least CPU counts. Leaves with 1 where a limit is broken.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent / "_judging"
CACHE = Path.home() / ".cache" / "voirdire-benchmarks"
DELAY, CONCURRENCY = 0.05, 32
MOST_OF_BARE = 1.5
QUIET = "deepeval, quiet"
TOOLS = {"inspect_ai": ("inspect_run.py", 2.5), "deepeval": ("deepeval_run.py", 7.0)}
"""Each tool's script, and how many times voirdire's CPU it is expected to take at least."""
VERDICTS, METRICS, AT_ONCE, MEGABYTES = 48_540, 60, 64, 400
FLAT = 1.05
"""Memory at the end over that after the first third."""


@contextmanager
def endpoint() -> Iterator[str]:
    """The address of an endpoint that runs while in the block."""
    arguments = [sys.executable, str(HERE / "server.py"), str(DELAY)]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}"
        finally:
            server.terminate()


def environment(tool: str, cache: Path) -> Path:
    """The Python of an environment in which ``tool`` is installed."""
    folder = cache / tool
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        print(f"installing {tool} into {folder}", file=sys.stderr)
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", tool, "openai"], check=True)
        (folder / "ready").touch()
    return python


def run(python: str | Path, script: str, url: str, *numbers: int) -> dict[str, Any]:
    """What one contender's process took."""
    arguments = [str(python), str(HERE / script), url, *map(str, numbers)]
    done = subprocess.run(arguments, check=False, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{script} failed:\n{done.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def contenders(options: argparse.Namespace) -> dict[str, tuple[Any, ...]]:
    """Who is measured, by name: a Python, a script and its further numbers.

    deepeval shows its progress by default, which takes more the longer it goes on: it is measured both ways.
    """
    who: dict[str, tuple[Any, ...]] = {
        "bare AsyncOpenAI": (sys.executable, "bare.py"),
        "voirdire": (sys.executable, "ours.py"),
    }
    if not options.alone:
        who |= {tool: (environment(tool, options.cache), script) for tool, (script, _) in TOOLS.items()}
        who[QUIET] = (*who["deepeval"], 1)
    return who


def speed(url: str, options: argparse.Namespace) -> bool:
    """CPU a call of everybody; whether every limit holds."""
    who = contenders(options)
    best: dict[str, dict[str, Any]] = {}
    for _ in range(options.rounds):
        for name, (python, script, *numbers) in who.items():
            found = run(python, script, url, options.calls, CONCURRENCY, *numbers)
            if name not in best or found["cpu"] < best[name]["cpu"]:
                best[name] = found
    ours = best["voirdire"]["cpu"]
    best_of = f"the best of {options.rounds}"
    print(f"{options.calls:,} calls of {1000 * DELAY:.0f} ms, {CONCURRENCY} at a time; {best_of}")
    print(f"{'':18}{'CPU a call':>12}{'of voirdire':>13}{'wall':>9}{'peak':>9}  versions")
    for name, found in best.items():
        versions = ", ".join(f"{package} {number}" for package, number in found["versions"].items())
        print(
            f"{name:18}{1000 * found['cpu'] / found['calls']:9.2f} ms{found['cpu'] / ours:12.2f}x"
            f"{found['wall']:7.1f} s{found['peak']:6.0f} MB  {versions}"
        )
    bare = ours / best["bare AsyncOpenAI"]["cpu"]
    held = [
        _said(
            f"voirdire takes {bare:.2f} times the bare loop's CPU, at most {MOST_OF_BARE}",
            bare <= MOST_OF_BARE,
        )
    ]
    for tool, (_, least) in TOOLS.items():
        if tool in best:
            times = best[tool]["cpu"] / ours
            held.append(
                _said(f"{tool} takes {times:.1f} times voirdire's CPU, at least {least}", times >= least)
            )
    return all(held)


def memory(url: str, verdicts: int) -> bool:
    """Memory of many verdicts in one run; whether it is little and flat."""
    found = run(sys.executable, "ours.py", url, verdicts, AT_ONCE, METRICS)
    seen = found["memory"]
    third = len(seen) // 3
    early, late = statistics.median(seen[third : 2 * third]), statistics.median(seen[-max(third // 2, 1) :])
    print(
        f"\n{found['calls']:,} verdicts, {AT_ONCE} at a time: {found['wall']:.0f} s, {found['cpu']:.0f} s of "
        f"CPU, {found['calls'] / found['wall']:.0f} a second"
    )
    held = _said(f"at most {found['peak']:.0f} MB, allowed {MEGABYTES}", found["peak"] <= MEGABYTES)
    steps = ", ".join(f"{seen[k * (len(seen) - 1) // 8]}" for k in range(9))
    return _said(f"memory over the run in MB: {steps}", late <= FLAT * early) and held


def _said(sentence: str, held: bool) -> bool:
    print(f"{sentence}: {'within' if held else 'BROKEN'}")
    return held


def main() -> int:
    """Measure, print and compare with the limits."""
    parser = argparse.ArgumentParser(description="What judging takes.")
    parser.add_argument("--calls", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--verdicts", type=int, default=VERDICTS, help="for memory; 0 leaves it out")
    parser.add_argument("--cache", type=Path, default=CACHE)
    parser.add_argument("--alone", action="store_true", help="without the other tools")
    options = parser.parse_args()
    with endpoint() as url:
        held = [speed(url, options)] if options.rounds else []
        held += [memory(url, options.verdicts)] if options.verdicts else []
    return int(not all(held))


if __name__ == "__main__":
    sys.exit(main())
