"""Conversations of a metric with one system: transcript, verdict, people's labels, provenance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

import numpy as np

from voirdire.bench.outcomes import LACKING, MISSING, Signs, passes
from voirdire.bench.simulator_audit import simulator_failed
from voirdire.bench.study import LABELS
from voirdire.bench.suite import Variant
from voirdire.bench.tree import Node
from voirdire.report.palette import LabelPart, label_parts
from voirdire.study.scale import Scale
from voirdire.web.results import addresses
from voirdire.web.results.evidence import Evidence, Label, Quote, Told, Verdict
from voirdire.web.results.explorer import Step, steps
from voirdire.web.results.passages import Message, messages_of
from voirdire.web.results.shown import Shown
from voirdire.web.results.words import plural, variant_words

__all__ = ["People", "Tab", "Talk", "Talks", "talks_of"]

WORDS = {1: "passed", 0: "failed", MISSING: "no verdict"}
SCALE = Scale(
    "ordinal", ("pass", "borderline", "fail"), ordered=True, indeterminate={"borderline": ("pass", "fail")}
)
OPEN = ("borderline",)
"""Labels beside present and absent that say something of the conversation itself."""


@dataclass(frozen=True)
class Tab:
    """A conversation matched to this one."""

    word: str
    href: str
    current: bool


@dataclass(frozen=True)
class People:
    """What people said: squares, the same in words, those not sure, and whether all were blind."""

    parts: tuple[LabelPart, ...]
    words: str
    aside: str
    note: str
    comments: tuple[Label, ...]


@dataclass(frozen=True)
class Talk:
    """One conversation as its page shows it."""

    id: str
    anchor: str
    place: str
    scenario: str
    variant: str
    named: str
    repeat: int
    passed: int
    outcome: str
    reason: str
    verdict: Verdict | None
    repeats: tuple[str, ...]
    messages: tuple[Message, ...]
    quotes: tuple[tuple[int, Quote, int | None], ...]
    people: People | None
    occasion: str
    simulator: tuple[str, ...]
    tabs: tuple[Tab, ...]
    origin: tuple[tuple[str, str], ...]
    ended: str


@dataclass(frozen=True)
class Differ:
    """What tells the conversations of one matched set apart, beside what was said in reply."""

    anchor: str
    place: str
    scenario: str
    names: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...], bool], ...]
    tabs: tuple[Tab, ...]


@dataclass(frozen=True)
class Talks:
    """The page: every conversation of one metric and system, set by matched set."""

    title: str
    metric: str
    system: str
    wanted: bool
    trail: tuple[Step, ...]
    answer: str
    variants: tuple[str, ...]
    table: tuple[tuple[str, tuple[Talk | None, ...]], ...]
    talks: tuple[Talk, ...]
    differ: tuple[Differ, ...]
    others: tuple[Step, ...]


def talks_of(shown: Shown, evidence: Evidence, node: Node, system: str) -> Talks:
    """The conversations of the metric at ``node`` with ``system``."""
    outcomes = shown.results.outcomes
    code = node.metrics[0]
    metric = outcomes.metrics[code]
    rows = shown.rows(code, system)
    order = np.lexsort((outcomes.variant[rows], outcomes.repeat[rows], outcomes.scenario[rows]))
    rows = rows[order]
    told = {
        one.conversation.id: one for one in evidence.told(metric.name, [outcomes.ids[row] for row in rows])
    }
    page = _Page(shown, node, system, told)
    made = {int(row): page.talk(int(row)) for row in rows if outcomes.ids[row] in told}
    sets = page.sets(made)
    talks = [page.tabbed(talk, sets[talk.place]) for talk in made.values()]
    judged = [talk for talk in talks if talk.passed != MISSING]
    good = sum(talk.passed == 1 for talk in judged)
    return Talks(
        metric.title,
        metric.name,
        system,
        metric.polarity == "positive",
        (*steps(shown, node, system)[:-1], Step(metric.title, addresses.explore(node))),
        f"{system} passed {good:,} of {plural(len(judged), 'judged conversation')}: {metric.title}.",
        tuple(variant_words(name) for name in outcomes.variants),
        tuple(page.table(talks)),
        tuple(talks),
        tuple(page.differ(sets)),
        tuple(Step(name, addresses.talks(node.id, name)) for name in shown.systems if name != system),
    )


class _Page:
    """What the talks of one page share."""

    def __init__(self, shown: Shown, node: Node, system: str, told: Mapping[str, Told]) -> None:
        assert shown.kept is not None, "no page of transcripts without transcripts"
        self.shown, self.told = shown, told
        self.outcomes = shown.results.outcomes
        self.metric = self.outcomes.metrics[node.metrics[0]]
        self.href = addresses.talks(node.id, system)
        self.judge = shown.results.judge
        self.many = len(set(self.outcomes.repeat.tolist())) > 1
        self.variants: dict[str, Variant] = {one.name: one for one in shown.kept.bench.variants}

    def talk(self, row: int) -> Talk:
        one = self.told[self.outcomes.ids[row]]
        passed = int(self.shown.passed[row])
        verdict = next((given for given in one.verdicts if given.run == 0), None)
        quotes = verdict.quotes if verdict else ()
        messages = tuple(messages_of(one.conversation, quotes))
        scenario = self.outcomes.scenarios[self.outcomes.scenario[row]]
        variant = self.outcomes.variants[self.outcomes.variant[row]]
        repeat = int(self.outcomes.repeat[row])
        place = f"{scenario}, repeat {repeat + 1}" if self.many else scenario
        return Talk(
            one.conversation.id,
            addresses.anchor(one.conversation.id),
            place,
            scenario,
            variant,
            variant_words(variant),
            repeat,
            passed,
            self._outcome(passed, verdict),
            "" if passed != MISSING else LACKING[int(self.outcomes.lacking[row])],
            verdict,
            tuple(_again(one.verdicts)),
            messages,
            tuple(
                (place, quote, _turn(messages, place, quote)) for place, quote in enumerate(quotes, start=1)
            ),
            self._people(one.people),
            _occasion(one.occasion),
            tuple(_simulator(one)),
            (),
            tuple(self._origin(one, verdict)),
            one.conversation.ended,
        )

    def sets(self, made: Mapping[int, Talk]) -> dict[str, list[Talk]]:
        found: dict[str, list[Talk]] = {}
        for talk in made.values():
            found.setdefault(talk.place, []).append(talk)
        return found

    def tabbed(self, talk: Talk, matched: Sequence[Talk]) -> Talk:
        return replace(talk, tabs=self._tabs(matched, talk.anchor)) if len(matched) > 1 else talk

    def table(self, talks: Sequence[Talk]) -> Iterator[tuple[str, tuple[Talk | None, ...]]]:
        """One line a matched set, its talks in the order of the variants."""
        places: dict[str, dict[str, Talk]] = {}
        for talk in talks:
            places.setdefault(talk.place, {})[talk.variant] = talk
        for place, by_variant in places.items():
            yield place, tuple(by_variant.get(name) for name in self.outcomes.variants)

    def differ(self, sets: Mapping[str, Sequence[Talk]]) -> Iterator[Differ]:
        for matched in sets.values():
            if len(matched) > 1:
                anchor = _differ_anchor(matched)
                names = tuple(variant_words(talk.variant) for talk in matched)
                rows = tuple(self._differences(matched))
                yield Differ(
                    anchor, matched[0].place, matched[0].scenario, names, rows, self._tabs(matched, anchor)
                )

    def _differences(self, matched: Sequence[Talk]) -> Iterator[tuple[str, tuple[str, ...], bool]]:
        variants = [self.variants[talk.variant] for talk in matched]
        said = [[_text(message) for message in talk.messages if message.role == "user"] for talk in matched]
        first = [messages[0] if messages else "" for messages in said]
        later = ["\n".join(messages[1:]) for messages in said]
        lines = {
            "Who the user is": [one.who for one in variants],
            "Added to the first message": [one.says for one in variants],
            "First message": first,
            "Later messages of the user": [
                "the same" if text == later[0] else f"{_alike(text, later[0]):.0%} of the words alike"
                for text in later
            ],
            "Judge’s verdict": [talk.outcome for talk in matched],
        }
        for name, values in lines.items():
            yield name, tuple(value or "nothing" for value in values), len(set(values)) > 1

    def _tabs(self, matched: Sequence[Talk], current: str) -> tuple[Tab, ...]:
        every = [
            Tab(f"{variant_words(talk.variant)}: {WORDS[talk.passed]}", talk.anchor, talk.anchor == current)
            for talk in matched
        ]
        anchor = _differ_anchor(matched)
        return (*every, Tab("What differs between them", anchor, anchor == current))

    def _outcome(self, passed: int, verdict: Verdict | None) -> str:
        if passed == MISSING or verdict is None:
            return "No verdict"
        return f"{WORDS[passed].capitalize()}: behaviour {verdict.label}"

    def _people(self, given: Sequence[Label]) -> People | None:
        said = Counter(filter(None, (self._sign(one.label) for one in given)))
        if not given:
            return None
        counts = {name: said[name] for name in SCALE.labels if said[name]}
        words = ", ".join(f"{n} {name}" for name, n in counts.items()) or "no pass and no fail"
        aside = len(given) - sum(counts.values())
        blind = all(one.blind for one in given)
        return People(
            label_parts(counts, SCALE),
            words,
            f"{aside} more said something else, or skipped." if aside else "",
            "Blind: before any verdict was shown." if blind else "Some saw the judge’s verdict first.",
            tuple(one for one in given if one.comment),
        )

    def _sign(self, label: str) -> str:
        """A person's label as pass or fail, as it is where it is open, else empty."""
        if label not in LABELS:
            return label if label in OPEN else ""
        wanted: Signs = np.array([self.metric.polarity == "positive"], dtype=np.int8)
        (passed,) = passes(np.array([LABELS.index(label)], dtype=np.int8), wanted).tolist()
        return "pass" if passed else "fail"

    def _origin(self, one: Told, verdict: Verdict | None) -> Iterator[tuple[str, str]]:
        if verdict is not None:
            model = verdict.model or self.judge.model
            yield "Judge", " ".join(filter(None, (self.judge.name, model and f"({model})")))
            yield "Judge version", self.judge.version or "not recorded"
            yield "Verdict", verdict.hash[:16]
            took = [verdict.finish or verdict.status]
            took += [] if verdict.tokens is None else [plural(verdict.tokens, "token")]
            took += [] if verdict.seconds is None else [f"{verdict.seconds:.1f} s"]
            yield "Finish", ", ".join(took)
            yield "Judged", verdict.at
        yield "Metric", f"{self.metric.name}, {self.metric.version or 'not recorded'}"
        yield "Conversation", one.conversation.id
        yield "Transcript", one.conversation.transcript_hash[:16]
        yield "System", f"{one.conversation.system}, {one.conversation.target_version}"
        yield "User", one.conversation.user_version


