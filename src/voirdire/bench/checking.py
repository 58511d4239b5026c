"""Checking a benchmark: everything that is missing, unobservable, leaking or unreviewed, by file and line."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from voirdire.bench.cast import Cast, load_cast
from voirdire.bench.drafting import DRAFTS
from voirdire.bench.leaks import Difference, differences, leaks
from voirdire.bench.observable import flags
from voirdire.bench.reading import Lines
from voirdire.bench.standing import (
    ALIKE,
    Place,
    Severity,
    Standing,
    count_metrics,
    misplaced,
    places,
    standing,
)
from voirdire.bench.suite import BENCH, Bench, Parts, read_parts
from voirdire.decide.lines import aligned
from voirdire.errors import UserError
from voirdire.judges.judge import load_judge
from voirdire.judges.panel import is_panel, load_panel

__all__ = ["Checked", "Found", "check_bench"]

CAST = ("targets.yaml", "user.yaml")
JUDGE = "judge.yaml"
TITLES: tuple[tuple[str, Severity], ...] = (("To mend", "fault"), ("To look at", "flag"), ("To know", "note"))
HINT = "  A rule looks for words and may be wrong; a metric may accept it: accepted: {rule: reason}"
USUAL = 3
"""Scenarios that a metric usually has."""


@dataclass(frozen=True)
class Found:
    """One thing to look at. A fault must be mended; a flag is what a rule found; a note is to know.

    ``rule`` is the name under which a metric may accept a flag.
    """

    kind: Severity
    where: str
    what: str
    rule: str = ""

    def __str__(self) -> str:
        rule = f" ({self.rule})" if self.rule else ""
        return f"{self.where}: {self.what}{rule}" if self.where else f"{self.what}{rule}"


@dataclass(frozen=True)
class Checked:
    """What a check of the benchmark in ``folder`` found, where each metric stands, counts and balance.

    ``conversations`` are those with each system.
    """

    folder: str
    name: str
    found: tuple[Found, ...]
    metrics: tuple[Standing, ...]
    counts: dict[str, int]
    places: tuple[Place, ...]
    differences: tuple[Difference, ...]
    conversations: int

    @property
    def passed(self) -> bool:
        """Whether nothing stands in the way: no fault, and no flag that nobody has accepted."""
        return all(one.kind == "note" for one in self.found)

    def of(self, kind: Severity) -> list[Found]:
        """What was found of one kind, in order of the files."""
        return [one for one in self.found if one.kind == kind]

    @cached_property
    def states(self) -> Counter[str]:
        """Metrics by where they stand."""
        return Counter(one.state for one in self.metrics)

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {"passed": self.passed, **asdict(self), "states": dict(self.states)}

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def check_bench(folder: str | Path) -> Checked:
    """Check the benchmark in ``folder``; only a folder that is no benchmark raises an error.

    Nothing is run, and no model is asked. What is wrong is told for all files at once; a metric that cannot
    be read is left out of everything else.
    """
    parts = read_parts(folder)
    bench = parts.bench
    found = [*_faults(parts.problems), *_suite(parts)]
    for file, metric in parts.metrics.items():
        lines = Lines((parts.folder / file).read_text(encoding="utf-8-sig"))
        found += _metric(parts.bench, file, metric, lines)
    found += [*_drafts(parts.folder), *_players(parts.folder, bench)]
    variants = differences(bench) if bench else ()
    found += _unlike(variants)
    order = {file: place for place, file in enumerate(["", BENCH, *parts.metrics, *CAST, JUDGE])}
    found.sort(key=lambda one: order.get(one.where.partition(",")[0], 0))
    states = tuple(standing(metric, file) for file, metric in parts.metrics.items())
    every = sum(1 for _ in bench.cases(unreviewed=True)) * bench.config.repeats if bench else 0
    name = parts.config.name if parts.config else ""
    metrics = list(parts.metrics.values())
    return Checked(
        folder=str(folder),
        name=name,
        found=tuple(dict.fromkeys(found)),  # a script's fault comes up once a variant
        metrics=states,
        counts=count_metrics(metrics),
        places=places(metrics),
        differences=variants,
        conversations=every,
    )


def _faults(problems: Sequence[UserError]) -> Iterator[Found]:
    for problem in problems:
        for fault in problem.faults:
            expected = f"; expected {fault.expected}" if fault.expected else ""
            fix = f"; {fault.fix}" if fault.fix else ""
            yield Found("fault", fault.where, f"{fault.what}{expected}{fix}")


def _suite(parts: Parts) -> Iterator[Found]:
    """What all metrics together show: the tree, and the counts that bench.yaml expects."""
    for file, what, severity in misplaced(parts.metrics):
        yield Found(severity, file, what, ALIKE if severity == "flag" else "")
    counts = count_metrics(list(parts.metrics.values()))
    expected = parts.config.expects.model_dump(exclude_none=True) if parts.config else {}
    for name, wanted in expected.items():
        if counts[name] != wanted:
            yield Found("fault", BENCH, f"expects {wanted:,} {name}, and there are {counts[name]:,}")


def _metric(bench: Bench | None, file: str, metric: Any, lines: Lines) -> Iterator[Found]:
    def at(path: tuple[str | int, ...]) -> str:
        line = lines.of(path)
        return f"{file}, line {line}" if line else file

    for flag in flags(metric):
        yield Found("flag", at(flag.path), f"'{flag.words}': {flag.why}", flag.rule)
    for leak in leaks(metric):
        what = f"'{leak.words}' gives the user's {leak.attribute} away: {leak.why}"
        yield Found("flag", at(leak.path), what, leak.rule)
    if not metric.scoring.opportunity:
        yield Found(
            "note", at(("scoring",)), "no opportunity: nobody asks whether the behaviour was possible"
        )
    if len(metric.scenarios) < USUAL:
        count = len(metric.scenarios)
        yield Found("note", at(("scenarios",)), f"{count} of the usual {USUAL} scenarios")
    for place, scenario in enumerate(metric.scenarios):
        if not scenario.moves:
            yield Found("note", at(("scenarios", place)), f"scenario '{scenario.id}' has no move of the user")
    for rule in metric.accepted:
        yield Found("note", at(("accepted", rule)), f"accepted: {metric.accepted[rule]}", rule)


def _drafts(folder: Path) -> Iterator[Found]:
    """What a person has to do with each draft, which no run reads."""
    for file in sorted((folder / DRAFTS).glob("*.y*ml")):
        what = "a model's draft: make it yours, take out draft: true, and move it to metrics/"
        yield Found("note", f"{DRAFTS}/{file.name}", what)


def _players(folder: Path, bench: Bench | None) -> Iterator[Found]:
    """What is wrong with who plays and judges, as far as their files are there."""
    problems: list[UserError] = []
    targets, user = (folder / name for name in CAST)
    if bench is not None and targets.is_file() and user.is_file():
        try:
            cast = load_cast(bench, targets, user)
            next(cast.parts(bench, unreviewed=True), None)  # to begin with them checks the scripts
        except UserError as problem:
            problems.append(problem)
        else:
            yield from _unmatched(bench, cast)
    judge = folder / JUDGE
    if judge.is_file():
        try:
            _ = load_panel(judge) if is_panel(judge) else load_judge(judge)
        except UserError as problem:
            problems.append(problem)
    yield from _faults(problems)


def _unmatched(bench: Bench, cast: Cast) -> Iterator[Found]:
    """Systems that were heard elsewhere, of which some variant of a scenario was not."""
    for system, kept in cast.transcripts.items():
        heard = [(case.pair, bool(list(kept.of(case)))) for case in bench.cases(unreviewed=True)]
        sets: dict[str, set[bool]] = defaultdict(set)
        for pair, there in heard:
            sets[pair].add(there)
        broken = sum(len(every) > 1 for every in sets.values())
        lacking = sum(not there for _, there in heard)
        if lacking:
            what = f"system '{system}' has no transcript of {lacking:,} of {_many(len(heard), 'cases')}"
            yield Found("note", CAST[0], f"{what}; {broken:,} of {len(sets):,} matched sets are incomplete")


def _unlike(variants: Sequence[Difference]) -> Iterator[Found]:
    """Variants that differ in more than their axis declares."""
    for one in variants:
        pair, words = f"{one.variants[0]} and {one.variants[1]}", f"'{one.first}' beside '{one.second}'"
        for attribute in one.beside:
            yield Found("flag", BENCH, f"{pair} also differ in {attribute}: {words}")
        if not one.same_length:
            yield Found("note", BENCH, f"{pair} add unequally many words: {words}")
        if not (one.first or one.second):
            yield Found("fault", BENCH, f"{pair} do not differ in any word")


def _lines(checked: Checked) -> Iterator[str]:
    """The check as text: what stands in the way, what to look at, and where the metrics stand."""
    faults, looked = checked.of("fault"), checked.of("flag")
    yield _headline(len(faults), len(looked), checked)
    for title, kind in TITLES:
        listed = checked.of(kind)
        if listed:
            yield from ("", title, *(f"  {one}" for one in listed))
        if listed and kind == "flag":
            yield HINT
    if checked.metrics:
        yield from ("", "Metrics", *(f"  {line}" for line in _standings(checked)))
        yield from (
            "",
            "Counts",
            f"  {_counted(checked)}",
            *(f"  {line}" for line in _placed(checked.places)),
        )
    if checked.differences:
        yield from ("", "Variants", *(f"  {_differs(one)}" for one in checked.differences))


def _headline(faults: int, looked: int, checked: Checked) -> str:
    if not (faults or looked):
        return f"{checked.name}: nothing is missing, and no rule found anything."
    parts = [f"{faults:,} to mend"] if faults else []
    parts += [f"{looked:,} to look at"] if looked else []
    return f"{checked.name or checked.folder}: {', '.join(parts)}."


def _standings(checked: Checked) -> Iterator[str]:
    width = max((len(one.metric) for one in checked.metrics), default=0)
    for one in checked.metrics:
        yield f"{one.metric:{width}}  version {one.version}  {one}"
    count, every = checked.states["counts"], len(checked.metrics)
    if count < every:
        yield f"{count:,} of {every:,} count; the others run with --unreviewed and stay out of headlines."


def _counted(checked: Checked) -> str:
    counts = checked.counts
    metrics, *tree, scenarios = (
        _many(counts[name], name) for name in ("metrics", "benchmarks", "subareas", "areas", "scenarios")
    )
    polarity = f"{counts['positive']:,} positive, {counts['negative']:,} negative"
    held = _many(checked.conversations, "conversations")
    return f"{metrics} ({polarity}) in {', '.join(tree)}; {scenarios}, {held} with each system"


def _placed(every: Sequence[Place]) -> list[str]:
    rows = [(one.area, one.subarea, one.benchmark, f"{one.positive:,}", f"{one.negative:,}") for one in every]
    return aligned([("area", "subarea", "benchmark", "positive", "negative"), *rows], numbers=(3, 4))


def _many(count: int, things: str) -> str:
    return f"{count:,} {things.removesuffix('s') if count == 1 else things}"


def _differs(one: Difference) -> str:
    words = f"'{one.first}' beside '{one.second}'"
    beside = f"; also in {', '.join(one.beside)}" if one.beside else "; nothing else"
    return (
        f"{one.variants[0]} and {one.variants[1]}: {_many(one.pairs, 'matched pairs')}, different in {words}"
        f" ({one.share:.0%} of the words){beside}"
    )
