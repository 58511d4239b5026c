"""The page's own style, scripts and templates, and the security policy that names each by its hash."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

__all__ = ["embedded", "fragment", "inline", "plotting", "policy", "render", "static"]

_HERE = files("voirdire.report")


@cache
def static(*names: str) -> str:
    """The named files of ``static/``, one after the other."""
    return "".join((_HERE / "static" / name).read_text(encoding="utf-8") for name in names)


@cache
def plotting() -> tuple[tuple[str, ...], str]:
    """The vendored plotting scripts, in the order in which they load, and their licences."""
    vendor = _HERE / "vendor"
    builds = json.loads((vendor / "checksums.json").read_text(encoding="utf-8"))["files"]
    scripts = tuple((vendor / build["file"]).read_text(encoding="utf-8") for build in builds)
    return scripts, (vendor / "LICENSES.txt").read_text(encoding="utf-8")


def policy(style: str, scripts: tuple[str, ...]) -> str:
    """A content security policy under which nothing loads and no script runs but these, named by hash.

    >>> policy("", ())
    "default-src 'none'; script-src 'none'; style-src 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='; \
img-src data:; base-uri 'none'; form-action 'none'"
    """
    allowed = " ".join(_hash(script) for script in scripts) or "'none'"
    return (
        f"default-src 'none'; script-src {allowed}; style-src {_hash(style)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def embedded(data: Any) -> Markup:
    """``data`` as JSON that stands safely inside a script block of any type.

    >>> embedded({"a": "</script><!--"})
    Markup('{"a":"\\\\u003c/script\\\\u003e\\\\u003c!--"}')
    """
    return inline(json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False))


def inline(document: str) -> Markup:
    """A JSON document with every character that HTML might act on written as its escape."""
    for character in "&<>\u2028\u2029":
        document = document.replace(character, f"\\u{ord(character):04x}")
    return Markup(document)


def render(template: str, *, style: str, scripts: tuple[str, ...] = (), **context: Any) -> str:
    """A template as a whole page; ``context`` is escaped, ``style`` and ``scripts`` are ours."""
    return (
        _templates()
        .get_template(template)
        .render(
            policy=policy(style, scripts),
            style=Markup(style),
            scripts=[Markup(script) for script in scripts],
            **context,
        )
    )


def fragment(template: str, *, style: str, **context: Any) -> str:
    """A template as a part of somebody else's page."""
    return _templates().get_template(template).render(style=Markup(style), **context)


@cache
def _templates() -> Environment:
    environment = Environment(
        loader=PackageLoader("voirdire.report"), autoescape=True, undefined=StrictUndefined
    )
    environment.filters["prose"] = prose
    environment.filters["start"] = lambda sentence: sentence[:1].upper() + sentence[1:]
    return environment


def prose(sentence: str) -> str:
    """A sentence in which a percentage never loses its sign to the next line.

    >>> prose("at most 5 % of them")
    'at most 5\xa0% of them'
    """
    return re.sub(r"(?<=\d) %", "\N{NO-BREAK SPACE}%", sentence)


@cache
def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
