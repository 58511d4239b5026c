"""The server as a process of its own, to be killed, and a crowd of raters in another."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from web.crowd import Crowd

SERVE = """
import sys
from voirdire.review.desk import open_desk
from voirdire.web.serve import serve
from voirdire.web.site import Site
log = open(sys.argv[4], "a", buffering=1)
desk, site = open_desk(sys.argv[1], sys.argv[2]), Site(port=int(sys.argv[3]))
serve(desk, site, log=lambda line: print(line, file=log))
"""
STARTING = 30.0


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


@dataclass
class Server:
    """``voirdire``'s server of the study in ``folder``, with its store at ``store`` or beside it."""

    folder: Path
    store: str = ""
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def log(self) -> Path:
        return self.folder / "server.log"

    def start(self) -> None:
        """Start the process and wait until it answers."""
        command = [sys.executable, "-c", SERVE, str(self.folder), self.store, str(self.port), str(self.log)]
        self.process = subprocess.Popen(command)
        last = time.monotonic() + STARTING
        while not self.answers():
            assert self.process.poll() is None, "the server has ended"
            assert time.monotonic() < last, "the server does not answer"
            time.sleep(0.05)

    def answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=5) as reply:
                return bool(reply.status == 200)
        except OSError:
            return False

    def kill(self) -> None:
        """End it at once, as a loss of power would."""
        self._end(signal.SIGKILL)

    def interrupt(self) -> int:
        """End it as Ctrl-C does, and return its exit code."""
        return self._end(signal.SIGINT)

    def _end(self, how: signal.Signals) -> int:
        assert self.process is not None
        self.process.send_signal(how)
        return self.process.wait(STARTING)

    def __enter__(self) -> Server:
        self.start()
        return self

    def __exit__(self, *problem: object) -> None:
        if self.process is not None and self.process.poll() is None:
            self.kill()


def run_crowd(crowd: Crowd, at: dict[int, Callable[[], None]] | None = None) -> list[dict[str, Any]]:
    """What each rater of ``crowd`` got acknowledged; ``at`` says what to do when so many labels are."""
    waiting = dict(sorted((at or {}).items()))
    command = [sys.executable, str(Path(__file__).with_name("crowd.py"))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(asdict(crowd)) + "\n")
        process.stdin.flush()
        told: list[dict[str, Any]] = []
        for line in process.stdout:
            found = json.loads(line)
            if isinstance(found, list):
                told = found
            while waiting and isinstance(found, int) and found >= next(iter(waiting)):
                waiting.pop(next(iter(waiting)))()
    assert process.returncode == 0, "a rater was refused"
    assert not waiting, f"not reached: {list(waiting)}"
    return told
