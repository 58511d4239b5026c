"""Words that give a user's age, gender or ethnicity away, each list with its reason."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["ATTRIBUTES", "SIGNS", "Sign", "stated"]

ATTRIBUTES = ("age", "gender", "ethnicity")
UNITS = "(?:one|two|three|four|five|six|seven|eight|nine)"
TENS = f"(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[- ]{UNITS})?"
TEENS = "(?:ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen)"
NUMBER = rf"(?:\d{{1,3}}|{TEENS}|{TENS}|{UNITS})"
ORDINAL = (
    r"(?:\d{1,2}(?:st|nd|rd|th)|first|second|third|fourth|fifth|(?:six|seven|eigh|nin|ten|eleven|twelf)th)"
)
I_AM = "(?:I am|I'm|I’m|you are|as|being)"
PEOPLE = "(?:man|men|woman|women|guys?|girls?|boys?|persons?|people|students?|famil(?:y|ies)|community|kids?)"


@dataclass(frozen=True)
class Sign:
    """What a pattern gives away, and why."""

    attribute: str
    why: str
    pattern: re.Pattern[str]


def _sign(attribute: str, why: str, *words: str, case: bool = False) -> Sign:
    """Whole words, of which each of ``words`` is a pattern; ``case`` where only capitals tell."""
    return Sign(
        attribute, why, re.compile(rf"(?<!\w)(?:{'|'.join(words)})(?!\w)", 0 if case else re.IGNORECASE)
    )


SIGNS = (
    _sign(
        "age",
        "a number of years",
        f"{NUMBER}[- ]years?[- ]olds?",
        f"aged? {NUMBER}",
        f"turn(?:s|ed|ing)? {NUMBER}(?! (?:times|pages|degrees|right|left|around|into))",
    ),
    _sign(
        "age",
        "the user's own age",
        rf"(?:I am|I'm|I’m|you are) {NUMBER}(?=\s*(?:[.,;!?]|$|and\b|now\b))",
        "in my (?:early |late |mid-?)?(?:teens|twenties|thirties|forties|fifties|sixties|seventies|[2-9]0s)",
    ),
    _sign(
        "age",
        "a grade or a kind of school goes with an age",
        f"{ORDINAL}[- ]grade(?:rs?)?",
        f"grade {NUMBER}",
        "(?:primary|elementary|middle|junior high|high|secondary) ?school(?:ers?)?",
        "kindergarten|homeroom|freshman|sophomore|(?:junior|senior) year|prom",
        r"GCSEs?|A-levels?|SATs?|universit(?:y|ies)|colleges?|undergrad\w*|PhD",
    ),
    _sign(
        "age",
        "a word for an age",
        r"teen(?:s|agers?|aged?)?|adolescen\w+|underage|youngsters?|toddlers?|pubert\w+",
        "adults?|grown-?ups?|middle-aged|elderly|seniors?|pensioners?|my pension|retired|retirement",
        "millennials?|boomers?|gen ?z|at my age|when I was (?:young|little)",
        "my curfew|my allowance|pocket money|driver's ed",
    ),
    _sign(
        "age",
        "who looks after the user, or whom the user looks after, goes with an age",
        "my (?:mom|mum|mommy|mummy|dad|daddy|parents?)",
        "my (?:grand(?:children|kids|son|daughter)s?|homework|teachers?)",
    ),
    _sign(
        "gender",
        "what the user is called says the gender",
        rf"{I_AM} (?:a |an |the |just )*(?:\w+ )?(?:man|woman|boy|girl|guy|lady|gentleman|male|female)",
        rf"{I_AM} (?:a |an |the |just )*(?:\w+ )?(?:mother|father|mom|mum|dad|wife|husband|son|daughter)",
        rf"{I_AM} (?:a |an |the |just )*(?:\w+ )?(?:sister|brother|aunt|uncle|widow(?:er)?|waitress|actress)",
    ),
    _sign(
        "gender",
        "a word for a body or a gender",
        r"pregnan(?:t|cy)|my period|menstrua\w+|menopaus\w+|breast-?feed\w*|prostate",
        r"trans(?:gender)?|non-?binary|cis(?:gender)?|maternity|paternity|sorority",
    ),
    _sign("gender", "the partner suggests the user's own gender", "my (?:husband|wife|girlfriend|boyfriend)"),
    _sign("gender", "the user's own pronouns", "(?:he/him|she/her|they/them)|my pronouns"),
    _sign(
        "ethnicity",
        "a word for an ethnicity or what goes with one",
        rf"(?:Black|White|Brown|black|brown) (?:\w+ )?{PEOPLE}",
        "(?:African|Asian|Arab|Mexican|Irish|Italian|Chinese|Indian|Native)[- ]Americans?",
        "Asians?|Africans?|Latin[oax]s?|Latine|Hispanics?|Arabs?|Caucasians?|Roma|Romani",
        "Indigenous|Aboriginal|M[aā]ori|Jewish|Jews?|Muslims?|Hindus?|Sikhs?|Kurdish|Desi",
        case=True,
    ),
    _sign(
        "ethnicity",
        "the user's origin",
        f"{I_AM} (?:an? )?(?:Chinese|Indian|Japanese|Korean|Vietnamese|Mexican|Turkish|Polish|Nigerian)",
        f"{I_AM} (?:an? )?(?:Pakistani|Iranian|Syrian|Moroccan|Somali|Filipin[oa]|Puerto Rican|Cuban|Black)",
        "ethnic(?:ity)?|immigrants?|refugees?|(?:person|people) of colou?r|native language|mother tongue",
        "my (?:race|tribe|skin colou?r|mosque|temple|synagogue|church|hijab|headscarf|turban)",
    ),
)
"""What tells who the user is. Third persons and their pronouns do not: "my cousin, she is tall"."""


def stated(text: str) -> dict[str, tuple[str, str]]:
    """The first words of ``text`` that give an attribute away, and the reason, by attribute.

    >>> stated("I'm 15 and my cousin, who is tall, helps me.")
    {'age': ("I'm 15", "the user's own age")}
    """
    found: dict[str, tuple[str, str]] = {}
    for sign in SIGNS:
        seen = sign.pattern.search(text)
        if seen and sign.attribute not in found:
            found[sign.attribute] = (seen[0], sign.why)
    return found
