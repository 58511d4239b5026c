"""Rules for a metric's words: what a transcript cannot show, two questions in one, what is wanted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import product

from voirdire.bench.template import MetricTemplate

__all__ = ["RULES", "Flag", "Rule", "flags"]

Path = tuple[str | int, ...]
ALIKE = 0.8
"""The share of words in order from which two examples say the same."""
REPORTS = re.compile(
    r"\b(?:says?|said|saying|states?|asks?|asking|names?|naming|mentions?|acknowledg\w+|describ\w+|claims?|"
    r"repeats?|writes?|tells?|puts? into words)\b(?:\W+\w+){0,8}\W*$",
    re.IGNORECASE,
)
"""Before a word of the mind: it is said, and what is said can be seen."""
NOT = re.compile(r"\b(?:not|no|never|nothing|nobody|without|neither)\b|n['’]t\b", re.IGNORECASE)
QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|‘[^’]*’|«[^»]*»|(?<!\w)'[^']*'(?!\w)")
PERSON = r"(?:users?|persons?|people|learners?|students?|pupils?|child(?:ren)?|readers?|they)"
MOOD = r"(?:happy|sad|anxious|angry|afraid|lonely|safe|proud|ashamed|frustrated|confident|comfortable|calm)"
SYSTEM = r"(?:system|assistant|model|ai|chatbot|bot|it)"


@dataclass(frozen=True)
class Rule:
    """A rule: what its pattern finds, and why that is in the way.

    It looks into examples too unless told otherwise; ``reported`` excuses what somebody says in words.
    """

    name: str
    pattern: re.Pattern[str]
    why: str
    examples_too: bool = True
    reported: bool = True


def _rule(name: str, why: str, *words: str, **more: bool) -> Rule:
    return Rule(name, re.compile(rf"\b(?:{'|'.join(words)})\b", re.IGNORECASE), why, **more)


RULES: Mapping[str, Rule] = {
    rule.name: rule
    for rule in (
        _rule(
            "intention",
            "a transcript shows no intentions; ask what the system says or does",
            r"intend(?:s|ed|ing)?|intent(?:ions?)?|intentional(?:ly)?|deliberate(?:ly)?|on purpose",
            r"motivat\w+",
            rf"{SYSTEM} (?:wants?|hopes?|aims?|means?|seeks?)",
            r"tr(?:y|ies|ying) to|attempt(?:s|ing)? to",
        ),
        _rule(
            "purpose",
            "a transcript does not show what something is said for; ask what is said",
            "in order to|so as to|for the sake of|so that (?:the )?users?",
            reported=False,
        ),
        _rule(
            "feeling",
            "a transcript shows no feelings; ask which words the system or the user says",
            rf"feels?|felt|feeling|{PERSON} (?:is|are|gets?|becomes?|seems?) (?:more |less )?{MOOD}",
            r"empath(?:y|ise[sd]?|ize[sd]?)|(?:genuine|sincere|true)(?:ly)?",
        ),
        _rule(
            "knowledge",
            "a transcript does not show what the system knows or thinks; ask what it says",
            rf"{SYSTEM} (?:really |truly )?(?:knows?|believes?|thinks?|understands?|is aware)",
            rf"{SYSTEM} (?:really |truly )?(?:reali[sz]es?|recogni[sz]es?|is (?:not )?(?:certain|sure))",
        ),
        _rule(
            "outcome",
            "a transcript ends before any effect on the user; ask what the system says",
            rf"{PERSON} (?:\w+ly )?(?:learns?|understands?|remembers?|improves?|grows?|recovers?|benefits?)",
            rf"{PERSON} (?:\w+ly )?(?:trusts?|believes?|reali[sz]es?|depends?|relies|rely|gains?|loses?)",
            r"(?:leads?|leading) to|result(?:s|ing)? in|causes?",
            r"(?:improv|harm|strengthen|weaken|foster|undermin|empower)(?:es?|s|ing)",
            r"helps? (?:\w+ ){1,2}(?:to )?(?:learn|understand|grow|improve)",
            r"in the long (?:run|term)|over time|later in life",
        ),
        _rule(
            "elsewhere",
            "one transcript is read at a time; ask about this conversation",
            r"usually|in general|always|outside (?:of )?th(?:e|is) conversation|other conversations",
            r"in real life|previous sessions?|every user",
        ),
        Rule(
            "two questions",
            re.compile(
                r"\?.*\?|\band/or\b|\bas well as\b|\bboth\b.*\band\b"
                r"|\b(?:and|or) (?:does|do|did|is|are|was|were|has|have|can|could|will|would)\b",
                re.IGNORECASE | re.DOTALL,
            ),
            "one answer cannot stand for two questions; write two metrics",
            examples_too=False,
            reported=False,
        ),
        Rule(
            "no yes or no",
            re.compile(
                r"^(?:to what extent|how|what|why|which|when|who|where|whose)\b|[^?]\s*$", re.IGNORECASE
            ),
            "present or absent answers a question of the form: Does the system ...?",
            examples_too=False,
            reported=False,
        ),
        _rule(
            "what is wanted",
            "it tells the judge what is wanted; say what happens and leave out whether it is good",
            r"should(?:n't)?|must(?:n't)?|ought|(?:ir)?responsibl[ey]|(?:un)?desirabl[ey]|unfortunately",
            r"harm(?:s|ed|ful|less)?|bad(?:ly)?|better|worse|wrong(?:ly)?|toxic|problematic|manipulat\w+",
            r"good(?!\s?(?:night|morning|afternoon|evening|day|bye))|beneficial|(?:un)?ethical(?:ly)?",
            r"(?:in)?appropriate(?:ly)?|proper(?:ly)?|(?:un)?healthy|(?:un)?safe(?:ly)?|dangerous(?:ly)?",
            r"(?:un)?helpful(?:ly)?|(?:un)?necessar(?:y|ily)|fail(?:s|ed|ing)? to",
            reported=False,
        ),
        _rule(
            "how much",
            "two readers draw this line at different places; say how many, or which words",
            r"sufficient(?:ly)?|adequate(?:ly)?|enough|overly|excessive(?:ly)?|reasonabl[ey]|somewhat",
            r"too (?:much|many|often|little)|frequent(?:ly)?",
            reported=False,
        ),
    )
}
"""Rules by name. They look for words and so miss some and find too much: ``accepted`` in a metric says which
do not apply."""


@dataclass(frozen=True)
class Flag:
    """A rule's find: the words, where they stand in the metric, and why they are in the way."""

    rule: str
    path: Path
    words: str
    why: str


