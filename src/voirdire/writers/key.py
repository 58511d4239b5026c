"""The key beside an export to a labelling tool: what its codes stand for, and what raters must not see."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from os import PathLike
from pathlib import Path

from voirdire.errors import UserError
from voirdire.study.column import Column
from voirdire.study.renaming import Renames, renamed
from voirdire.study.study import Study

__all__ = ["Key", "read_key"]

KIND = "voirdire key"
PARTS = ("items", "raters", "metrics", "columns", "hidden")


@dataclass(frozen=True)
class Key:
    """The names behind the codes of an export, each mapping from code to name.

    ``hidden`` holds the columns that were left out, and transcripts that the tool spells in its own way, each
    from an item's name to its value.
    """

    items: Mapping[str, str] = field(default_factory=dict)
    raters: Mapping[str, str] = field(default_factory=dict)
    metrics: Mapping[str, str] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)
    hidden: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was coded and nothing left out."""
        return not any(getattr(self, part) for part in PARTS)

    def save(self, path: Path) -> None:
        """Write the key as JSON."""
        path.write_text(
            json.dumps({"kind": KIND, **asdict(self)}, ensure_ascii=False, indent=1) + "\n", "utf-8"
        )

    def restore(self, study: Study) -> Study:
        """``study``, read from the tool, under the names and with the columns that it had before.

        What the key does not know, an item that was added in the tool say, stays as it is.
        """
        restored = renamed(study, Renames(self.items, self.raters, self.metrics, self.columns))
        items = restored.items
        attributes, texts = dict(items.attributes), dict(items.texts)
        for name, values in self.hidden.items():
            place = texts if name in texts else attributes
            shown = place.get(name, Column.missing(len(items)))
            column = Column.of([values.get(item, text) for item, text in zip(items.ids, shown, strict=True)])
            if not column.is_missing.all():
                place[name] = column
        return replace(restored, items=replace(items, attributes=attributes, texts=texts))


def read_key(path: str | PathLike[str]) -> Key:
    """The key in the file at ``path``; any other file is a user's error."""
    try:
        document = json.loads(Path(path).read_text("utf-8"))
    except OSError as problem:
        raise UserError(f"cannot be read: {problem.strerror or problem}", where=str(path)) from None
    except (ValueError, RecursionError) as problem:
        raise UserError(
            f"is not JSON ({problem})", where=str(path), expected="a key of voirdire export"
        ) from None
    whole = isinstance(document, dict) and document.get("kind") == KIND
    if not whole or not all(isinstance(document.get(part), dict) for part in PARTS):
        raise UserError("is no key", where=str(path), expected="the .key file that voirdire export wrote")
    return Key(**{part: document[part] for part in PARTS})