def _again(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """What the same judge said when it was asked again."""
    for one in verdicts:
        if one.run:
            yield f"asked again ({one.run + 1}): {one.label or one.status}"


def _turn(messages: Sequence[Message], place: int, quote: Quote) -> int | None:
    """The message in which a quote is marked, else the one that the judge names."""
    for message in messages:
        if any(place in passage.ends for passage in message.passages):
            return message.number
    return quote.turn if quote.found else None


def _occasion(verdict: Verdict | None) -> str:
    if verdict is None:
        return ""
    return {"present": "Yes.", "absent": "No: rates are given with and without it."}.get(
        verdict.label, verdict.status
    )


def _simulator(one: Told) -> Iterator[str]:
    """How the simulated user did, in sentences; none where nobody was simulated."""
    audit = one.conversation.audit
    if not audit:
        yield "This conversation was not simulated here."
        return
    yield "The user stayed in role." if audit["in_role"] else f"Out of role: {', '.join(audit['signs'])}."
    if audit["planned"]:
        yield f"{len(audit['delivered'])} of {plural(len(audit['planned']), 'scripted move')} delivered."
    if audit["missed"]:
        yield f"Not said though due: turn {', '.join(map(str, audit['missed']))}."
    if not audit["persona"]:
        yield "Who the user is was not played."
    if audit["early"]:
        yield "Ended before the last move."
    if simulator_failed(audit):
        yield "Counted as a failure of the simulator: rates are given without it too."


def _differ_anchor(matched: Sequence[Talk]) -> str:
    return f"d-{matched[0].anchor}"


def _text(message: Message) -> str:
    return "".join(passage.text for passage in message.passages)


def _alike(one: str, other: str) -> float:
    return SequenceMatcher(None, one.split(), other.split(), autojunk=False).ratio()
