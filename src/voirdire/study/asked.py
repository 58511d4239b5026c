"""Asked: how a judge was asked and what it could see, as the record of an audit keeps it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Asked"]


@dataclass(frozen=True)
class Asked:
    """How a judge got to its verdicts; empty means not recorded.

    ``version`` changes with anything that can change a verdict. ``recipe`` is the way of asking, ``endpoint``
    where the model was reached, ``parameters`` what was sent with every request, as JSON. ``sees`` are the
    columns of an item that were shown. ``references`` are those among them that hold a reference answer, and
    ``synthetic`` for one that the model wrote itself: an empty one means reference-free, None not recorded.
    ``examples`` says whether labels of people were shown as examples. ``prompt`` is the template.
    """

    version: str = ""
    recipe: str = ""
    endpoint: str = ""
    parameters: str = ""
    sees: tuple[str, ...] = ()
    references: tuple[str, ...] | None = None
    examples: bool | None = None
    prompt: str = ""
