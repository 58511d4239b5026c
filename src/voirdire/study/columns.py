"""Which column of a table means what: by its exact name, as declared, or by a name that others use for it."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from voirdire.errors import UserError

__all__ = [
    "CANONICAL",
    "KNOWN",
    "RATING_COLUMNS",
    "RESERVED_ITEM_COLUMNS",
    "Naming",
    "find_columns",
    "normal_name",
    "own_column",
]

CANONICAL = ("item_id", "metric", "rater_id", "rater_kind", "label", "run", "status")
RATING_COLUMNS = (
    "rationale",
    "confidence",
    "challenge",
    "weight",
    "model_set",
    "judge_version",
    "prompt_hash",
    "anchored",
    "used_as_example",
    "created_at",
    "citations",
    "mass",
    "prompt_tokens",
    "completion_tokens",
    "cost",
    "latency",
    "judge_score",
    "seconds",
)
RESERVED_ITEM_COLUMNS = (
    "system",
    "system_a",
    "system_b",
    "presented",
    "cluster",
    "variant_of",
    "parent_id",
    "text",
    "transcript",
)
# the first name that a table has is taken, so the more telling names stand first
SYNONYMS: Mapping[str, tuple[str, ...]] = {
    name: tuple(words.split())
    for name, words in {
        "item_id": (
            "item items task_id task example_id example sample_id sample instance_id instance "
            "conversation_id conversation dialogue_id dialogue document_id document doc_id doc "
            "case_id case unit question_id prompt_id pair_id uid id idx"
        ),
        "rater_id": (
            "rater annotator_id annotator expert_id expert worker_id worker reviewer_id reviewer "
            "coder labeler labeller evaluator assessor grader participant judge"
        ),
        "metric": "metric_name criterion criteria dimension question measure aspect",
        "rater_kind": "rater_type annotator_type",
        "label": (
            "rating score verdict opinion grade vote answer choice annotation judgment judgement "
            "category value"
        ),
        "run": "run_id repeat replicate trial",
        "status": "",
    }.items()
}
KNOWN = frozenset(
    {
        *CANONICAL,
        *RATING_COLUMNS,
        *RESERVED_ITEM_COLUMNS,
        *(name for names in SYNONYMS.values() for name in names),
    }
)


@dataclass(frozen=True)
class Naming:
    """What each column of one table is called: ``source`` maps a canonical name to the table's own name.

    ``notes`` are the sentences that say which names were guessed.
    """

    source: Mapping[str, str]
    notes: tuple[str, ...]

    def of(self, canonical: str) -> str:
        """The table's own name of a column."""
        return self.source.get(canonical, canonical)


def normal_name(name: str) -> str:
    """A column's name without case, spaces and punctuation.

    >>> normal_name(" Item ID"), normal_name("itemId")
    ('item_id', 'item_id')
    """
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip())
    return re.sub(r"[^a-z0-9]+", "_", spaced.lower()).strip("_")


def find_columns(
    seen: Sequence[str], declared: Mapping[str, str], *, where: str, skip: Collection[str] = ()
) -> Naming:
    """Name the columns ``seen`` in a table.

    ``declared`` maps a canonical or attribute name to the table's own name; a declared column that the table
    lacks is a user's error. Names that are not declared are matched exactly, else without case and
    punctuation, else by synonym; those of ``skip`` are not looked for.
    """
    source: dict[str, str] = {}
    for canonical, own in declared.items():
        _check_meaning(canonical, where)
        source[canonical] = own if own in seen else own_column(own, seen, where)
    taken = set(source.values())
    notes = []
    for canonical in CANONICAL:
        if canonical in source or canonical in skip:
            continue
        match = next(_matches(canonical, [name for name in seen if name not in taken]), None)
        if match is not None:
            source[canonical] = match
            taken.add(match)
            if match != canonical:
                notes.append(f"{where}: column '{match}' is taken as {canonical}.")
    if (
        "item_id" not in source
        and "item_id" not in skip
        and normal_name(source.get("metric", "")) == "question"
    ):
        source["item_id"] = source.pop("metric")  # where nothing else names the items, the question does
        notes = [note.replace("is taken as metric", "is taken as item_id") for note in notes]
    return Naming(source, tuple(notes))


def _check_meaning(name: str, where: str) -> None:
    """Refuse a name that is nearly a canonical one; any other may be an attribute's."""
    near = difflib.get_close_matches(name, CANONICAL, n=1, cutoff=0.8)
    if name not in CANONICAL and near:
        raise UserError(f"no column is called '{name}'", where=where, fix=f"did you mean '{near[0]}'?")


def _matches(canonical: str, seen: Sequence[str]) -> Iterator[str]:
    if canonical in seen:
        yield canonical
    normal = [(normal_name(name), name) for name in seen]
    for wanted in (canonical, *SYNONYMS[canonical]):
        yield from (name for plain, name in normal if plain == wanted)


def own_column(own: str, seen: Sequence[str], where: str) -> str:
    """The column of ``seen`` that is called ``own``, spaces around it apart; none is a user's error."""
    same = [name for name in seen if name.strip() == own.strip()]
    if len(same) == 1:
        return same[0]
    near = difflib.get_close_matches(own, seen, n=1)
    raise UserError(
        f"no column '{own}'",
        where=where,
        expected=f"one of {', '.join(seen[:30])}",
        fix=f"did you mean '{near[0]}'?" if near else "",
    )
