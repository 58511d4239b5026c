"""What a store's manifests say of each judge, as a study declares a rater."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from voirdire.study.config import AskedConfig, RaterConfig

__all__ = ["declared_judge"]


def declared_judge(document: Mapping[str, Any]) -> RaterConfig:
    """The judge or panel that a manifest's ``document`` describes."""
    if "panel" in document:
        return _panel(document)
    judge = document["judge"]
    return RaterConfig(
        model=judge["model"],
        family=judge["family"],
        asked=AskedConfig(
            version=document["version"],
            recipe=judge["recipe"],
            endpoint=judge["endpoint"]["url"] or judge["endpoint"]["client"],
            parameters=_spelled({**judge["parameters"], **judge["options"]}),
            sees=document["sees"],
            references=document.get("references"),
            examples=document.get("examples"),
            prompt=_prompt(document),
        ),
    )


def _panel(document: Mapping[str, Any]) -> RaterConfig:
    panel = document["panel"]
    settings = {name: panel[name] for name in ("weights", "quorum") if panel[name]}
    return RaterConfig(
        asked=AskedConfig(
            version=document["version"],
            recipe=f"panel ({panel['combine']}): {', '.join(document['members'])}",
            parameters=_spelled(settings),
        )
    )


def _prompt(document: Mapping[str, Any]) -> str:
    own = document["prompt"]
    if own is None:
        wording: str = document["wording"]
        return wording
    return "\n\n".join(text for text in (own["system"], own["user"]) if text)


def _spelled(settings: Mapping[str, Any]) -> str:
    return json.dumps(settings, ensure_ascii=False, sort_keys=True) if settings else ""
