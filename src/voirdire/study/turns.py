"""The messages of a transcript, however it is written down."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

__all__ = ["messages_of"]

SPEAKER = re.compile(
    r"^(user|human|assistant|ai|model|system|agent|bot|customer)\s*:\s*", re.IGNORECASE | re.MULTILINE
)


def messages_of(text: str) -> list[tuple[str, str]]:
    """Role and words of each message of a transcript; empty where ``text`` is none.

    A transcript is a JSON list of messages, or text in which each turn names its speaker.

    >>> messages_of("User: Hi\\nAssistant: Hello\\nthere")
    [('user', 'Hi'), ('assistant', 'Hello\\nthere')]
    >>> messages_of('[{"role": "user", "content": "Hi"}]')
    [('user', 'Hi')]
    >>> messages_of("Hi")
    []
    """
    return _listed(text) or _spoken(text)


def _listed(text: str) -> list[tuple[str, str]]:
    """Role and words of each message of a JSON list, empty where the text is none."""
    if not text.lstrip().startswith(("[", "{")):
        return []
    try:
        loaded = json.loads(text)
    except (ValueError, RecursionError):
        return []
    listed = loaded.get("messages") if isinstance(loaded, dict) else loaded
    if not isinstance(listed, list) or not all(isinstance(message, dict) for message in listed):
        return []
    return [_message(message) for message in listed]


def _message(message: Mapping[str, Any]) -> tuple[str, str]:
    said = message.get("content", message.get("text", ""))
    words = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
    return str(message.get("role", message.get("speaker", "text"))), words


def _spoken(text: str) -> list[tuple[str, str]]:
    """Role and words of each turn of a text that starts by naming its speaker, else empty."""
    found = list(SPEAKER.finditer(text))
    if not found or found[0].start() > 0:
        return []
    ends = [match.start() for match in found[1:]] + [len(text)]
    return [
        (match[1].lower(), text[match.end() : end].strip()) for match, end in zip(found, ends, strict=True)
    ]
