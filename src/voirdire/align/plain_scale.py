"""A scale in plain lists and dictionaries, for JSON and for other processes, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from voirdire.study.scale import Scale

__all__ = ["scale_from_dict", "scale_to_dict"]


def scale_to_dict(scale: Scale) -> dict[str, Any]:
    """Every field of ``scale`` in lists, dictionaries, text and numbers."""
    return {
        "kind": scale.kind,
        "labels": list(scale.labels),
        "ordered": scale.ordered,
        "values": None if scale.values is None else list(scale.values),
        "indeterminate": {label: list(admitted) for label, admitted in scale.indeterminate.items()},
        "separator": scale.separator,
    }


def scale_from_dict(saved: Mapping[str, Any]) -> Scale:
    """What :func:`scale_to_dict` was given.

    >>> scale = Scale("ordinal", ("1", "2"), ordered=True, values=(1.0, 2.0))
    >>> scale_from_dict(scale_to_dict(scale)) == scale
    True
    """
    return Scale(
        saved["kind"],
        tuple(saved["labels"]),
        saved["ordered"],
        None if saved["values"] is None else tuple(saved["values"]),
        {label: tuple(admitted) for label, admitted in saved["indeterminate"].items()},
        saved["separator"],
    )
