"""Pages of ratings beside a report, for studies that have too many for one page: one or more a metric."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voirdire.report.assets import embedded, render, static
from voirdire.report.links import page_name
from voirdire.report.ratings_data import ordered_rows, ratings_data
from voirdire.report.wording import count
from voirdire.study import Metric, Study

__all__ = ["PART", "TEXTS", "write_row_pages"]

PART = 250_000
"""Ratings a page holds at most, give or take one item's."""
TEXTS = 500
"""Items whose texts share a page."""
INDEX = "index.html"

Rows = NDArray[np.intp]


def write_row_pages(study: Study, folder: Path, *, text: bool = True) -> list[Path]:
    """Write every rating of ``study`` into pages under ``folder`` and return their paths.

    File names are numbers alone. With ``text`` the items' texts go into pages of their own, once each.
    """
    folder.mkdir(parents=True, exist_ok=True)
    texts = text and any(len(column.values) for column in study.items.texts.values())
    written, entries = [], []
    for code, metric in enumerate(study.metrics):
        rows = ordered_rows(study, study.rows(metric.name, usable=False))
        parts = list(_parts(study, rows))
        names = [page_name(code, part) for part in range(len(parts))]
        for part, mine in enumerate(parts):
            page = _page(study, metric, mine, names, part, texts=texts, text=text)
            written.append(_write(folder / names[part], page))
        entries += [(names[0], f"{metric.label}: {count(len(rows))} ratings")] if parts else []
    written.append(_write(folder / INDEX, _index(study, entries)))
    return [*written, *(_write_texts(study, folder) if texts else [])]


def _parts(study: Study, rows: Rows) -> Iterator[Rows]:
    """``rows`` in pieces that never split an item."""
    start = 0
    item = study.ratings.item[rows]
    while start < len(rows):
        stop = min(start + PART, len(rows))
        if stop < len(rows):
            stop += int(np.searchsorted(item[stop:], item[stop - 1], side="right"))
        yield rows[start:stop]
        start = stop


def _page(
    study: Study, metric: Metric, rows: Rows, names: list[str], part: int, *, texts: bool, text: bool
) -> str:
    data = ratings_data(study, rows, text=text) | {"texts": []}
    if texts:
        data["numbers"] = np.unique(study.ratings.item[rows]).tolist()
    parts = [(name, f"part {place + 1}") for place, name in enumerate(names) if place != part]
    of = f", part {part + 1} of {len(names)}" if len(names) > 1 else ""
    return _render(
        "rows.html",
        (static("rows.js"),),
        study=study.name,
        title=f"{metric.label}{of}",
        note=f"{count(len(rows))} ratings, one item a row with every label it received.",
        parts=parts,
        n=len(rows),
        data=embedded(data),
        block=TEXTS if texts else 0,
    )


def _index(study: Study, entries: list[tuple[str, str]]) -> str:
    return _render("index.html", (), study=study.name, entries=entries)


def _write_texts(study: Study, folder: Path) -> list[Path]:
    written = []
    for block, start in enumerate(range(0, len(study.items), TEXTS)):
        items = range(start, min(start + TEXTS, len(study.items)))
        said = [
            (
                item,
                study.items.ids[item],
                [(name, value) for name, column in columns if (value := column[item])],
            )
            for columns in [list(study.items.texts.items())]
            for item in items
        ]
        page = _render("texts.html", (), study=study.name, items=[one for one in said if one[2]])
        written.append(_write(folder / f"texts-{block:04d}.html", page))
    return written


def _render(template: str, scripts: tuple[str, ...], **context: Any) -> str:
    style = static("tokens.css", "marks.css", "page.css", "rows.css")
    return render(template, style=style, scripts=scripts, version=version("voirdire"), **context)


def _write(path: Path, page: str) -> Path:
    path.write_bytes(page.encode())
    return path
