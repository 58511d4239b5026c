"""What the overview of a round shows, as words and pixels."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from voirdire.checks.words import count, interval, number, percent
from voirdire.report.marks import Axis, Plot, axis, plot
from voirdire.review.agreement import Agreement, Measured
from voirdire.review.attention import Concern, careless, duration, others_seconds
from voirdire.review.desk import Round
from voirdire.review.progress import MetricProgress, Progress, RaterProgress, Shared
from voirdire.review.settings import CHALLENGES
from voirdire.stats.estimate import REASONS, Estimate

__all__ = [
    "Bar",
    "MetricRow",
    "Overlap",
    "Overview",
    "RaterRow",
    "figures",
    "overview",
    "rater_row",
    "readable",
]

COVERAGE_WIDTH = 190
GAP = 1
LEAST = 18
"""The narrowest part that holds its number."""
AXIS = 150
COURSE = (80, 26)
SHADES = 9
NUMBERS = ("None", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")
CHALLENGE_WORDS = {
    "none": "none",
    "unclear": "unclear",
    "hard": "hard to apply",
    "ambiguous": "ambiguous",
    "evidence": "too little evidence",
}
assert set(CHALLENGE_WORDS) == set(CHALLENGES)


@dataclass(frozen=True)
class Bar:
    """One part of a coverage bar: its class, pixels, and the number in it where it fits."""

    kind: str
    x: float
    width: float
    text: str


@dataclass(frozen=True)
class MetricRow:
    """One metric's row: ``alpha`` or, where it has none, the ``word`` that says so; ``second`` below it."""

    number: int
    title: str
    counts: str
    bars: tuple[Bar, ...]
    words: str
    alpha: str
    word: str
    second: str
    plot: Plot | None
    course: str
    course_end: tuple[float, float] | None
    course_words: str
    borderline: str
    unsure: str
    skips: str
    challenge: str
    challenge_counts: str


@dataclass(frozen=True)
class RaterRow:
    """One rater's row; ``check`` says what to look at."""

    rater_id: str
    expertise: str
    labels: str
    seconds: str
    unsure: str
    borderline: str
    gold: str
    seen: str
    check: str


@dataclass(frozen=True)
class Overlap:
    """A cell of the table of shared items: how many, how dark, and whether the pair shares none."""

    given: int
    planned: int
    shade: int
    none: bool


@dataclass(frozen=True)
class Overview:
    """Everything that the overview's template prints."""

    headline: str
    to_check: int
    axis: Axis
    metrics: tuple[MetricRow, ...]
    raters: tuple[RaterRow, ...]
    names: tuple[str, ...]
    shared: tuple[tuple[Overlap | None, ...], ...]
    least: int
    concerns: tuple[Concern, ...]
    at: str
    problem: str


def overview(
    round_: Round,
    progress: Progress,
    measured: Measured,
    concerns: Sequence[Concern],
    titles: Mapping[str, str],
) -> Overview:
    """The overview of a round."""
    told = measured.by_metric
    shown = [one.alpha for one in told.values() if not one.few]
    on = axis("coefficient", shown, AXIS)
    raters = tuple(rater_row(one, progress.raters) for one in progress.raters)
    return Overview(
        headline=headline(round_, progress, told, concerns),
        to_check=sum(bool(one.check) for one in raters),
        axis=on,
        metrics=tuple(
            _metric(k, one, told.get(one.metric), titles, on)
            for k, one in enumerate(progress.metrics, start=1)
        ),
        raters=raters,
        names=progress.shared.raters,
        shared=_shared(progress.shared),
        least=progress.shared.least,
        concerns=tuple(concerns),
        at=measured.at,
        problem=measured.problem,
    )


def headline(
    round_: Round, progress: Progress, told: Mapping[str, Agreement], concerns: Sequence[Concern]
) -> str:
    """Where the round stands, in a sentence or two."""
    if not progress.planned:
        return "Nobody is asked for a label yet."
    if not progress.labels:
        said = f"No labels yet of {progress.planned:,} planned. Send each rater their link."
        return (
            said if round_.is_open else f"The round closed without a label of {progress.planned:,} planned."
        )
    skips = f", {progress.skips:,} skipped" if progress.skips else ""
    first = f"{progress.labels:,} of {progress.planned:,} planned labels are in{skips}."
    known = [one for one in told.values() if not one.few and one.alpha.has_interval]
    if not told:
        return first
    figures = readable(len(known), len(progress.metrics))
    return f"{first} {figures}{_looks(concerns)}."


def readable(some: int, every: int) -> str:
    """On how many metrics agreement can be read."""
    if every == 1:
        return "Agreement can be read" if some else "Agreement cannot be read yet"
    if some == every:
        return f"{'Both' if every == 2 else f'All {_word(every).lower()}'} metrics can be read"
    return f"{_word(some)} of {_word(every).lower()} metrics can be read{'' if some else ' yet'}"


def _looks(concerns: Sequence[Concern]) -> str:
    kinds = [one.kind for one in concerns]
    said = []
    for kind, what in (("rubric", "a rubric problem"), ("disagreement", "real disagreement")):
        if kind in kinds:
            n = kinds.count(kind)
            said.append(f"{_word(n).lower()} look{'s' if n == 1 else ''} like {what}")
    return f"; {' and '.join(said)}" if said else ""


