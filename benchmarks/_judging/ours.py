"""voirdire from an open study to committed verdicts: the plan, the prompts, every reply and verdict kept.

Run ``python ours.py URL CALLS CONCURRENCY [METRICS]``; with several metrics each item is judged on each.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from measure import Meter, text_of

from voirdire.judges.judge import load_judge
from voirdire.judges.planning import make_plan
from voirdire.judges.runner import run_plan
from voirdire.opening import open as open_study
from voirdire.store.sql import open_store

STUDY = """
tables:
  - file: labels.csv
  - {file: texts.csv, kind: items}
metrics:
  "*":
    rubric: Is the reply warm to the person who wrote?
    scale: {kind: binary, labels: [cold, warm]}
"""
JUDGE = """
judge: tone
model: small
recipe: rubric
endpoint: {{url: "{url}"}}
parameters: {{temperature: 0, max_tokens: 5, logprobs: true, top_logprobs: 5}}
price: {{input: 1, output: 2}}
limits: {{concurrency: {concurrency}}}
"""


def write(folder: Path, url: str, sizes: tuple[int, int], concurrency: int) -> None:
    """A study of so many items and metrics, each labelled by one person, and the judge's file."""
    items, metrics = sizes
    labels = [
        f"i{k},warm{m},ann,human,{'warm' if k % 2 else 'cold'}" for m in range(metrics) for k in range(items)
    ]
    texts = [f'i{k},"{text_of(k)}"' for k in range(items)]
    (folder / "labels.csv").write_text("\n".join(["item_id,metric,rater_id,rater_kind,label", *labels]))
    (folder / "texts.csv").write_text("\n".join(["item_id,text", *texts]))
    (folder / "study.yaml").write_text(STUDY)
    (folder / "tone.yaml").write_text(JUDGE.format(url=url, concurrency=concurrency))


def main(url: str, calls: int, concurrency: int, metrics: int = 1) -> None:
    """Judge every item once on every metric."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, url, (calls // metrics, metrics), concurrency)
        study, judge = open_study(folder), load_judge(folder / "tone.yaml")
        judge.client()  # imports the client's package, as everybody's run has before it is measured
        with open_store(folder) as store, Meter(calls, "voirdire", "openai"):
            plan = make_plan(study, judge, store)
            outcome = asyncio.run(run_plan(plan, store))
        assert outcome.statuses == {"ok": calls}, f"{outcome.statuses}"


if __name__ == "__main__":
    main(sys.argv[1] + "/judge", *map(int, sys.argv[2:]))
