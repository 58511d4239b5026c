"""An audit as a reader meets it: a page, a JSON document, a terminal's screen, a notebook's cell."""

from __future__ import annotations

from voirdire.report.folder import write

__all__ = ["write"]
