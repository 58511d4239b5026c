"""Addresses of the pages: made of hashes and plain words, the same in every run of a benchmark."""

from __future__ import annotations

import re

from voirdire.bench.cells import ALL, ALL_VARIANTS, Kind
from voirdire.bench.tree import OVERALL, Node
from voirdire.judges.call import content_hash
from voirdire.web.results.shown import DIGITS, system_id

__all__ = ["board", "card", "compare", "explore", "slug", "talks"]

PLAIN = re.compile(r"[a-z0-9][a-z0-9._=-]{0,40}")
FIRST = "index.html"


def slug(name: str) -> str:
    """``name`` where it can stand in an address as it is, else the head of a hash of it.

    >>> slug("age=teen"), slug("A/B") == slug("A/B"), len(slug("A/B"))
    ('age=teen', True, 12)
    """
    return name if PLAIN.fullmatch(name) else content_hash(["name", name])[:DIGITS]


def board(kind: Kind, variant: str = ALL_VARIANTS, rate: str = "judge") -> str:
    """The leaderboard of one choice.

    >>> board("positive", "age=teen")
    'board/positive-age=teen-judge.html'
    """
    return f"board/{kind}-{'all' if variant == ALL_VARIANTS else slug(variant)}-{rate}.html"


def explore(node: Node | str = OVERALL, system: str = ALL) -> str:
    """The page of a place in the tree, over all systems or of one; a metric has one page for all."""
    if isinstance(node, Node) and node.level == "metric":
        return f"metric/{node.id}.html"
    name = node if isinstance(node, str) else node.id
    return f"explore/{name}.html" if system == ALL else f"explore/{name}-{system_id(system)}.html"


def talks(metric: str, system: str, conversation: str = "") -> str:
    """A page of conversations with one system, or one of them in it; ``metric`` is a node's id."""
    page = f"talks/{metric}-{system_id(system)}.html"
    return f"{page}#{anchor(conversation)}" if conversation else page


def anchor(conversation: str) -> str:
    """The id of a conversation in its page; what was imported may have any name.

    >>> anchor("3f9c"), anchor("a b") == "c-a b"
    ('c-3f9c', False)
    """
    return f"c-{slug(conversation)}"


def compare(first: str, second: str) -> str:
    """The page that sets two systems side by side, whichever is named first."""
    return f"compare/{'-'.join(sorted((system_id(first), system_id(second))))}.html"


def card(system: str, audience: str, form: str = "html") -> str:
    """A system's label card for an audience."""
    return f"cards/{system_id(system)}-{slug(audience)}.{form}"
