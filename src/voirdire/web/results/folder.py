"""A site of results as files: what opens from a disk, with no server and no network."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from voirdire.errors import UserError
from voirdire.report.folder import write as write_report
from voirdire.web.results.pages import REPORT, Pages
from voirdire.web.results.shown import Shown

__all__ = ["MARK", "Written", "write_site"]

MARK = "site-of-results.txt"
"""Says that a folder is ours, to be written anew."""
NOTE = "Written by voirdire bench results, which writes these files anew; keep nothing else here.\n"


@dataclass(frozen=True)
class Written:
    """What was written: the first page, and how many files and bytes."""

    first: Path
    files: int
    bytes: int

    def __str__(self) -> str:
        return f"Wrote {self.files:,} files ({self.bytes / 1e6:,.1f} MB). Open {self.first}."


def write_site(
    shown: Shown, folder: str | Path, *, progress: Callable[[int, int], None] = lambda done, of: None
) -> Written:
    """Write every page of ``shown`` into ``folder``, one at a time, so that memory does not grow with them.

    A page that stands there as it would be written is left alone, and pages that no longer belong are
    removed. A folder that holds something else, and one that cannot be written, are users' errors.
    """
    place = Path(folder)
    before = _before(place)
    pages = Pages(shown)
    size = 0
    try:
        place.mkdir(parents=True, exist_ok=True)
        (place / MARK).write_text(NOTE, encoding="utf-8")
        report = _report(shown, place)
        every = pages.paths
        for done, (path, made) in enumerate(every.items(), start=1):
            size += _write(place / path, made())
            progress(done, len(every))
        kept = {place / path for path in every} | {place / MARK, *report}
        for file in before - kept:
            file.unlink()
    except OSError as problem:
        raise UserError(f"cannot be written: {problem.strerror}", where=str(folder)) from None
    size += sum(file.stat().st_size for file in report)
    return Written(place / "index.html", len(every) + len(report), size)


def _before(place: Path) -> set[Path]:
    """The files of an earlier site in ``place``."""
    if not place.exists():
        return set()
    if not place.is_dir():
        raise UserError("is a file, not a folder", where=str(place), fix="name a new folder: --out site")
    if any(place.iterdir()) and not (place / MARK).is_file():
        raise UserError("holds other files", where=str(place), fix="name a new folder: --out site")
    return {file for file in place.rglob("*") if file.is_file()}


def _report(shown: Shown, place: Path) -> list[Path]:
    return [] if shown.audit is None else write_report(shown.audit, (place / REPORT).parent)


def _write(file: Path, content: bytes | Iterator[bytes]) -> int:
    """How many bytes the file holds now."""
    file.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, bytes):
        if not (file.is_file() and file.stat().st_size == len(content) and file.read_bytes() == content):
            file.write_bytes(content)
        return len(content)
    with file.open("wb") as opened:
        for part in content:
            opened.write(part)
        return opened.tell()
