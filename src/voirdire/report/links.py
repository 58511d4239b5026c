"""Links from a number to its ratings: into the same page where few, to pages beside it where many."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from voirdire.checks.finding import Evidence
from voirdire.study import Study

__all__ = ["MANY", "Links", "fragment", "page_name"]

MANY = 20_000
"""With more ratings than this a report keeps them in pages beside it."""


def page_name(metric: int, part: int = 0) -> str:
    """File name of the ``part``-th page of a metric's ratings; made of numbers alone, never of a user's text.

    >>> page_name(3), page_name(3, 1)
    ('metric-0003.html', 'metric-0003-2.html')
    """
    return f"metric-{metric:04d}{f'-{part + 1}' if part else ''}.html"


def fragment(evidence: Evidence) -> str:
    """The part after ``#`` that makes the viewer show the ratings of ``evidence`` alone.

    >>> fragment(Evidence(metric="tone", where=(("system", "a b"),)))
    '#rows?metric=tone&where=system%3Da+b'
    """
    query: list[tuple[str, str]] = [("metric", evidence.metric)] if evidence.metric else []
    query += [("rater", rater) for rater in evidence.raters]
    query += [("where", f"{_escape(name)}={value}") for name, value in evidence.where]
    query += [("item", item) for item in evidence.items]
    return f"#rows?{urlencode(query)}"


@dataclass(frozen=True)
class Links:
    """Where a report's ratings are: ``inside`` the page, else in pages under ``folder``, or nowhere."""

    study: Study
    inside: bool
    folder: str = ""

    def __call__(self, evidence: Evidence | None) -> str:
        """The address of the ratings behind a row, '' where there is none."""
        if evidence is None or not (self.inside or self.folder):
            return ""
        if self.inside:
            return fragment(evidence)
        if evidence.metric:
            return f"{self.folder}/{page_name(self.study.metric_index(evidence.metric))}{fragment(evidence)}"
        return f"{self.folder}/index.html"


def _escape(name: str) -> str:
    return name.replace("%", "%25").replace("=", "%3D")
