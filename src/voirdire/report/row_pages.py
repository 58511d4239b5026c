"""Pages of ratings beside a report, for studies that have too many for one page: one or more a metric."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
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
    pages = _Pages(study, folder, text, texts)
    written = [path for code in range(len(study.metrics)) for path in pages.metric(code)]
    return [*written, pages.index(), *(pages.texts_in_blocks() if texts else [])]


@dataclass(frozen=True)
class _Pages:
    """Writes the pages of one study; ``text`` is whether raters' words may be shown, ``texts`` the items'."""

    study: Study
    folder: Path
    text: bool
    texts: bool

    def metric(self, code: int) -> list[Path]:
        """One metric's ratings, in parts of at most a quarter of a million."""
        metric = self.study.metrics[code]
        parts = list(_parts(self.study, ordered_rows(self.study, self.study.rows(metric.name, usable=False))))
        names = [page_name(code, part) for part in range(len(parts))]
        return [
            self._write(name, "rows.html", (static("rows.js"),), **self._part(metric, rows, names, part))
            for part, (name, rows) in enumerate(zip(names, parts, strict=True))
        ]

    def _part(self, metric: Metric, rows: Rows, names: list[str], part: int) -> dict[str, Any]:
        data = ratings_data(self.study, rows, text=self.text) | {"texts": []}
        if self.texts:
            data["numbers"] = np.unique(self.study.ratings.item[rows]).tolist()
        of = f", part {part + 1} of {len(names)}" if len(names) > 1 else ""
        return {
            "title": f"{metric.label}{of}",
            "note": f"{count(len(rows))} ratings, one item a row with every label it received.",
            "parts": [(name, f"part {place + 1}") for place, name in enumerate(names) if place != part],
            "n": len(rows),
            "data": embedded(data),
            "block": TEXTS if self.texts else 0,
        }

    def index(self) -> Path:
        """The list of metrics that have ratings."""
        counts = np.bincount(self.study.ratings.metric, minlength=len(self.study.metrics)).tolist()
        entries = [
            (page_name(code), f"{metric.label}: {count(counts[code])} ratings")
            for code, metric in enumerate(self.study.metrics)
            if counts[code]
        ]
        return self._write(INDEX, "index.html", entries=entries)

    def texts_in_blocks(self) -> list[Path]:
        """What was said in each item, some hundred items a page."""
        return [
            self._write(f"texts-{block:04d}.html", "texts.html", items=self._said(start))
            for block, start in enumerate(range(0, len(self.study.items), TEXTS))
        ]

    def _said(self, start: int) -> list[tuple[int, str, list[tuple[str, str]]]]:
        items = self.study.items
        found = []
        for item in range(start, min(start + TEXTS, len(items))):
            said = [(name, value) for name, column in items.texts.items() if (value := column[item])]
            found += [(item, items.ids[item], said)] if said else []
        return found

    def _write(self, name: str, template: str, scripts: tuple[str, ...] = (), **context: Any) -> Path:
        style = static("tokens.css", "marks.css", "page.css", "rows.css")
        known = {"study": self.study.name, "version": version("voirdire")}
        path = self.folder / name
        path.write_bytes(render(template, style=style, scripts=scripts, **known, **context).encode())
        return path


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
