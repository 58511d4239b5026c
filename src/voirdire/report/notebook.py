"""The audit in a notebook's cell: the answer and the headline table, in the report's own marks."""

from __future__ import annotations

from voirdire.checks.audit import Audit
from voirdire.registry import register
from voirdire.report.assets import fragment, static
from voirdire.report.links import Links
from voirdire.report.page import build_page

__all__ = ["notebook"]


@register("report", "notebook")
def notebook(audit: Audit) -> str:
    """The answer, what it rests on, headline table and next steps as a fragment of HTML without scripts.

    Its styles hold inside the fragment alone.
    """
    page = build_page(audit, Links(audit.study, inside=False))
    tokens = static("tokens.css").replace(":root", ".voirdire")
    style = f"{tokens}.voirdire{{{static('marks.css', 'notebook.css')}}}"
    return fragment("notebook.html", style=style, page=page)
