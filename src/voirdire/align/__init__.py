"""Aligning a judge: from its outputs to the distribution of labels that people would give.

The package is itself the function :func:`voirdire.align.aligner.align`, so that ``voirdire.align(study)``
reads like ``voirdire.audit(study)``.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from voirdire.align.aligner import Aligner

__all__: list[str] = []


class _Align(ModuleType):
    """A module that is called as the function it is named after (a subpackage hides a function)."""

    def __call__(self, *args: Any, **options: Any) -> Aligner:
        from voirdire.align.aligner import align

        return align(*args, **options)


sys.modules[__name__].__class__ = _Align
