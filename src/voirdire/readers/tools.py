"""Which labelling tool a JSON document is from, if any."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from voirdire.readers.answers import Told
from voirdire.readers.argilla import are_records, ratings_of_argilla
from voirdire.readers.kili import are_assets, ratings_of_assets
from voirdire.readers.label_studio import are_tasks, ratings_of_tasks

__all__ = ["told_by_tool"]


def told_by_tool(records: Sequence[dict[str, Any]], path: Path) -> Told | None:
    """The ratings in the ``records`` of the file at ``path``, or None where they are no labelling tool's.

    Known are Label Studio's tasks, Argilla's records and Kili's assets; everything else is one object a
    rating.
    """
    if are_tasks(records):
        return ratings_of_tasks(records, path.name)
    if are_records(records):
        return ratings_of_argilla(records, path.name, path.parent)
    if are_assets(records):
        return ratings_of_assets(records, path.name)
    return None
