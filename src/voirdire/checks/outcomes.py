"""Which label of a metric is the good one: asked of the study's own rule."""

from __future__ import annotations

from voirdire.study.outcomes import passing, present

__all__ = ["passing", "present"]
