"""The study as it stands now, with everything that its store holds."""

from __future__ import annotations

from voirdire.opening import open as open_study
from voirdire.review.desk import Desk
from voirdire.study.study import Study

__all__ = ["reread"]


def reread(desk: Desk) -> Study:
    """The study of ``desk`` opened anew: labels that came since it was opened are in it."""
    return open_study(desk.source, config={"unrated": True, "store": desk.store.url})
