"""A benchmark's folder as a study: conversations of its last run, verdicts on them, and people's labels."""

from __future__ import annotations

from pathlib import Path

from voirdire.bench.conversation import kept_conversations
from voirdire.bench.labelled import criteria_of
from voirdire.bench.manifest import run_called
from voirdire.bench.running import plans_of
from voirdire.bench.study import study_tables
from voirdire.opening import OwnFolder
from voirdire.registry import register
from voirdire.store.labels import collected
from voirdire.store.sql import Store
from voirdire.study.config import TableConfig

__all__ = ["bench_folder"]

CLUSTER = "variant_of"
"""Within a metric, matched variants of one scenario belong together: its intervals are over scenarios."""


@register("folder", "bench.yaml")
def bench_folder(folder: Path, store: Store) -> OwnFolder:
    """The last run in ``store``: an item each conversation, the metrics as they were, verdicts of its judges.

    Verdicts on another wording or of another judge do not count. A benchmark that was never run is a user's
    error.
    """
    run = run_called(store, "last")
    table, config = study_tables(run.bench, kept_conversations(store, run.ids))
    asked = frozenset(task.content_hash for plan in plans_of(run, store) for task in plan.tasks)
    declared = config.model_copy(update={"clusters": [CLUSTER]})
    notes = [f"The conversations and verdicts are those of {run.label}, begun {run.started[:16]}."]
    outdated = collected(store, criteria=criteria_of(config)).outdated
    if outdated:
        notes.append(f"{outdated:,} labels answer an earlier wording of their metric and are left out.")
    return OwnFolder(((table, TableConfig(file=table.name, kind="items")),), declared, asked, tuple(notes))
