"""Panels: several judges as one, computed from their verdicts without another call."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from voirdire.errors import UserError
from voirdire.judges.call import content_hash
from voirdire.judges.judge import VERSION_DIGITS, Judge, load_judge
from voirdire.judges.judge_file import PanelConfig
from voirdire.judges.recipe import Verdict
from voirdire.judges.records import Origin, now, verdict_row
from voirdire.store import schema
from voirdire.store.in_force import put_in_force
from voirdire.store.parts import stored
from voirdire.store.sql import Store
from voirdire.study.documents import load_mapping, validated

__all__ = ["Panel", "combine", "is_panel", "keep_panel", "load_panel"]

COLUMNS = (
    *("content_hash", "run", "item_id", "metric", "rater_id"),
    *("label", "status", "probabilities", "created_at"),
)


@dataclass(frozen=True, eq=False)
class Panel:
    """Judges that count as one: ``version`` changes with any member's."""

    config: PanelConfig
    members: tuple[Judge, ...]
    version: str

    @property
    def name(self) -> str:
        """Its rater_id in the ratings."""
        return self.config.judge

    @property
    def quorum(self) -> int:
        """How many members must give a verdict."""
        return self.config.quorum or len(self.members)

    def weight(self, member: str) -> float:
        """How much a member counts."""
        return self.config.weights.get(member, 1.0)


def is_panel(path: str | Path) -> bool:
    """Whether the YAML file at ``path`` declares a panel."""
    file = Path(path)
    return file.is_file() and "panel" in load_mapping(file)


def load_panel(path: str | Path) -> Panel:
    """The panel in the YAML file at ``path`` with its members; every fault of them is one line."""
    file = Path(path)
    config = validated(PanelConfig, load_mapping(file), where=file.name)
    members = tuple(load_judge(file.parent / name) for name in config.panel)
    names = [member.name for member in members]
    if len(set(names)) < len(names) or config.judge in names:
        raise UserError("two judges of one name", where=file.name, fix="give each its own")
    unknown = sorted(set(config.weights) - set(names))
    if unknown:
        raise UserError(
            f"a weight for '{unknown[0]}', who is no member", where=file.name, expected=", ".join(names)
        )
    if config.quorum > len(members):
        raise UserError(f"a quorum of {config.quorum} among {len(members)} members", where=file.name)
    versions = {member.name: member.version for member in members}
    whole = {"members": versions, **config.model_dump(include={"combine", "weights", "quorum"})}
    return Panel(config, members, content_hash(whole)[:VERSION_DIGITS])


def keep_panel(panel: Panel, store: Store) -> int:
    """Keep the panel's verdict wherever enough members gave theirs, and return how many are new."""
    cells = _cells(panel, store)
    there = {
        (row["content_hash"], row["run"])
        for row in stored(
            store, schema.verdicts, ["content_hash", "run"], judge_version=panel.version, rater_id=panel.name
        )
    }
    if there:
        put_in_force(store, panel.name, panel.version)
    manifest = _manifest(panel, store)
    rows = []
    for (item, metric, run), by_member in sorted(cells.items()):
        given = list(by_member.values())
        name = content_hash(
            [panel.name, panel.version, item, metric, sorted(row["content_hash"] for row in given)]
        )
        verdict = combine(panel, item, metric, given)
        if verdict is None or (name, run) in there:
            continue
        origin = Origin(
            content_hash=name,
            run=run,
            rater_id=panel.name,
            judge_version=panel.version,
            manifest=manifest,
        )
        rows.append(verdict_row(verdict, origin))
    return store.add(schema.verdicts, rows)


def _cells(panel: Panel, store: Store) -> dict[tuple[str, str, int], dict[str, dict[str, Any]]]:
    """Each member's verdict by item, metric and run: its last, where a text or criterion changed since."""
    cells: dict[tuple[str, str, int], dict[str, dict[str, Any]]] = {}
    for member in panel.members:
        own = {"judge_version": member.version, "rater_id": member.name, "part": ""}
        rows = stored(store, schema.verdicts, COLUMNS, **own)
        for row in sorted(rows, key=lambda row: (row["created_at"], row["content_hash"])):
            if row["status"] != "error":
                cells.setdefault((row["item_id"], row["metric"], row["run"]), {})[member.name] = row
    return cells


def combine(panel: Panel, item: str, metric: str, given: Sequence[Mapping[str, Any]]) -> Verdict | None:
    """The panel's verdict from its members' rows, None where they are fewer than all and than the quorum.

    A member without probabilities counts as certain of its label. Where two labels lead there is no verdict,
    which is ``ambiguous``; the distribution is kept.
    """
    told = [row for row in given if row["label"] is not None]
    if len(given) < len(panel.members) and len(told) < panel.quorum:
        return None
    requests = tuple(row["content_hash"] for row in given)
    if len(told) < panel.quorum:
        return Verdict(item, metric, None, "unparsed", rationale="no quorum", requests=requests)
    weights = [panel.weight(row["rater_id"]) for row in told]
    votes: dict[str, float] = {}
    shares: dict[str, float] = {}
    for row, weight in zip(told, weights, strict=True):
        votes[row["label"]] = votes.get(row["label"], 0.0) + weight
        for label, share in (row["probabilities"] or {row["label"]: 1.0}).items():
            shares[label] = shares.get(label, 0.0) + weight * share / math.fsum(weights)
    counted = votes if panel.config.combine == "vote" else shares
    most = max(counted.values())
    leaders = [label for label, value in counted.items() if math.isclose(value, most)]
    return Verdict(
        item,
        metric,
        leaders[0] if len(leaders) == 1 else None,
        "ok" if len(leaders) == 1 else "ambiguous",
        probabilities=shares,
        mass=len(told) / len(panel.members),
        requests=requests,
    )


def _manifest(panel: Panel, store: Store) -> str:
    document = {
        "panel": panel.config.model_dump(mode="json"),
        "version": panel.version,
        "members": {member.name: member.version for member in panel.members},
    }
    name = content_hash(document)[:16]
    row = {"manifest": name, "kind": "panel", "document": document, "created_at": now()}
    store.add(schema.manifests, [row])
    return name
