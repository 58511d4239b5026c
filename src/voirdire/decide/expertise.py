"""What kind of person a rater is, for what a judge may cost them: expert, skilled or crowd."""

from __future__ import annotations

import re

from voirdire.stats.alternative_annotator import EPSILON

__all__ = ["epsilon_of", "rater_kind"]

CROWD = (
    "crowd",
    "lay",
    "novice",
    "nonexpert",
    "non-expert",
    "public",
    "volunteer",
    "worker",
    "mturk",
    "prolific",
)
SKILLED = ("skilled", "trained", "student", "annotator")


def rater_kind(expertise: str) -> str:
    """``expert``, ``skilled`` or ``crowd`` from what the study declares of a person.

    A declared field (psychology, law) is an expert's; words such as crowd, lay or volunteer, and trained or
    student, say otherwise. Nothing declared counts as crowd, the strictest.

    >>> rater_kind("psychology"), rater_kind("trained annotator"), rater_kind("lay"), rater_kind("")
    ('expert', 'skilled', 'crowd', 'crowd')
    """
    words = re.findall(r"[\w-]+", expertise.lower())
    for kind, starts in (("crowd", CROWD), ("skilled", SKILLED)):
        if any(word.startswith(starts) for word in words):
            return kind
    return "expert" if words else "crowd"


def epsilon_of(expertise: str) -> float:
    """How much worse than such a person a judge may be in the alternative annotator test.

    >>> epsilon_of("law"), epsilon_of("")
    (0.2, 0.1)
    """
    return EPSILON[rater_kind(expertise)]
