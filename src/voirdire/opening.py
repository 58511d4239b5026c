"""Opening a study: from a file, a frame, a folder or its study.yaml."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from voirdire import registry
from voirdire.errors import UserError
from voirdire.study.build import build
from voirdire.study.config import StudyConfig, TableConfig
from voirdire.study.study import Study

__all__ = ["open"]


def open(
    source: Any,
    *,
    columns: Mapping[str, str] | None = None,
    judges: Collection[str] = (),
    wide: Sequence[str] = (),
    missing: Sequence[str] | None = None,
    on_duplicate: str = "",
    config: Mapping[str, Any] | None = None,
) -> Study:
    """Open a study."""
    path = Path(source)
    table = _reader(path)(path)
    study = StudyConfig.model_validate(
        {
            **(config or {}),
            **({"missing": missing} if missing is not None else {}),
            **({"on_duplicate": on_duplicate} if on_duplicate else {}),
        }
    )
    declared = TableConfig(file=path.name, columns=columns or {}, raters=list(wide))
    return build([(table, declared)], study, name=path.name.split(".")[0], judges=judges)


def _reader(path: Path) -> Any:
    suffixes = path.suffixes[:-1] if path.suffix == ".gz" else path.suffixes
    kind = suffixes[-1].removeprefix(".").lower() if suffixes else ""
    if kind not in registry.names("reader"):
        raise UserError(f"no reader for '{path.name}'", expected=", ".join(registry.names("reader")))
    return registry.get("reader", kind)
