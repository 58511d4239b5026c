"""Who rated: each rater's kind, as declared, as in the file, or by the look of the name."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from voirdire.study.asked import Asked
from voirdire.study.column import Column
from voirdire.study.config import RaterConfig
from voirdire.study.faults import Faults
from voirdire.study.long import Long
from voirdire.study.placing import constant_within
from voirdire.study.rater import RATER_KINDS, Rater, RaterKind

__all__ = ["looks_like_a_model", "recruit"]

MODEL_NAMES = re.compile(
    r"(?:^|[^a-z])(?:gpt|chatgpt|gemini|llama|vicuna|alpaca|mistral|mixtral|qwen|deepseek|phi-?\d|command-r"
    r"|pandalm|prometheus|judgelm|o[134]-(?:mini|preview)|o[13]|llm|judge|autorater)(?=$|[^a-z])"
)
# these are people's names as well, so they count alone or with what follows them in a model's name
PEOPLES_NAMES = re.compile(
    r"(?:^|[^a-z])(?:claude|gemma|nova|palm|grok)"
    r"(?:$|[-_ .]?(?:v?\d|sonnet|opus|haiku|instant|pro|lite|micro|judge))"
)
KIND_SYNONYMS: Mapping[str, RaterKind] = {
    **dict.fromkeys(("llm", "ai", "model", "machine", "auto", "judges", "autorater"), "judge"),
    **dict.fromkeys(("person", "people", "expert", "annotator", "humans", "crowd", "worker"), "human"),
    **dict.fromkeys(("gold", "truth", "ground_truth", "label"), "reference"),
    **dict.fromkeys(("code", "rule", "script", "regex"), "program"),
}


def looks_like_a_model(name: str) -> bool:
    """Whether a rater's name is that of a known model line, or says that it is a judge.

    >>> [looks_like_a_model(name) for name in ("gpt-4-pair", "judge_1", "claude-sonnet-4", "Claude Monet")]
    [True, True, True, False]
    """
    plain = name.lower()
    return MODEL_NAMES.search(plain) is not None or PEOPLES_NAMES.search(plain) is not None


def recruit(
    long: Long, declared: Mapping[str, RaterConfig], judges: Collection[str]
) -> tuple[tuple[Rater, ...], tuple[str, ...]]:
    """The raters in the order of the rater column's values, and the notes that say whose kind was assumed.

    A rater's kind is the declared one, else judge for a name in ``judges``, else that of the rater_kind
    column; without any, a rater whose name looks like a model's is a judge and everybody else is a person.
    """
    names = long.columns["rater_id"].values
    _check_names(names, [*declared, *judges])
    in_file = _kinds_in_file(long)
    guess = not judges and not any(entry.kind for entry in declared.values())
    raters, guessed = [], []
    for code, name in enumerate(names):
        entry = declared.get(name, RaterConfig())
        kind = entry.kind or ("judge" if name in judges else None) or in_file.get(code)
        if kind is None:
            kind = "judge" if guess and looks_like_a_model(name) else "human"
            guessed.append((name, kind))
        raters.append(Rater(name, kind, entry.expertise, entry.model, entry.family, asked=_asked(entry)))
    _check_one_model(long, raters)
    return tuple(raters), _said(guessed, guess)


def _asked(entry: RaterConfig) -> Asked | None:
    if entry.asked is None:
        return None
    lists = {name: value for name, value in entry.asked if isinstance(value, list)}
    told = entry.asked.model_dump() | {name: tuple(value) for name, value in lists.items()}
    return Asked(**told)


def _check_one_model(long: Long, raters: Sequence[Rater]) -> None:
    """Refuse two judges of one name, never merge them; a model that belongs to the item is no matter."""
    model = long.columns.get("model")
    if model is None or constant_within(long.columns["item_id"], model, long.given.get("model")) is not None:
        return
    rater = long.columns["rater_id"].codes
    of_judge = np.array([one.kind == "judge" for one in raters], dtype=bool)[rater] & ~model.is_missing
    if constant_within(long.columns["rater_id"], model, of_judge) is not None:
        return
    faults = Faults()
    for code, judge in enumerate(raters):
        if judge.kind != "judge":
            continue
        rows = np.flatnonzero((rater == code) & ~model.is_missing)
        codes, first = np.unique(model.codes[rows], return_index=True)
        if len(codes) > 1:
            named = ", ".join(f"'{model.values[one]}'" for one in codes)
            faults.add(
                f"'{judge.id}' is the name of several judges: {named}",
                where=long.where(int(rows[max(first)]), "model"),
                expected="one model a judge",
                fix="tell them apart with --column rater_id=rater_id+model",
            )
    faults.check()


def _said(guessed: Sequence[tuple[str, RaterKind]], guess: bool) -> tuple[str, ...]:
    if not guessed:
        return ()
    judges = [name for name, kind in guessed if kind == "judge"]
    people = len(guessed) - len(judges)
    others = f"{people:,} raters of no recorded kind are taken as people" if people else ""
    if not guess:
        return (f"{others}.",) if others else ()
    named = (
        f"{', '.join(judges)} {'is' if len(judges) == 1 else 'are'} taken as judge by name" if judges else ""
    )
    return (f"{'; '.join(part for part in (named, others) if part)} (--judge NAME says otherwise).",)


def _check_names(seen: Sequence[str], wanted: Sequence[str]) -> None:
    faults = Faults()
    known = set(seen)
    for name in dict.fromkeys(wanted):
        if name not in known:
            near = difflib.get_close_matches(name, seen, n=1)
            faults.add(
                f"no rating is by '{name}'",
                where="raters",
                expected=f"one of {', '.join(seen[:20])}",
                fix=f"did you mean '{near[0]}'?" if near else "",
            )
    faults.check()


def _kinds_in_file(long: Long) -> dict[int, RaterKind]:
    """Each rater's kind from the rater_kind column, by the rater's code."""
    kinds = long.columns.get("rater_kind")
    if kinds is None:
        return {}
    width = len(kinds.values) + 1
    key = long.columns["rater_id"].codes.astype(np.int64) * width + kinds.codes + 1
    first_row = np.full(len(long.columns["rater_id"].values) * width, -1, dtype=np.int64)
    first_row[key[::-1]] = np.arange(len(key) - 1, -1, -1)
    pairs = np.flatnonzero(first_row >= 0)
    pairs = pairs[np.argsort(first_row[pairs])]
    faults = Faults()
    found: dict[int, tuple[RaterKind, int]] = {}
    for pair, row in zip(pairs.tolist(), first_row[pairs].tolist(), strict=True):
        code, kind = divmod(pair, width)
        if kind:
            _note_kind(long, code, kinds.values[kind - 1], row, found, faults)
    faults.check()
    return {code: kind for code, (kind, _) in found.items()}


def _note_kind(
    long: Long, code: int, text: str, row: int, found: dict[int, tuple[RaterKind, int]], faults: Faults
) -> None:
    kind = next((kind for kind in RATER_KINDS if kind == text.strip().lower()), None)
    where = long.where(row, "rater_kind")
    if kind is None:
        near = difflib.get_close_matches(text.strip().lower(), RATER_KINDS, n=1)
        nearest = KIND_SYNONYMS.get(text.strip().lower()) or (near[0] if near else "")
        faults.add(
            f"no kind of rater is called '{text}'",
            where=where,
            expected=", ".join(RATER_KINDS),
            fix=f"did you mean '{nearest}'?" if nearest else "",
        )
    elif code in found and found[code][0] != kind:
        name = long.columns["rater_id"].values[code]
        earlier = long.where(found[code][1])
        faults.add(
            f"'{name}' is {kind} here and {found[code][0]} in {earlier}",
            where=where,
            fix="give each its own name",
        )
    else:
        found.setdefault(code, (kind, row))


def with_attributes(raters: Sequence[Rater], columns: Mapping[str, Column]) -> tuple[Rater, ...]:
    """``raters`` with what the ratings say of each; expertise, model and family in their own place too."""
    described = []
    for code, rater in enumerate(raters):
        told = {name: value for name, column in columns.items() if (value := column[code]) is not None}
        own: dict[str, Any] = {
            name: told[name]
            for name in ("expertise", "model", "family")
            if name in told and not getattr(rater, name)
        }
        described.append(replace(rater, attributes=told, **own))
    return tuple(described)
