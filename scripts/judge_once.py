"""Judge one made item through the whole path, against a server on this machine: does what is installed do?"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

import voirdire
from voirdire.judges.judge import load_judge
from voirdire.judges.planning import make_plan
from voirdire.judges.runner import run_plan
from voirdire.store.sql import open_store
from voirdire.testing.fault_server import FaultServer

STUDY = """
tables:
  - file: labels.csv
  - {file: texts.csv, kind: items}
metrics:
  warm: {scale: {kind: binary, labels: [cold, warm]}}
"""


async def judged(folder: Path) -> dict[str, int]:
    """The verdicts by status; the first call meets an error."""
    (folder / "study.yaml").write_text(STUDY)
    (folder / "labels.csv").write_text("item_id,metric,rater_id,rater_kind,label\na,warm,ann,human,warm\n")
    (folder / "texts.csv").write_text("item_id,text\na,Good morning\n")
    async with FaultServer(answer=lambda body: "warm", script=["http_500"]) as server:
        judge = folder / "tone.yaml"
        judge.write_text(f"judge: tone\nmodel: made\nrecipe: rubric\nendpoint: {{url: '{server.url}'}}\n")
        with open_store(folder) as store:
            plan = make_plan(voirdire.open(folder), load_judge(judge), store)
            return dict((await run_plan(plan, store)).statuses)


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(judged(Path(folder)))
        rows = len(voirdire.open(folder).ratings.label)
    print(f"verdicts: {found}, ratings: {rows}")
    return 0 if found == {"ok": 1} and rows == 2 else 1


if __name__ == "__main__":
    sys.exit(main())
