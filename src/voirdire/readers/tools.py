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

LOOKED_AT = 100
"""How many records tell the tool; a table of a million ratings is not searched for it."""


def told_by_tool(records: Sequence[dict[str, Any]], path: Path) -> Told | None:
    """The ratings in the ``records`` of the file at ``path``, or None where they are no labelling tool's.

    Known are Label Studio's tasks, Argilla's records and Kili's assets; everything else is one object a
    rating.
    """
    first = records[:LOOKED_AT]
    if are_tasks(first):
        return ratings_of_tasks(records, path.name)
    if are_records(first):
        return ratings_of_argilla(records, path.name, path.parent)
    if are_assets(first):
        return ratings_of_assets(records, path.name)
    return None
