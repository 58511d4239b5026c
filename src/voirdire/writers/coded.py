"""A study as raters in a labelling tool may see it: without systems' names, under names the tool takes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from voirdire.errors import UserError
from voirdire.study.beside import stands_beside
from voirdire.study.column import Column
from voirdire.study.items import Items
from voirdire.study.rater import RaterKind
from voirdire.study.renaming import Renames, renamed
from voirdire.study.study import Study
from voirdire.writers.key import Key
from voirdire.writers.written import shown_columns, turns_of

__all__ = ["Coded", "Naming", "ToolOptions", "coded"]

SYSTEMS = ("system", "system_a", "system_b")
SHORTEST = 3
"""A name that is shorter is also a word of any text."""


@dataclass(frozen=True, kw_only=True)
class ToolOptions:
    """What an export to a labelling tool holds beside the items.

    ``pre_annotate`` names the judges whose verdicts raters will see, which anchors them; ``labels`` says
    whether people's ratings go along, ``show_systems`` whether systems are named. ``seed`` makes the order
    of coded items repeatable.
    """

    pre_annotate: tuple[str, ...] = ()
    labels: bool = True
    show_systems: bool = False
    seed: int = 0


@dataclass(frozen=True)
class Naming:
    """Names that a tool takes: of ``questions``, of ``columns``, and the code of a ``rater``."""

    questions: re.Pattern[str]
    columns: re.Pattern[str]
    rater: Callable[[str], str] = str


@dataclass(frozen=True, eq=False)
class Coded:
    """The ``study`` to show, the ``key`` to its codes, the ``order`` of its items and the notes."""

    study: Study
    key: Key
    order: tuple[int, ...]
    notes: tuple[str, ...]


def coded(study: Study, options: ToolOptions, naming: Naming) -> Coded:
    """``study`` under names that the tool takes and, unless systems are shown, without what names them.

    Left out are the columns of systems, and every attribute that names a system or tells the systems apart.
    Where an item's id names a system all items get codes, in random order.
    """
    judges = _raters(study, "judge")
    unknown = [name for name in options.pre_annotate if name not in judges]
    if unknown:
        expected = f"one of {', '.join(judges)}" if judges else "a study with judges"
        raise UserError(f"no judge named '{unknown[0]}'", expected=expected)
    blind = _Blind(study.items) if options.show_systems else _blinded(study.items, options.seed)
    items, codes = blind.items, blind.codes
    metrics = _safe([metric.name for metric in study.metrics], _question(naming), "metric")
    asked = {metrics.get(metric.name, metric.name) for metric in study.metrics}
    names = Renames(
        items=codes,
        raters=_changed({name: naming.rater(name) for name in _raters(study, "human")}),
        metrics=metrics,
        columns=_safe(
            [*items.attributes, *items.texts],
            lambda name: naming.columns.fullmatch(name) and name not in asked,
            "column",
        ),
    )
    shown = renamed(replace(study, items=items, slice_by=()), names)
    order = np.argsort([codes.get(name, "") for name in items.ids], kind="stable")
    key = Key(
        items=_reversed(names.items),
        raters=_reversed(names.raters),
        metrics=_reversed(names.metrics),
        columns=_reversed(names.columns),
        hidden={**blind.hidden, **_respelled(study.items)},
    )
    notes = [*blind.notes, *_labels_in(study, options)]
    return Coded(shown, key, tuple(order.tolist()), tuple(notes))


def _labels_in(study: Study, options: ToolOptions) -> Iterator[str]:
    """Whose labels go along, and whose do not."""
    if options.labels and study.raters_of("human"):
        yield "People's labels go along; leave them out for raters who must not see them."
    others = study.is_kind("program") | study.is_kind("reference")
    if left_out := int(others[study.ratings.rater].sum()):
        yield f"{left_out:,} ratings of programs and references are left out."


@dataclass(frozen=True, eq=False)
class _Blind:
    """Items without their systems, the columns left out, the items' codes if they need any, and the notes."""

    items: Items
    hidden: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    codes: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def _blinded(items: Items, seed: int) -> _Blind:
    systems = {
        value for name in SYSTEMS if name in items.attributes for value in items.attributes[name].values
    }
    names_one = _mention(systems)
    hidden = {
        name: {item: value for item, value in zip(items.ids, column, strict=True) if value is not None}
        for name, column in items.attributes.items()
        if name in SYSTEMS or any(map(names_one, column.values)) or _tells_apart(column, items)
    }
    codes: dict[str, str] = {}
    if any(map(names_one, items.ids)):
        order = np.random.default_rng(seed).permutation(len(items.ids))
        width = len(str(len(items.ids)))
        codes = {name: f"item-{at + 1:0{width}d}" for name, at in zip(items.ids, order.tolist(), strict=True)}
    notes = [f"Left out, since they name systems or tell them apart: {', '.join(hidden)}."] if hidden else []
    notes += ["Items have codes, since their ids name systems."] if codes else []
    telling_one = _mention([name for name in systems if len(name) >= SHORTEST])
    rows = zip(*items.texts.values(), strict=True)
    telling = sum(any(map(telling_one, filter(None, row))) for row in rows)
    notes += [f"{telling:,} items name a system in their texts, which are not changed."] if telling else []
    kept = {name: column for name, column in items.attributes.items() if name not in hidden}
    return _Blind(replace(items, attributes=kept), hidden, codes, tuple(notes))


