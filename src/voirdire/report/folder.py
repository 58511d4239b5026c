"""An audit written to a folder: the report, the JSON document and, where ratings are many, pages of them."""

from __future__ import annotations

import json
from pathlib import Path

from voirdire.checks.audit import Audit
from voirdire.errors import UserError
from voirdire.report.document import json as document
from voirdire.report.html import html
from voirdire.report.links import MANY
from voirdire.report.row_pages import write_row_pages

__all__ = ["write"]

ROWS = "rows"


def write(audit: Audit, folder: str | Path, *, text: bool = True) -> list[Path]:
    """Write ``audit`` to ``folder`` as report.html and audit.json and return the paths, the report's first.

    A study of more than 20,000 ratings gets them as pages in ``rows/`` beside the report. ``text=False``
    leaves out what items and raters said. A folder that cannot be written is a user's error.
    """
    place = Path(folder)
    many = len(audit.study.ratings) > MANY
    try:
        place.mkdir(parents=True, exist_ok=True)
        report, data = place / "report.html", place / "audit.json"
        report.write_bytes(html(audit, text=text, folder=ROWS if many else "").encode())
        content = json.dumps(document(audit, text=text), indent=1, ensure_ascii=False, allow_nan=False)
        data.write_bytes(f"{content}\n".encode())
        pages = write_row_pages(audit.study, place / ROWS, text=text) if many else []
    except OSError as problem:
        raise UserError(f"cannot write the report: {problem.strerror}", where=str(folder)) from None
    return [report, data, *pages]
