"""Questions that are asked beside another one: for a reason, or for how sure the rater is."""

from __future__ import annotations

import re
from collections.abc import Collection

__all__ = ["side_of", "stands_beside"]

SIDE = re.compile(
    r"(.*(?<![^\W_]))(rationale|reasons?|explanation|comments?|notes?|confidence|certainty)",
    re.IGNORECASE | re.DOTALL,
)
BETWEEN = " \t_.:/-"
SURE = ("confidence", "certainty")


def stands_beside(question: str) -> bool:
    """Whether a question of this name may be one that is asked beside another.

    >>> stands_beside("warmth comment"), stands_beside("warmth")
    (True, False)
    """
    return SIDE.fullmatch(question) is not None


def side_of(question: str, asked: Collection[str]) -> tuple[str, str] | None:
    """The question of ``asked`` that ``question`` stands beside, '' for all, and the column of its answers.

    None where it is a question of its own: by its name, or because no other one is asked.

    >>> side_of("warmth__rationale", ["warmth"]), side_of("How sure? confidence", ["warmth"])
    (('warmth', 'rationale'), None)
    >>> side_of("Comment", ["warmth"]), side_of("comment", ["comment"])
    (('', 'rationale'), None)
    """
    match = SIDE.fullmatch(question)
    if match is None:
        return None
    before, word = match.groups()
    column = "confidence" if word.lower() in SURE else "rationale"
    bare = before.rstrip(BETWEEN)
    for end in range(len(before), len(bare) - 1, -1):
        if before[:end] in asked:
            return before[:end], column
    alone = not bare and any(not stands_beside(other) for other in asked)
    return ("", column) if alone else None
