"""A round of made conversations, a server of its own and people who rate in it, for tests of rater pages."""

from __future__ import annotations

import csv
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sql
import uvicorn
from starlette.testclient import TestClient

from voirdire.review.answers import Asked, asked_of
from voirdire.review.assigning import Wanted, assign_to
from voirdire.review.desk import Desk, Round, now, open_desk
from voirdire.review.log import Cell, Event, record
from voirdire.review.people import Invited, invite
from voirdire.review.settings import RoundSettings, offered_scale
from voirdire.store.review_schema import events, labels
from voirdire.web.app import create_app
from voirdire.web.site import Site

SYSTEM = "zephyr-9b"
JUDGE = "stern-judge"
RATIONALE = "Because the reply hands over a full solution."
STUDY = f"""
name: made conversations
unrated: true
tables:
  - {{file: texts.csv, kind: items}}
  - {{file: verdicts.csv, set: {{rater_id: {JUDGE}, rater_kind: judge}}}}
metrics:
  steps:
    title: Scaffolded learning
    rubric: Does the assistant leave the user a step to try alone before giving the full solution?
    present: ["Asks for an attempt, or gives one hint, before the result."]
    absent: ["Gives the result at first request, even when it offers practice later."]
    scale: {{kind: binary, labels: [fail, pass]}}
  tone:
    title: Tone
    rubric: What tones does the reply have?
    scale: {{kind: nominal, labels: [warm, cold, dry]}}
  score:
    title: Score
    rubric: How good is the reply, from 0 to 100?
    scale: {{kind: numeric, labels: [{", ".join(f"'{k}'" for k in range(0, 101, 5))}]}}
  better:
    title: The better reply
    rubric: Which reply helps more?
    scale: {{kind: pairwise, labels: [first, second, tie]}}
raters:
  {JUDGE}: {{kind: judge, model: stern-1, family: stern}}
"""
TALK = (
    "I have a stats problem set due tomorrow. Question {k} is about conditional probability. Can you do it?",
    "Happy to help. Could you paste the question, and tell me how far you got?",
    "A test is 95 % sensitive and 90 % specific, 2 % of people are ill. What does a positive test tell me?",
    "95 % answers another question. Try this first: of 1,000 people, how many are ill?\\n\\nThen:\\n- how "
    "many of those test positive?\\n- how many of the others do?",
    "20 are ill, so 19 test positive?",
    "Exactly. Now the other 980: how many of them test positive by mistake, at 90 % specificity?",
)


def write_study(folder: Path, *, items: int = 4, turns: int = 6, words: int = 0, text: str = "") -> Path:
    """A study of conversations of ``turns`` turns, each ``words`` longer, with ``text`` in the last one."""
    folder.mkdir(exist_ok=True)
    with (folder / "texts.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["item_id", "system", "transcript", "prompt", "response_a", "response_b"])
        for k in range(items):
            talk = [
                {
                    "role": ("user", "assistant")[turn % 2],
                    "content": TALK[turn % 6].format(k=k).replace("\\n", "\n") + " word" * words,
                }
                for turn in range(turns)
            ]
            talk[-1]["content"] += text
            pair = (f"Answer one to {k}.{text}", f"Answer two to {k}.")
            rows.writerow([f"conv-{k}", SYSTEM, json.dumps(talk), f"Prompt number {k}", *pair])
    with (folder / "verdicts.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["item_id", "metric", "label", "rationale"])
        rows.writerows(
            [f"conv-{k}", metric, label, RATIONALE]
            for k in range(items)
            for metric, label in (("steps", "fail"), ("tone", "cold"), ("better", "second"))
        )
    (folder / "study.yaml").write_text(STUDY, encoding="utf-8")
    return folder


@dataclass(frozen=True)
class Rating:
    """A round that ``people`` are invited to, each asked for every item on every metric."""

    desk: Desk
    round: Round
    people: dict[str, Invited]

    @property
    def given(self) -> list[dict[str, Any]]:
        """Every answer that was handed in, in order."""
        query = sql.select(labels).where(labels.c.round_id == self.round.id)
        return self.desk.store.rows(query.order_by(labels.c.created_at, labels.c.revision))

    @property
    def drafts(self) -> list[dict[str, Any]]:
        """Every draft that was saved, in order."""
        query = sql.select(events).where(events.c.round_id == self.round.id, events.c.kind == "draft")
        return [row["document"] for row in self.desk.store.rows(query.order_by(events.c.number))]

    def at(self, name: str, place: int = 1) -> Asked:
        """What ``name`` is asked at a place of the list."""
        rater = self.people[name].link.rater_id
        return asked_of(self.desk, self.round.id, rater, place=place, withdrawn=True)[0]

    def happen(self, kind: str, rater_id: str = "", item_id: str = "", metric: str = "") -> None:
        """Let the organiser's act be in the log: closed, reopened, withdrawn."""
        cell = Cell(self.round.id, rater_id, item_id, metric)
        with self.desk.transaction() as connection:
            record(connection, Event(f"{kind}-{now()}", kind, cell))


def desk_of(folder: Path, **study: Any) -> Desk:
    """A made study, open for review; keywords are options of :func:`write_study`."""
    return open_desk(write_study(folder, **study))


def round_on(
    desk: Desk,
    metrics: tuple[str, ...] = ("steps",),
    *,
    names: tuple[str, ...] = ("Ann", "Bo"),
    items: int = 0,
    labels_an_item: int = 0,
    shown: tuple[str, ...] = ("transcript",),
    **settings: Any,
) -> Rating:
    """Begin a round in which each of ``names`` is asked for every item, or fewer."""
    scales = {
        name: offered_scale(desk.study.metric(name), borderline=name in ("steps", "tone")) for name in metrics
    }
    made = RoundSettings(
        title="Made round", metrics=list(metrics), scales=scales, shown=list(shown), **settings
    )
    round_ = desk.new_round(made)
    people = {name: invite(desk, round_.id, "rater", name) for name in names}
    # by hand, for tests share a desk whose people have labelled its items before
    asked = [one.link.rater_id for one in people.values()][: labels_an_item or None]
    chosen = desk.study.items.ids[: items or None]
    assign_to(
        desk, round_, [Wanted(code, item, name) for code in asked for name in metrics for item in chosen]
    )
    return Rating(desk, round_, people)


@contextmanager
def served(desk: Desk) -> Iterator[Site]:
    """A server of the desk's rounds on a free port of this machine."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    site = Site(port=port)
    config = uvicorn.Config(create_app(desk, site), port=port, log_level="error", lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    yield site
    server.should_exit = True
    thread.join(10)


def client_of(rating: Rating, name: str, *, accept: bool = True) -> TestClient:
    """``name``'s browser without a screen, past the protocol; the proof goes with each request."""
    client = TestClient(create_app(rating.desk, Site()), base_url="http://127.0.0.1:8765")
    assert client.post("/enter", json={"token": rating.people[name].token}).status_code == 200
    page = client.get("/rate/").text
    proof = page.split('name="proof" value="', 1)[1].split('"', 1)[0]
    client.headers["x-csrf-token"] = proof
    if accept:
        client.post("/rate/protocol", data={"proof": proof}, follow_redirects=False)
    return client
