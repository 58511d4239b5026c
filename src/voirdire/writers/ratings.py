"""Every rating of every rater, as it came in: CSV, TSV, JSON Lines or Parquet, by the file's suffix."""

from __future__ import annotations

from pathlib import Path

from voirdire.errors import UserError
from voirdire.registry import register
from voirdire.study.study import Study
from voirdire.writers.columns import rating_columns
from voirdire.writers.formats import WRITERS

__all__ = ["export_ratings"]


@register("writer", "ratings")
def export_ratings(study: Study, path: str) -> Path:
    """Write one row a rating to ``path``: raw labels, statuses and every attribute of item, rater and rating.

    Reading the file again gives the same study. A suffix that no writer knows, and labels that CSV cannot
    tell from missing ones, are users' errors.
    """
    target = Path(path)
    packed = target.suffix.lower() == ".gz"
    suffix = (target.with_suffix("") if packed else target).suffix.lower()
    if suffix not in WRITERS or (packed and suffix == ".parquet"):
        raise UserError(
            f"no writer for '{''.join(target.suffixes) or target.name}'",
            where=str(path),
            expected=f"one of {', '.join(WRITERS)}, or .gz of the text formats",
        )
    try:
        WRITERS[suffix](rating_columns(study), target)
    except OSError as problem:
        raise UserError(f"cannot be written: {problem.strerror or problem}", where=str(path)) from None
    return target
