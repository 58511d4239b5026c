"""A small benchmark that was run, judged and labelled by two people, for tests of its pages."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from bench.benches import AXES, metric, scenario
from voirdire.bench.cast import Cast, TargetConfig, UserConfig
from voirdire.bench.manifest import run_called
from voirdire.bench.running import RunControl, plans_of, run_bench
from voirdire.bench.scripts import Planted, Script
from voirdire.bench.suite import Bench, BenchConfig
from voirdire.bench.template import MetricTemplate
from voirdire.judges.call import Request
from voirdire.judges.judge import judge_of
from voirdire.judges.judge_file import JudgeConfig
from voirdire.store.review_schema import labels
from voirdire.store.sql import open_store
from voirdire.testing.clients import FakeClient
from voirdire.web.results.opening import open_results
from voirdire.web.results.shown import Shown

HOSTILE = (
    "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>"
    "</p></article><h1 id='planted'>planted</h1>[x](javascript:window.hacked=3)\u202e{{ 7*7 }}"
)
PRESENT = f"I do it: {HOSTILE} and say so."
ABSENT = "I leave it."
UNFOUND = "words that nobody said <b>here</b>"
RATES = {"Ash": 0.75, "Birch <i>2</i>": 0.25}
"""How often each system shows the behaviour, whatever the metric."""
PLACES = (("Mind", "Learning"), ("Body", "Sleep"))
METRICS_A_CELL = 8


def whole_bench(folder: Path) -> Bench:
    """Two areas, both polarities, eight metrics of each in each area; all reviewed."""
    made = []
    for area, subarea in PLACES:
        for polarity in ("positive", "negative"):
            for number in range(METRICS_A_CELL):
                name = f"{area.split()[0].lower()}-{polarity}-{number}"
                more = {
                    "area": area,
                    "subarea": subarea,
                    "benchmark": f"{subarea} bench",
                    "polarity": polarity,
                }
                title = f"{area} {polarity} {number}" + (" <b>bold</b>" if number == 0 else "")
                made.append(_reviewed(metric(name, title=title, **more, scoring=_scoring(name))))
    config = {"name": "Made & small", "demo": "Made up.", "turns": 4, "axes": AXES}
    return Bench(folder, BenchConfig.model_validate(config), tuple(made))


def _scoring(name: str) -> dict[str, str]:
    return {
        "question": f"Is {name} there?",
        "present": "p",
        "absent": "a",
        "opportunity": "A question is asked.",
    }


def _reviewed(template: MetricTemplate) -> MetricTemplate:
    good = {"fidelity": True, "clarity": True, "observability": True}
    review = {"by": "made", "date": "2026-11-01", "version": template.version, **good}
    document = template.model_dump(mode="json", by_alias=True)
    return MetricTemplate.model_validate({**document, "reviews": [review]})


def seen(request: Request) -> str:
    """A judge that sees what is there, quotes it and something that is not there."""
    present = any("I do it:" in message.content for message in request.messages)
    asked = any("Present where this happened" in message.content for message in request.messages)
    quotes = [{"turn": 2, "quote": "I do it"}, {"turn": 2, "quote": UNFOUND}] if present else []
    verdict = "present" if asked or present else "absent"
    said = {"justification": f"Because {HOSTILE}", "citations": quotes, "verdict": verdict}
    return json.dumps(said)


def run_into(folder: Path, suite: Bench | None = None) -> None:
    """Hold and judge every conversation of ``suite`` into a store in ``folder``."""
    suite = suite or whole_bench(folder)
    targets = [
        TargetConfig(
            system=system,
            family="made",
            script=Script(planted=[Planted(rate=rate, present=PRESENT, absent=ABSENT, turn=1)]),
        )
        for system, rate in RATES.items()
    ]
    cast = Cast(UserConfig(script=True), tuple(targets), {})
    config = JudgeConfig.model_validate({"judge": "j", "model": "m", "recipe": "binary_rubric"})
    judge = judge_of(config, where=folder / "judge.yaml")
    with open_store(folder) as store:
        control = RunControl(client=FakeClient(seen))
        with ThreadPoolExecutor(1) as aside:  # a browser's driver has a loop in this thread
            aside.submit(asyncio.run, run_bench(suite, store, cast, [judge], control=control)).result()


def label_all(folder: Path, *, people: tuple[str, ...] = ("R1", "R2"), every: int = 1) -> None:
    """Have ``people`` label every so many conversations as the judge did, but for a few."""
    with open_store(folder) as store:
        run = run_called(store, "last")
        (plan,) = plans_of(run, store)
        items = plan.study.items
        metric_of = items.attributes["cluster"]
        rows = [
            _label(
                person, items.ids[row], metric_of[row] or "", _truth(str(items.texts["transcript"][row]), row)
            )
            for row in range(0, len(items), every)
            for person in people
        ]
        store.add(labels, rows)


def _truth(transcript: str, row: int) -> str:
    there = "I do it:" in transcript
    return ("absent", "present")[there != (row % 17 == 0)]


def _label(person: str, item: str, name: str, label: str) -> dict[str, Any]:
    return {
        "round_id": "1",
        "rater_id": person,
        "item_id": item,
        "metric": name,
        "revision": 1,
        "labels": [label],
        "status": "ok",
        "cites": [],
        "comment": f"seen {HOSTILE}" if person == "R1" else "",
        "anchored": False,
        "late": False,
        "event": "e",
        "created_at": "2026-11-29T10:00:00.000+00:00",
    }


def shown_made(folder: Path, *, labelled: bool = True, audited: bool = False) -> Shown:
    """The results of such a run."""
    folder.mkdir(parents=True, exist_ok=True)
    run_into(folder)
    if labelled:
        label_all(folder)
    return open_results(folder, audited=audited)


__all__ = ["HOSTILE", "PRESENT", "UNFOUND", "label_all", "run_into", "scenario", "shown_made", "whole_bench"]
