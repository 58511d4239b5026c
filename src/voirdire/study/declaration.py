"""study.yaml as a checked declaration: every scalar is text, an unknown key is refused with the nearest."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from voirdire.study.config import StudyConfig
from voirdire.study.documents import load_mapping, validated

__all__ = ["load_declaration", "read_declaration"]


def load_declaration(path: Path) -> dict[str, Any]:
    """The mapping in the study.yaml at ``path``, unchecked; any other file is a user's error."""
    return load_mapping(path, text=True)


def read_declaration(loaded: Mapping[str, Any], *, where: str) -> StudyConfig:
    """The declaration that ``loaded`` holds; all its faults are raised at once."""
    return validated(StudyConfig, loaded, where=where)
