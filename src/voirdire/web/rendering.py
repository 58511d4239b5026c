"""Templates as pages; whatever people or models wrote is escaped."""

from __future__ import annotations

import hashlib
import json
import re
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse

from voirdire.report.assets import inline, prose

__all__ = ["asset", "data", "page", "paragraphs"]


def page(template: str, *, status: int = 200, **context: Any) -> HTMLResponse:
    """A template as a whole page or a part of one."""
    return HTMLResponse(_templates().get_template(template).render(**context), status)


@cache
def asset(name: str) -> str:
    """The address of a file of ``static/``, which changes with its content; ``report/`` has the report's."""
    shared = name.startswith("report/")
    folder = files("voirdire.report" if shared else "voirdire.web") / "static"
    content = (folder / name.removeprefix("report/")).read_bytes()
    return f"/static/{name}?v={hashlib.sha256(content).hexdigest()[:12]}"


def data(value: Any) -> Markup:
    """``value`` as JSON that stands safely inside a script block of type application/json."""
    return inline(json.dumps(value, ensure_ascii=False, allow_nan=False))


def paragraphs(text: str) -> Markup:
    """Plain text with its paragraphs, line breaks and ``*emphasis*``, everything else escaped.

    >>> str(paragraphs("a *b* <i>\\n\\nc"))
    '<p>a <em>b</em> &lt;i&gt;</p><p>c</p>'
    """
    blocks = [block.strip() for block in re.split(r"\n\s*\n", text) if block.strip()]
    marked = [re.sub(r"\*([^*\n]+)\*", r"<em>\1</em>", str(escape(block))) for block in blocks]
    return Markup("".join(f"<p>{block.replace(chr(10), '<br>')}</p>" for block in marked))


@cache
def _templates() -> Environment:
    environment = Environment(
        loader=PackageLoader("voirdire.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(asset=asset, data=data)
    environment.filters.update(paragraphs=paragraphs, prose=prose)
    return environment
