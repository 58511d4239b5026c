"""Time and memory of reading and writing exports of labelling tools.

    python benchmarks/labelling_tools.py [--megabytes 40]

Makes an export of each tool, of five people on three metrics, and prints its size, the ratings in it, seconds
of processor time and the peak of memory of a process that opens it, and of one that also exports it again.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

METRICS = ("warmth", "candor", "safety")
PEOPLE = 5
WORDS = 120
VOCABULARY = "the quick brown fox jumps over a lazy dog and says so".split()  # noqa: SIM905
Record = dict[str, Any]

MEASURED = """
import resource, sys, tempfile, time, voirdire
began = time.process_time()
study = voirdire.open(sys.argv[1])
if sys.argv[2]:
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/tasks" + (".json" if sys.argv[2] == "label-studio" else "")
        voirdire.export(study, path, voirdire.ExportOptions(to=sys.argv[2]))
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(f"{len(study.ratings):,} ratings, {time.process_time() - began:.1f} s, {peak:.0f} MB")
"""


def text() -> str:
    return " ".join(random.choices(VOCABULARY, k=WORDS))


def task(number: int) -> Record:
    """A task of Label Studio's."""
    annotations = [
        {
            "id": number * PEOPLE + person,
            "completed_by": {"id": person, "email": f"person{person}@example.org"},
            "was_cancelled": random.random() < 0.05,
            "created_at": "2026-01-01T00:00:00Z",
            "lead_time": 4.2,
            "result": [
                {
                    "id": "r1",
                    "from_name": metric,
                    "to_name": "text",
                    "type": "choices",
                    "value": {"choices": [random.choice(("pass", "fail"))]},
                }
                for metric in METRICS
            ],
        }
        for person in range(PEOPLE)
    ]
    return {"id": number, "data": {"text": text(), "topic": "grief"}, "annotations": annotations}


def record(number: int) -> Record:
    """A record of Argilla's."""
    responses = {
        metric: [
            {"value": random.choice(("pass", "fail")), "user_id": f"person {person}", "status": "submitted"}
            for person in range(PEOPLE)
        ]
        for metric in METRICS
    }
    parts: Record = {"metadata": {"topic": "grief"}, "suggestions": {}, "vectors": {}}
    return {"id": str(number), "fields": {"text": text()}, "responses": responses, **parts}


def asset(number: int) -> Record:
    """An asset of Kili's."""
    labels = [
        {
            "author": {"id": f"u{person}", "email": f"person{person}@example.org"},
            "labelType": "DEFAULT",
            "isLatestLabelForUser": True,
            "jsonResponse": {
                metric: {"categories": [{"name": random.choice(("PASS", "FAIL"))}]} for metric in METRICS
            },
        }
        for person in range(PEOPLE)
    ]
    return {"externalId": f"a{number}", "content": text(), "labels": labels}


TOOLS: dict[str, tuple[Callable[[int], Record], str]] = {
    "Label Studio": (task, "label-studio"),
    "Argilla": (record, "argilla"),
    "Kili": (asset, ""),
}


def write(path: Path, make: Callable[[int], Record], size: int) -> None:
    """An export of at least ``size`` bytes."""
    with path.open("w", encoding="utf-8") as file:
        written = file.write("[")
        number = 0
        while written < size:
            number += 1
            written += file.write((",\n" if number > 1 else "\n") + json.dumps(make(number)))
        file.write("\n]\n")


def measured(path: Path, to: str) -> str:
    command = [sys.executable, "-c", MEASURED, str(path), to]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=float, default=40)
    size = int(parser.parse_args().megabytes * 1e6)
    random.seed(1)
    with tempfile.TemporaryDirectory() as folder:
        for tool, (make, to) in TOOLS.items():
            path = Path(folder, "export.json")
            write(path, make, size)
            print(f"{tool}, {path.stat().st_size / 1e6:.0f} MB: open {measured(path, '')}")
            if to:
                print(f"{tool}: open and export again {measured(path, to)}")


if __name__ == "__main__":
    main()
