"""Serve a study of two items, hand in a label as its rater does, and read it back: does an install do?"""

from __future__ import annotations

import http.cookiejar
import json
import re
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

import voirdire

STUDY = """
tables:
  - {file: items.csv, kind: items}
metrics:
  kind: {rubric: "Is the reply kind?", scale: {labels: [fail, pass]}}
"""
ITEMS = 'item_id,transcript\na,"User: Hi\nAssistant: Hello"\nb,"User: Hi\nAssistant: Go away"\n'


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "study.yaml").write_text(STUDY, encoding="utf-8")
        (folder / "items.csv").write_text(ITEMS, encoding="utf-8")
        program = Path(sys.executable).with_name("voirdire")
        flags = ["--rater", "Ann", "--labels-an-item", "1", "--port", str(free_port())]
        with subprocess.Popen([program, "review", name, *flags], stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            lines = iter(server.stdout.readline, "")
            link = next(found[1] for line in lines if (found := re.match(r"Rater R1 \(Ann\) +(\S+)", line)))
            next(line for line in lines if line.startswith("Serving at"))
            hand_in(link)
            server.send_signal(signal.SIGINT)
            assert server.wait(30) == 0
        study = voirdire.open(folder)
        assert len(study.rows("kind", kind="human")) == 1, study
        print(study)


def hand_in(link: str) -> None:
    """Open a link, accept the protocol and say "pass" of the first item."""
    address, token = link.split("/enter#")
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))

    def asked(path: str, told: object = None, **headers: str) -> str:
        body = told if isinstance(told, bytes) else None if told is None else json.dumps(told).encode()
        kind = "application/x-www-form-urlencoded" if isinstance(told, bytes) else "application/json"
        request = urllib.request.Request(address + path, body, {"content-type": kind, **headers})
        return str(opener.open(request, timeout=30).read().decode())

    assert json.loads(asked("/enter", {"token": token})) == {"next": "/rate/"}
    proof = re.findall(r'name="proof" value="(\w+)"', asked("/rate/"))[0]
    asked("/rate/protocol", f"proof={proof}".encode())
    change = {"answer": {"labels": ["pass"]}, "key": "review-once-1"}
    told = json.loads(asked("/rate/item/1/answer", change, **{"x-csrf-token": proof}))
    assert told["revision"] == 1, told


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


if __name__ == "__main__":
    main()
