"""A page of results as HTML that needs nothing but one style sheet beside it."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from voirdire.report.assets import prose, static

__all__ = ["STYLE", "html", "style_sheet"]

STYLE = "assets/results.css"


def html(template: str, *, path: str, **context: Any) -> bytes:
    """The page at ``path``, with links relative to it; all that people or models wrote is escaped."""
    root = "../" * path.count("/")
    return _templates().get_template(template).render(root=root, here=path, **context).encode()


def style_sheet() -> bytes:
    """The one style sheet of all pages."""
    own = (files("voirdire.web") / "static" / "results.css").read_text(encoding="utf-8")
    return (static("tokens.css", "marks.css") + own).encode()


@cache
def _templates() -> Environment:
    environment = Environment(
        loader=PackageLoader("voirdire.web", "templates/results"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["prose"] = prose
    return environment
