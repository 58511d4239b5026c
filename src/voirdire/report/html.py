"""The report as one self-contained HTML page."""

from __future__ import annotations

from importlib.metadata import version

import numpy as np

from voirdire.checks.audit import Audit
from voirdire.registry import register
from voirdire.report.assets import embedded, plotting, render, static
from voirdire.report.links import MANY, Links, page_name
from voirdire.report.page import build_page
from voirdire.report.ratings_data import ordered_rows, ratings_data
from voirdire.report.wording import count

__all__ = ["html"]


@register("report", "html")
def html(audit: Audit, *, text: bool = True, folder: str = "") -> str:
    """The audit as one page that works from disk, with no network and under a policy that allows no eval.

    ``text=False`` leaves out what items and raters said. A study of many ratings keeps them in pages under
    ``folder`` beside the report (see :func:`voirdire.report.write`); without ``folder`` they are left out.
    """
    few = len(audit.study.ratings) <= MANY
    page = build_page(audit, Links(audit.study, few, folder), text=text)
    drawn = any(section.figures for section in page.sections)
    builds, licences = plotting() if drawn else ((), "")
    scripts = (*builds, *((static("boot.js"),) if drawn else ()), *((static("rows.js"),) if few else ()))
    return render(
        "report.html",
        style=static("tokens.css", "marks.css", "page.css", "floors.css", "rows.css"),
        scripts=scripts,
        version=version("voirdire"),
        page=page,
        viewer=_viewer(audit, few, folder, text),
        licences=licences,
    )


def _viewer(audit: Audit, few: bool, folder: str, text: bool) -> dict[str, object]:
    """What the last section holds: the ratings themselves, or links to the pages that do."""
    study = audit.study
    n = len(study.ratings)
    left_out = "" if text else " Texts were left out of this report."
    if few:
        rows = ordered_rows(study, np.arange(n, dtype=np.intp))
        note = f"All {count(n)} ratings, one item a row with every label it received.{left_out}"
        return {
            "note": note,
            "n": n,
            "data": embedded(ratings_data(study, rows, text=text)),
            "pages": (),
            "index": "",
        }
    if not folder:
        note = (
            f"The {count(n)} ratings are too many for one page; a report written to a folder has them beside."
        )
        return {"note": note, "n": n, "data": "", "pages": (), "index": ""}
    counts = np.bincount(study.ratings.metric, minlength=len(study.metrics))
    pages = tuple(
        (f"{folder}/{page_name(code)}", f"{metric.label}: {count(int(counts[code]))} ratings")
        for code, metric in enumerate(study.metrics)
        if counts[code]
    )
    note = f"All {count(n)} ratings are in pages beside this report, one a metric.{left_out}"
    return {"note": note, "n": n, "data": "", "pages": pages, "index": f"{folder}/index.html"}