def _word(n: int) -> str:
    return NUMBERS[n] if n < len(NUMBERS) else f"{n:,}"


def _metric(
    k: int, one: MetricProgress, told: Agreement | None, titles: Mapping[str, str], on: Axis
) -> MetricRow:
    alpha, word, second = _alpha(one, told)
    drawn = plot([("people", told.alpha)], on) if told and alpha else None
    line, end = _course(told.course if told and alpha else ())
    challenge, times = one.main_challenge
    return MetricRow(
        number=k,
        title=titles[one.metric],
        counts=f"{count(one.items, 'item')}, {count(one.labels, 'label')}",
        bars=_bars(one.coverage),
        words=", ".join(
            f"{count(n, 'item')} with {what}"
            for n, what in zip(one.coverage, ("no label", "one", "two", "three or more"), strict=True)
        ),
        alpha=alpha,
        word=word,
        second=second,
        plot=drawn,
        course=line,
        course_end=end,
        course_words=_course_words(told.course if told else ()),
        borderline=_share(one.borderline, one.labels),
        unsure=_share(one.unsure, one.labels),
        skips=f"{one.skips:,} skipped" if one.skips else "",
        challenge=CHALLENGE_WORDS.get(challenge, challenge),
        challenge_counts=f"{times:,} of {count(one.labels, 'label')}" if times else "",
    )


def _alpha(one: MetricProgress, told: Agreement | None) -> tuple[str, str, str]:
    """The figure, or the word that stands in its place, and the line below."""
    if told is None:
        return "", "being computed", ""
    if told.anchored and told.anchored == one.labels:
        return "", "withheld", "labels were given beside a verdict"
    if not one.labels:
        return "", "no labels", ""
    if told.few:
        return "", "too few", f"{count(told.items, 'item')} with two labels"
    if told.alpha.undefined is not None:
        return "", "undefined", REASONS[told.alpha.undefined]
    return number(told.alpha.value), "", interval(told.alpha) or "no interval"


def _bars(coverage: tuple[int, int, int, int]) -> tuple[Bar, ...]:
    """Parts as wide as they are large; each is seen, however small."""
    parts = [(k, n) for k, n in enumerate(coverage) if n]
    room = COVERAGE_WIDTH - GAP * (len(parts) - 1)
    widths = [max(3.0, room * n / sum(coverage)) for _, n in parts]
    scale = room / sum(widths) if widths else 1.0
    bars, x = [], 0.0
    for (k, n), width in zip(parts, widths, strict=True):
        wide = round(width * scale, 1)
        text = f"{n:,}"
        bars.append(Bar(f"c{k}", round(x, 1), wide, text if wide >= LEAST * (1 + len(text)) / 3 else ""))
        x += wide + GAP
    return tuple(bars)


def _course(course: Sequence[float]) -> tuple[str, tuple[float, float] | None]:
    """The line of alpha by sixths, from -0.2 to 1 in 26 pixels, and where it ends."""
    width, height = COURSE
    step = (width - 10) / max(len(course) - 1, 1)
    places = [
        (round(4 + k * step, 1), round(height - 2 - (height - 4) * (max(value, -0.2) + 0.2) / 1.2, 1))
        for k, value in enumerate(course)
        if not math.isnan(value)
    ]
    if len(places) < 2:
        return "", None
    return "M" + "L".join(f"{x} {y}" for x, y in places), places[-1]


def _course_words(course: Sequence[float]) -> str:
    said = ["undefined" if math.isnan(value) else number(value) for value in course]
    return f"Agreement by sixth of the round: {', '.join(said)}" if said else ""


def figures(estimate: Estimate, *, share: bool = False) -> tuple[str, str]:
    """A figure and its interval; where it is undefined, nothing and the reason."""
    if estimate.undefined is not None:
        return "", REASONS[estimate.undefined]
    if not share:
        return number(estimate.value), interval(estimate) or "no interval"
    ends = f"[{percent(estimate.low)}, {percent(estimate.high)}]" if estimate.has_interval else "no interval"
    return percent(estimate.value), ends


def rater_row(one: RaterProgress, raters: Sequence[RaterProgress]) -> RaterRow:
    """One rater's figures beside the others'."""
    said = careless(one, others_seconds(raters, one))
    return RaterRow(
        rater_id=one.rater_id,
        expertise=one.expertise,
        labels=f"{one.done:,} of {one.assigned:,}",
        seconds="" if one.seconds is None else duration(one.seconds),
        unsure=_share(one.unsure, one.labels),
        borderline=_share(one.borderline, one.labels),
        gold=f"{one.gold.right:,} of {one.gold.answered:,}" if one.gold.answered else "",
        seen=one.seen,
        check=", and ".join(said),
    )


def _share(part: int, whole: int) -> str:
    return percent(part / whole, whole) if whole else ""


def _shared(shared: Shared) -> tuple[tuple[Overlap | None, ...], ...]:
    most = max((n for i, row in enumerate(shared.planned) for j, n in enumerate(row) if i != j), default=0)
    return tuple(
        tuple(
            None
            if i == j
            else Overlap(
                n,
                shared.planned[i][j],
                math.ceil(SHADES * n / most) if most else 0,
                not n and not shared.planned[i][j],
            )
            for j, n in enumerate(row)
        )
        for i, row in enumerate(shared.given)
    )
