"""The gate: a policy of thresholds that a study passes, fails or cannot decide yet.

The package is itself the function :func:`voirdire.gate.gate.gate`, so that ``voirdire.gate(study, policy)``
reads like ``voirdire.audit(study)``.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from voirdire.gate.gate import Gate

__all__: list[str] = []


class _Gate(ModuleType):
    """A module that is called as the function it is named after (a subpackage hides a function)."""

    def __call__(self, *args: Any, **options: Any) -> Gate:
        from voirdire.gate.gate import gate

        return gate(*args, **options)


sys.modules[__name__].__class__ = _Gate
