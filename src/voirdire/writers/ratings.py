"""Every rating of every rater, as it came in: CSV, TSV, JSON Lines or Parquet, by the file's suffix."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from voirdire.registry import register
from voirdire.study.study import Study
from voirdire.writers.columns import rating_columns
from voirdire.writers.formats import write_table

__all__ = ["export_ratings"]


@register("writer", "ratings")
def export_ratings(study: Study, path: str | PathLike[str]) -> Path:
    """Write one row a rating to ``path``: raw labels, statuses and every attribute of item, rater and rating.

    Reading the file again gives the same study. Users' errors are those of
    :func:`~voirdire.writers.formats.write_table`.
    """
    return write_table(rating_columns(study), path)