def _respelled(items: Items) -> dict[str, dict[str, str]]:
    """The transcripts that are not spelled as a tool gives them back, which is a JSON list of messages."""
    return {
        name: {
            item: text
            for item, text in zip(items.ids, items.texts[name], strict=True)
            if text is not None and text != json.dumps(turns_of(text), ensure_ascii=False)
        }
        for name, is_transcript in shown_columns(items).items()
        if is_transcript
    }


def _mention(systems: Collection[str]) -> Callable[[str], object]:
    """Whether a text names one of ``systems`` as words of its own, however they are joined: gpt-4o, GPT4o."""
    words = [word for name in systems if (word := _spellings(name))]
    if not words:
        return lambda text: False
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(words)})(?![^\W_])").search


def _spellings(name: str) -> str:
    """A pattern for the spellings of a system's name; a name of one or two characters has one."""
    parts = [re.escape(part) for part in re.findall(r"[^\W\d_]+|\d+", name)]
    joined = r"[\W_]*".join(parts) or re.escape(name.strip())
    return rf"(?i:{joined})" if len(name) >= SHORTEST else joined


def _tells_apart(column: Column, items: Items) -> bool:
    """Whether each system has one value of the attribute, and not all have the same."""
    system = items.attributes.get("system")
    if system is None or len(system.values) < 2:
        return False
    pairs = set(zip(system.codes.tolist(), column.codes.tolist(), strict=True))
    values = {value for _, value in pairs}
    return len(pairs) == len({one for one, _ in pairs}) and len(values) > 1


def _raters(study: Study, kind: RaterKind) -> list[str]:
    return [study.raters[at].id for at in study.raters_of(kind)]


def _question(naming: Naming) -> Callable[[str], object]:
    return lambda name: naming.questions.fullmatch(name) and not stands_beside(name)


def _safe(names: Iterable[str], fits: Callable[[str], object], what: str) -> dict[str, str]:
    """A code for each name that does not fit: the kind of thing and a number that no other name has."""
    listed = list(names)
    free = _numbered(what, {name for name in listed if fits(name)})
    return {name: next(free) for name in listed if not fits(name)}


def _numbered(what: str, taken: Collection[str]) -> Iterator[str]:
    number = 0
    while True:
        number += 1
        if f"{what}_{number}" not in taken:
            yield f"{what}_{number}"


def _changed(new: Mapping[str, str]) -> dict[str, str]:
    return {old: name for old, name in new.items() if old != name}


def _reversed(names: Mapping[str, str]) -> dict[str, str]:
    return {new: old for old, new in names.items()}
