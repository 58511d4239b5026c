"""A small study of made texts that nobody has labelled yet, and a round of it under way."""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from voirdire.review.answers import Answer, Receipt, Sent, asked_of, submit
from voirdire.review.assigning import assign_to, by_overlap
from voirdire.review.desk import Desk, Round, open_desk
from voirdire.review.people import Invited, invite
from voirdire.review.settings import RoundSettings, offered_scale

STUDY = """
name: made
unrated: true
tables:
  - {file: texts.csv, kind: items}
  - {file: verdicts.csv, set: {rater_id: tone-judge, rater_kind: judge}}
metrics:
  kind:
    title: Kindness
    rubric: Is the reply kind?
    present: ["Thanks the user."]
    absent: ["Blames the user."]
    scale: {kind: binary, labels: [fail, pass]}
  clear:
    rubric: How clear is the reply?
    scale: {kind: ordinal, labels: ["1", "2", "3", "4"]}
  better:
    rubric: Which reply helps more?
    scale: {kind: pairwise, labels: [first, second, tie]}
raters:
  tone-judge: {kind: judge, model: small-1, family: small}
"""
KEYS = itertools.count(1)
FIRST = "Here is the whole answer at once so that you need not think about it any further: number"
SECOND = "What have you tried so far? Take the first step alone and then we compare our ways: number"


def write_study(folder: Path, *, items: int = 6, demo: str = "") -> Path:
    """The folder with a study of ``items`` made dialogues, and a judge's verdicts on ``kind``.

    ``demo`` is what it declares of its data.
    """
    folder.mkdir(exist_ok=True)
    texts = ["item_id,text,reply_a,reply_b,system"]
    for k in range(items):
        turns = f"User: Question {k}, please help.\nAssistant: Reply {k} that thanks you."
        texts.append(f'i{k},"{turns}",{FIRST} {k}.,{SECOND} {k}.,{"alpha" if k % 2 else "omega"}-9b')
    (folder / "texts.csv").write_text("\n".join(texts), encoding="utf-8")
    verdicts = [f"i{k},kind,{'fail' if k % 3 == 0 else 'pass'}" for k in range(items)]
    (folder / "verdicts.csv").write_text("\n".join(["item_id,metric,label", *verdicts]), encoding="utf-8")
    declared = f"{STUDY}demo: {json.dumps(demo)}\n" if demo else STUDY
    (folder / "study.yaml").write_text(declared, encoding="utf-8")
    return folder


@dataclass(repr=False)
class UnderWay:
    """A round whose ``people`` (rater links by name) are all asked for every item on every metric."""

    desk: Desk
    round: Round
    people: dict[str, Invited] = field(default_factory=dict)

    def say(self, name: str, item_id: str, metric: str, *labels: str, key: str = "", **told: Any) -> Receipt:
        """``name`` hands in ``labels`` (none: a skip), with further fields of an answer."""
        rater = self.people[name].link.rater_id
        asked = next(
            one
            for one in asked_of(self.desk, self.round.id, rater)
            if (one.cell.item_id, one.cell.metric) == (item_id, metric)
        )
        answer = Answer(labels=list(labels), skipped=not labels, **told)
        round_ = self.desk.round(self.round.id)
        return submit(self.desk, round_, asked, answer, Sent(key or f"act-{next(KEYS):08d}"))


def begun(
    folder: Path,
    *,
    names: tuple[str, ...] = ("Ann", "Bo", "Cleo"),
    metrics: tuple[str, ...] = ("kind", "clear"),
    store: str = "",
    items: int = 6,
    borderline: bool = True,
    demo: str = "",
    **settings: Any,
) -> UnderWay:
    """A made study with a round that ``names`` are invited to; keywords are further settings of the round."""
    desk = open_desk(write_study(folder, items=items, demo=demo), store)
    scales = {
        name: offered_scale(desk.study.metric(name), borderline=borderline and name == "kind")
        for name in metrics
    }
    round_ = desk.new_round(
        RoundSettings(title="Made round", metrics=list(metrics), scales=scales, **settings)
    )
    people = {name: invite(desk, round_.id, "rater", name) for name in names}
    raters = {one.link.rater_id: 0 for one in people.values()}
    assign_to(desk, round_, by_overlap(desk, metrics, raters, labels_an_item=len(names)))
    return UnderWay(desk, round_, people)
