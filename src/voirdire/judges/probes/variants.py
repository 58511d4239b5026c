"""Variants: the same text in another form, which a judge of what it says should not mind."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from voirdire.judges.probing import Change, Items, appended, rewritten
from voirdire.registry import register
from voirdire.study.metric import Metric

__all__ = ["variants"]

CLOSING = "I hope this helps! Let me know if there is anything else."
MARKS = re.compile(r"[*_`#]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}")


@register("probe", "variants")
def variants() -> Sequence[Change]:
    """Show the same texts with other line breaks, without marks of emphasis, with straight quotation marks
    made curly, and with a polite closing sentence at the end (of a pair's first side).

    None of these changes what is said. The share of verdicts that move is what form alone can do; with a
    temperature above 0 a judge's own noise is in it too, which ``--runs`` shows.
    """
    return [
        Change(name="line breaks", words="Single line breaks become double.", alter=_by(_spaced)),
        Change(name="no emphasis", words="Without marks of emphasis.", alter=_by(lambda t: MARKS.sub("", t))),
        Change(name="curly quotes", words="Straight quotation marks become curly.", alter=_by(_curly)),
        Change(name="closing words", words=CLOSING, alter=_closed),
    ]


def _by(write: Callable[[str], str]) -> Callable[[Items, Metric], Items]:
    return lambda items, metric: rewritten(items, write)


def _spaced(text: str) -> str:
    return re.sub(r"\n+", "\n\n", text)


def _curly(text: str) -> str:
    return re.sub(r'"([^"\n]*)"', "“\\1”", text).replace("'", "’")


def _closed(items: Items, metric: Metric) -> Items:
    return (
        (appended(items[0], CLOSING), *items[1:])
        if items[0].side
        else tuple(appended(item, CLOSING) for item in items)
    )