def flags(metric: MetricTemplate) -> Iterator[Flag]:
    """Everything the rules find in what a judge is asked, those that the metric accepts left out.

    Quoted speech is passed over; of words of the mind also what somebody says: "says that it feels" is seen.
    """
    yield from (flag for flag in _all(metric) if flag.rule not in metric.accepted)


def _all(metric: MetricTemplate) -> Iterator[Flag]:
    scoring = metric.scoring
    yield from _of(scoring.question, ("scoring", "question"), question=True)
    for kind, examples in (("present", scoring.present), ("absent", scoring.absent)):
        for place, text in enumerate(examples):
            yield from _of(text, ("scoring", kind, place), question=False)
    yield from _of(scoring.opportunity, ("scoring", "opportunity"), question=False)
    for (place, present), absent in product(enumerate(scoring.present), scoring.absent):
        opposed = bool(NOT.search(present)) != bool(NOT.search(absent))
        if not opposed and _likeness(present, absent) >= ALIKE:
            why = f"an example of absent says nearly the same: {absent}"
            yield Flag("examples alike", ("scoring", "present", place), present, why)


def _of(text: str, path: Path, *, question: bool) -> Iterator[Flag]:
    plain = QUOTED.sub(lambda found: " " * len(found[0]), text)
    for rule in RULES.values():
        if not (question or rule.examples_too):
            continue
        found = next(_finds(rule, plain), None)
        if found:
            words = text if rule.name in ("two questions", "no yes or no") else found[0]
            yield Flag(rule.name, path, words, rule.why)


def _finds(rule: Rule, text: str) -> Iterator[re.Match[str]]:
    for found in rule.pattern.finditer(text):
        if not (rule.reported and REPORTS.search(text[: found.start()])):
            yield found


def _likeness(one: str, other: str) -> float:
    first, second = (re.findall(r"\w+", text.casefold()) for text in (one, other))
    return SequenceMatcher(None, first, second, autojunk=False).ratio()
