"""Prompts: sandboxed Jinja templates in which the texts of items are fenced data, never instructions."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import jinja2
from jinja2.sandbox import ImmutableSandboxedEnvironment

from voirdire.errors import UserError
from voirdire.judges.call import Message
from voirdire.judges.recipe import JudgedItem, Turn

__all__ = ["Prompt", "fence", "harmless", "spelled"]

Role = Literal["system", "user", "assistant"]
FENCE_DIGITS = 12
PROBE = "voirdire-item-probe"
"""Stands for an item where a prompt is checked."""
CONTROL = "<\u2060|"
"""What the opening of a chat template's control token becomes: a word joiner keeps it from being one."""


@dataclass(frozen=True)
class Prompt:
    """The templates of a system and a user message; ``where`` names their file in messages.

    Templates see what the recipe passes (``metric``, ``options``, ...) and ``item``, the fenced text of what
    is judged. They are Jinja in a sandbox: an unknown name is a user's error, and nothing in an item's text
    is a template.
    """

    user: str
    system: str = ""
    where: str = "prompt"

    def messages(self, **context: Any) -> tuple[Message, ...]:
        """The messages with everything filled in; an empty system message is left out."""
        return tuple(Message(role, self._filled(template, context)) for role, template in self._templates)

    def check(self, **context: Any) -> None:
        """Raise a user's error where the templates do not parse, name something unknown, or show no item."""
        shown = "".join(message.content for message in self.messages(**context, item=PROBE))
        if PROBE not in shown:
            raise UserError("shows no item", where=self.where, fix="add {{ item }}")

    @cached_property
    def _templates(self) -> list[tuple[Role, jinja2.Template]]:
        environment = ImmutableSandboxedEnvironment(undefined=jinja2.StrictUndefined, autoescape=False)
        texts: list[tuple[Role, str]] = [("system", self.system), ("user", self.user)]
        try:
            return [(role, environment.from_string(text)) for role, text in texts if text.strip()]
        except jinja2.TemplateSyntaxError as problem:
            where = f"{self.where}, line {problem.lineno}"
            raise UserError(f"{problem.message}", where=where, fix="mend the template") from None

    def _filled(self, template: jinja2.Template, context: Mapping[str, Any]) -> str:
        try:
            return template.render(context).strip()
        except jinja2.UndefinedError as problem:
            known = ", ".join(sorted({*context, "item"}))
            raise UserError(str(problem), where=self.where, expected=f"one of {known}") from None
        except (jinja2.TemplateError, TypeError) as problem:
            raise UserError(str(problem), where=self.where, fix="mend the template") from None


def spelled(items: Sequence[JudgedItem]) -> str:
    """What is judged, each column and transcript in a fence of its own; what a pair shares comes first, once.

    >>> print(spelled([JudgedItem("a", {"text": "Hello"})]))
    <text 185f8db32271>
    Hello
    </text 185f8db32271>
    """
    shared = [fence(name, text) for name, text in items[0].shared.items()] if items else []
    return "\n\n".join([*shared, *(part for item in items for part in _parts(item))])


def _parts(item: JudgedItem) -> Iterator[str]:
    prefix = f"{item.side} " if item.side else ""
    for name, text in item.fields.items():
        yield fence(prefix + name, text)
    if item.turns:
        yield fence(f"{prefix}transcript", "\n\n".join(map(_turn, item.turns)))


def _turn(turn: Turn) -> str:
    return f"[{turn.number}] {turn.role}: {turn.text}"


def fence(name: str, text: str) -> str:
    """``text`` between two marks that it cannot contain, for they carry its own hash.

    Whoever writes the text would have to know the hash of a text that holds that hash.
    """
    inner = harmless(text)
    mark = f"{harmless(name)} {hashlib.sha256(inner.encode('utf-8', 'replace')).hexdigest()[:FENCE_DIGITS]}"
    return f"<{mark}>\n{inner}\n</{mark}>"


def harmless(text: str) -> str:
    """``text`` with control and direction characters spelt out and no chat template's control token.

    >>> harmless("a\\x1b[2Jb")
    'a\\\\x1b[2Jb'
    """
    if not text.replace("\n", "").replace("\t", "").isprintable():
        text = "".join(_visible(sign) for sign in text)
    return text.replace("<|", CONTROL)


def _visible(sign: str) -> str:
    if sign in "\n\t" or unicodedata.category(sign) not in ("Cc", "Cf", "Cs", "Co"):
        return sign
    if sign in "\u200c\u200d":  # joiners belong to scripts and to emoji
        return sign
    return sign.encode("unicode_escape").decode("ascii")
