"""How labels are spelled: which spellings are missing, what is evened out, and which labels are renamed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from voirdire.study.column import Column

__all__ = ["MISSING", "Spelling", "count_changes", "normalised", "with_points"]

MISSING = ("", "NA", "N/A", "null", "NaN", "nan", "None")
"""What spells a missing label in a text file, unless declared otherwise."""

COMMA = re.compile(r"[+-]?\d+(,\d+)?", re.ASCII)
STEPS: Mapping[str, Callable[[str], str]] = {
    "trim": str.strip,
    "case": str.lower,
    "nfc": lambda text: unicodedata.normalize("NFC", text),
}
SAID = {
    "trim": "spaces around {n} labels were trimmed",
    "case": "{n} labels were put into lower case",
    "nfc": "{n} labels were put into one Unicode form (NFC)",
}


@dataclass(frozen=True)
class Spelling:
    """How one table's raw labels become labels: evened out, then missing or not, then renamed.

    >>> spelling = Spelling(missing=("NA",), steps=("trim",), renamed={"1": "pass"})
    >>> spelling.read(Column.of(["1 ", "NA", "0"])).values
    ('pass', '0')
    """

    missing: Collection[str] = ()
    steps: Sequence[str] = ()
    renamed: Mapping[str, str] = field(default_factory=dict)

    def read(self, raw: Column) -> Column:
        """The labels that the raw labels stand for, missing where they spell that."""
        renamed = {normalised(old, self.steps): new for old, new in self.renamed.items()}
        evened = [normalised(value, self.steps) for value in raw.values]
        missing = set(self.missing)
        return raw.recode([None if value in missing else renamed.get(value, value) for value in evened])


def normalised(label: str, steps: Sequence[str]) -> str:
    """``label`` after each of the declared ``steps``: trim, case, nfc."""
    for step in steps:
        label = STEPS[step](label)
    return label


def with_points(labels: Collection[str], missing: Collection[str]) -> dict[str, str]:
    """Numbers with a decimal comma and how they are written with a point; none unless all are numbers.

    >>> with_points(["3,5", "4", "NA"], MISSING), with_points(["3,5", "good"], MISSING)
    ({'3,5': '3.5'}, {})
    """
    given = [label for label in labels if label.strip() not in missing]
    if not given or not all(COMMA.fullmatch(label.strip()) for label in given):
        return {}
    return {label: label.strip().replace(",", ".") for label in given if "," in label}


def count_changes(raw: Column, steps: Sequence[str]) -> tuple[dict[str, int], list[str]]:
    """How many raw labels each step changes, by name and as sentences."""
    rows = np.bincount(raw.codes[raw.codes >= 0], minlength=len(raw.values))
    counts, notes = {}, []
    for step in steps:
        changed = sum(int(rows[code]) for code, value in enumerate(raw.values) if STEPS[step](value) != value)
        counts[f"normalised_{step}"] = changed
        notes.append(f"As declared, {SAID[step].format(n=f'{changed:,}')}.")
    return counts, notes
