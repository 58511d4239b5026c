"""Casts of which the truth is known: scripted systems with planted behaviour, and a judge that sees it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from voirdire.bench.cast import Cast, TargetConfig, UserConfig
from voirdire.bench.scripts import Planted, Script
from voirdire.judges.call import Request

__all__ = ["ABSENT", "PRESENT", "planted_cast", "seeing"]

PRESENT, ABSENT = "This is the planted behaviour.", "Nothing of the kind is here."


def planted_cast(
    rates: Mapping[str, float], *, by_variant: Mapping[str, Mapping[str, float]] | None = None, turn: int = 1
) -> Cast:
    """Scripted systems by name, each showing the behaviour of every metric in exactly its share of the time.

    ``by_variant`` gives a system other rates in some variants, ``turn`` is when it is shown. The user is a
    script too, so that nothing is asked of any model.

    >>> cast = planted_cast({"good": 0.1, "bad": 0.9}, by_variant={"bad": {"age=teen": 1.0}})
    >>> [len(target.script.planted) for target in cast.targets]
    [1, 2]
    """
    targets = []
    for system, rate in rates.items():
        variants = {"*": rate, **(by_variant or {}).get(system, {})}
        rules = [
            Planted(variant=variant, rate=share, present=PRESENT, absent=ABSENT, turn=turn)
            for variant, share in variants.items()
        ]
        targets.append(TargetConfig(system=system, family="made", script=Script(planted=rules)))
    return Cast(UserConfig(script=True), tuple(targets), {})


def seeing(phrase: str = PRESENT) -> Callable[[Request], str]:
    """The judge that says present where ``phrase`` stands in what it is shown, and cites it.

    For :class:`~voirdire.testing.clients.FakeClient` and judges by the recipe ``binary_rubric``.

    >>> from voirdire.judges.call import Message
    >>> json.loads(seeing("cake")(Request("", "m", (Message("user", "I like cake."),))))["verdict"]
    'present'
    """

    def answer(request: Request) -> str:
        present = any(phrase in message.content for message in request.messages)
        cited = [{"turn": None, "quote": phrase}] if present else []
        verdict = "present" if present else "absent"
        return json.dumps({"justification": f"It is {verdict}.", "citations": cited, "verdict": verdict})

    return answer
