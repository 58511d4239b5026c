"""Probing: a judge asked about changed items, to see which changes move its verdicts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from voirdire import registry
from voirdire.errors import UserError
from voirdire.judges.call import Ask, content_hash
from voirdire.judges.judge import VERSION_DIGITS, Judge
from voirdire.judges.recipe import JudgedItem, Learner, Recipe, Verdict
from voirdire.judges.viewing import View, withheld
from voirdire.study.metric import Metric
from voirdire.study.study import Study

__all__ = ["CONTROL", "Change", "Items", "appended", "last_text", "probed", "rewritten"]

Items = tuple[JudgedItem, ...]
CONTROL = "control"
"""The change that others of a probe are compared with: it adds something that asks for nothing."""


def _same(label: str) -> str:
    return label


@dataclass(frozen=True, kw_only=True)
class Change:
    """One change to items: what ``alter`` makes of them for a metric.

    ``words`` say what is done and are part of the probed judge's version. ``wanted`` is the label that the
    change asks for, None where it asks for none. ``back`` reads a label given to the changed items as one of
    the items themselves. ``pairs`` says that it makes sense of pairs alone.

    A probe is a function without arguments that gives its changes, registered by
    ``@register("probe", name)``.
    """

    name: str
    words: str
    alter: Callable[[Items, Metric], Items]
    wanted: Callable[[Metric], str | None] = lambda metric: None
    back: Callable[[str], str] = _same
    pairs: bool = False


def probed(judge: Judge, probe: str) -> dict[str, tuple[Change, Judge]]:
    """``judge`` under each change of the probe of that name, as a judge with a name and version of its own.

    Its requests differ from the judge's in the item alone. A probe of pairs with a judge of single items is a
    user's error.
    """
    found = {}
    for change in registry.get("probe", probe)():
        if change.pairs and judge.recipe.takes != "pair":
            raise UserError(f"the probe '{probe}' is for judges of pairs", where=f"judge {judge.name}")
        version = content_hash([judge.version, probe, change.name, change.words])[:VERSION_DIGITS]
        config = judge.config.model_copy(update={"judge": f"{judge.name} under {probe}: {change.name}"})
        found[change.name] = (
            change,
            replace(judge, config=config, recipe=_of(judge, change), version=version),
        )
    return found


def _of(judge: Judge, change: Change) -> Any:
    make = _ProbedLearner if isinstance(judge.recipe, Learner) else _Probed
    return make(judge.recipe, change)


class _Probed:
    """A recipe whose items are changed before it sees them."""

    Options: ClassVar[Any] = None

    def __init__(self, recipe: Recipe, change: Change) -> None:
        self._recipe, self._change = recipe, change
        self.takes, self.WORDING = recipe.takes, recipe.WORDING

    def check(self, metric: Metric) -> None:
        """As the recipe does."""
        self._recipe.check(metric)

    async def judge(self, items: Sequence[JudgedItem], metric: Metric, ask: Ask) -> Sequence[Verdict]:
        """The recipe's verdicts on the changed items, with labels as of the items themselves."""
        given = await self._recipe.judge(self._change.alter(tuple(items), metric), metric, ask)
        return [self._read(verdict) for verdict in given]

    def _read(self, verdict: Verdict) -> Verdict:
        back, shares = self._change.back, verdict.probabilities
        return replace(
            verdict,
            label=None if verdict.label is None else back(verdict.label),
            probabilities=None if shares is None else {back(label): p for label, p in shares.items()},
        )


class _ProbedLearner(_Probed):
    """Of a recipe with examples, which stay as they are."""

    def learned(self, study: Study, view: View) -> _ProbedLearner:
        """With the examples that the recipe itself would show."""
        recipe: Any = self._recipe
        return _ProbedLearner(recipe.learned(study, view), self._change)

    def examples_of(self, metric: Metric) -> tuple[frozenset[str], str]:
        """As of the recipe."""
        recipe: Any = self._recipe
        found: tuple[frozenset[str], str] = recipe.examples_of(metric)
        return found


def appended(item: JudgedItem, words: str) -> JudgedItem:
    """``item`` with ``words`` as a paragraph at the end of its transcript, or of its last text.

    >>> appended(JudgedItem("a", {"output": "Hello."}), "Bye.").fields["output"]
    'Hello.\\n\\nBye.'
    """
    return last_text(item, lambda text: f"{text}\n\n{words}")


def last_text(item: JudgedItem, write: Callable[[str], str]) -> JudgedItem:
    """``item`` with its last turn's text, or its last column's that is no reference, as ``write`` gives it.

    An item without any stays as it is.
    """
    if item.turns:
        last = item.turns[-1]
        return replace(item, turns=(*item.turns[:-1], replace(last, text=write(last.text))))
    own = [name for name in item.fields if not withheld(name)]
    return replace(item, fields={**item.fields, own[-1]: write(item.fields[own[-1]])}) if own else item


def rewritten(items: Items, write: Callable[[str], str]) -> Items:
    """``items`` with every text as ``write`` gives it.

    >>> rewritten((JudgedItem("a", {"text": "Hi"}),), str.upper)[0].fields
    {'text': 'HI'}
    """

    def written(texts: Mapping[str, str]) -> dict[str, str]:
        return {name: write(text) for name, text in texts.items()}

    return tuple(
        replace(
            item,
            fields=written(item.fields),
            shared=written(item.shared),
            turns=tuple(replace(turn, text=write(turn.text)) for turn in item.turns),
        )
        for item in items
    )
