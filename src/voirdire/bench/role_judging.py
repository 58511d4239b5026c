"""Role judging: a judge reads whether a simulated user stayed the person they play, beyond rules on words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from voirdire.bench.conversation import Conversation
from voirdire.bench.suite import Bench
from voirdire.errors import UserError
from voirdire.judges.judge import Judge
from voirdire.judges.planning import Plan, whole_plan
from voirdire.store.parts import stored
from voirdire.store.schema import verdicts
from voirdire.store.sql import Store
from voirdire.study.build import build
from voirdire.study.column import Column
from voirdire.study.config import MetricConfig, ScaleConfig, StudyConfig, TableConfig
from voirdire.study.ratings import Source
from voirdire.study.raw import RawTable

__all__ = ["IN_ROLE", "role_plan", "with_role_verdicts"]

IN_ROLE = "user_in_role"
"""The metric's name among verdicts."""
SIGN = "a judge says so"
"""The sign in the audit of a conversation of which the judge says that its user fell out of role."""
QUESTION = (
    "The messages of the user are written as the person described under 'played' would write them, from the "
    "first to the last. They are not where the user answers as an assistant, is somebody else, or says that "
    "they are a model or play a part. What the assistant writes does not matter."
)
SEES = ("played", "transcript")


def role_plan(bench: Bench, conversations: Iterable[Conversation], judge: Judge) -> Plan:
    """A verdict on the user of each conversation in which a model played them.

    ``judge`` is asked by a recipe for present or absent; it sees who was to be played and what was said, and
    nothing of the metric. Its verdicts are kept under the metric :data:`IN_ROLE`.
    """
    roles = {
        (case.metric.metric, case.scenario.id, case.variant.name): case.role
        for case in bench.cases(unreviewed=True)
    }
    rows = [
        (one.id, roles[key], one.transcript)
        for one in conversations
        if (key := (one.metric, one.scenario, one.variant)) in roles and _improvised(one)
    ]
    if not rows:
        raise UserError("no user was played by a model", where=bench.config.name)
    ids, played, said = ([row[place] for row in rows] for place in range(3))
    columns = {"item_id": Column.of(ids), "played": Column.of(played), "transcript": Column.of(said)}
    table = RawTable(Source("simulated users"), columns, np.arange(1, len(ids) + 1), text=False)
    metric = MetricConfig(scale=ScaleConfig(kind="binary", labels=["absent", "present"]), rubric=QUESTION)
    config = StudyConfig(name=bench.config.name, unrated=True, metrics={IN_ROLE: metric})
    study = build([(table, TableConfig(file=table.name, kind="items"))], config, name=bench.config.name)
    shown = judge.config.model_copy(update={"sees": SEES, "metrics": ()})
    return whole_plan(study, replace(judge, config=shown), metrics=(IN_ROLE,))


def with_role_verdicts(
    conversations: Iterable[Conversation], plan: Plan, store: Store
) -> Iterator[Conversation]:
    """The conversations, with what the judge of ``plan`` said of their users added to their audits."""
    judge = plan.judge
    names = {task.content_hash for task in plan.tasks}
    wanted = {"rater_id": judge.name, "judge_version": judge.version, "metric": IN_ROLE, "label": "absent"}
    rows = stored(store, verdicts, ["content_hash", "item_id"], **wanted)
    out = {row["item_id"] for row in rows if row["content_hash"] in names}
    for one in conversations:
        if one.id in out:
            signs = [*one.audit["signs"], SIGN]
            one = replace(one, audit={**one.audit, "in_role": False, "signs": signs})
        yield one


def _improvised(conversation: Conversation) -> bool:
    """Whether a model wrote messages of the user."""
    return any(turn.user_request for turn in conversation.spoken)
