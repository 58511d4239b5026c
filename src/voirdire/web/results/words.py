"""Sentences and words that several pages share."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from voirdire.bench.cells import ALL_VARIANTS, Kind
from voirdire.bench.contestants import Contestant
from voirdire.bench.ranks import Ranking
from voirdire.report.wording import count
from voirdire.web.results.shown import Shown

__all__ = ["DOES", "KIND_WORDS", "flags", "headline", "plural", "variant_words"]

KIND_WORDS: dict[Kind, str] = {
    "positive": "Promotes good",
    "negative": "Avoids harm",
    "both": "Both, by conversations",
}
DOES: dict[Kind, str] = {
    "positive": "does what experts ask for",
    "negative": "avoids what experts warn of",
    "both": "goes as experts ask for",
}
RELATIONS = {
    "itself": "is the {}",
    "same family": "same family as the {}",
    "name begins alike": "named like the {}",
}


def plural(n: int, one: str, many: str = "") -> str:
    """A count with its noun.

    >>> plural(1, "metric"), plural(1200, "metric")
    ('1 metric', '1,200 metrics')
    """
    return f"{count(n)} {one if n == 1 else many or one + 's'}"


def variant_words(name: str) -> str:
    """A choice of variants as a reader sees it.

    >>> variant_words("age=teen"), variant_words("all variants")
    ('teen', 'All')
    """
    if name == ALL_VARIANTS:
        return "All"
    return ", ".join(part.partition("=")[2] or part for part in name.split(","))


def flags(contestants: Sequence[Contestant], system: str) -> list[str]:
    """In what way ``system`` takes part in the measurement itself."""
    mine = [one for one in contestants if one.system == system]
    return [RELATIONS[one.relation].format(one.role) for one in mine]


def headline(shown: Shown, kind: Kind, ranking: Ranking | None) -> str:
    """What a leaderboard says, in one or two sentences: never more than the intervals do."""
    if ranking is None:
        n = len(shown.results.systems)
        return (
            "No metric counts yet." if not shown.kinds else f"{plural(n, 'system')} tested: nothing to rank."
        )
    n, does = len(ranking.systems), DOES[kind]
    first = [one.system for one in ranking.systems if one.rank.low == 1]
    if ranking.told_apart == 0:
        return f"No two of {n} systems can be told apart in how often each {does}."
    if len(first) == 1:
        return f"{first[0]} most often {does}. {_neighbours(ranking, 1)}".strip()
    return f"{len(first)} of {n} systems may be the one that most often {does}. {_neighbours(ranking, 0)}"


def _neighbours(ranking: Ranking, after: int) -> str:
    """How many systems can be told from the one right after them, ``after`` the first so many."""
    order = [one.system for one in ranking.systems][after:]
    decided = {
        frozenset((one.first, one.second))
        for one in ranking.differences
        if one.difference.has_interval and (one.difference.low > 0 or one.difference.high < 0)
    }
    pairs = list(pairwise(order))
    apart = sum(frozenset(pair) in decided for pair in pairs)
    below = "Below it " if after else ""
    if not pairs:
        return ""
    if not apart:
        return (
            f"{below}no two neighbours can be told apart."
            if below
            else "No two neighbours can be told apart."
        )
    said = f"{apart} of {len(pairs)} pairs of neighbours can be told apart."
    return f"{below}{said}"
