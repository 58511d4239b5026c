"""The beginning of a round: its settings, its people with their links, and who is asked for what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from voirdire.errors import UserError, check_names, check_whole
from voirdire.opening import read_table
from voirdire.review.assigning import Wanted, assign_to, by_overlap, from_plan, under_codes
from voirdire.review.desk import Desk, Round
from voirdire.review.people import Invited, codes_by_name, invite, is_no_code, organiser_link
from voirdire.review.settings import PROTOCOL, RoundSettings, offered_scale
from voirdire.review.showing import Showing
from voirdire.study.criterion import criterion_hash
from voirdire.study.raw import RawTable

__all__ = ["BeginOptions", "Begun", "begin", "plan_rows", "settings_of"]

PLACES = 3
"""So many people are invited where nobody is named or known."""
MOST_PEOPLE = 20
"""Of more people than these none is invited unasked."""
MOST_ITEMS = 300
"""Of more items than these as many are drawn, unless a plan or a number says otherwise."""


@dataclass(frozen=True, kw_only=True)
class BeginOptions:
    """Options of a round.

    ``raters`` are names with the most labels each gives (0 for no limit); else those of ``plan``, else the
    people of the study, else three places. ``plan`` is a file that ``voirdire plan`` wrote; without it every
    item, or ``items`` of them, gets ``labels_an_item`` labels. ``metrics`` are all where empty. ``mode`` is
    blind, or confirm, where the verdict of ``judge`` is shown. ``borderline`` offers that label on metrics
    that do not have it, on those of ``sets`` several labels may be given. ``shown`` are the columns that
    raters see, ``closes_at`` a time in ISO form.
    """

    title: str = ""
    metrics: tuple[str, ...] = ()
    raters: Mapping[str, int] = field(default_factory=dict)
    plan: Path | None = None
    labels_an_item: int = 2
    items: int = 0
    mode: Literal["blind", "confirm"] = "blind"
    judge: str = ""
    borderline: bool = False
    sets: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    protocol: str = PROTOCOL
    closes_at: str = ""
    seed: int = 20261129

    def __post_init__(self) -> None:
        check_whole("labels an item", self.labels_an_item, 1, 1_000)
        check_whole("items", self.items, 0, 10_000_000)
        check_whole("seed", self.seed, 0, 2**63 - 1)
        for name in ("metrics", "sets", "shown"):
            check_names(name, getattr(self, name))
        if self.closes_at:
            check_time(self.closes_at)


@dataclass(frozen=True)
class Begun:
    """A round that has begun: the organiser's link and one a rater, and how many labels are asked for."""

    round: Round
    organiser: Invited
    raters: tuple[Invited, ...]
    n_labels: int
    notes: tuple[str, ...] = ()


def begin(desk: Desk, options: BeginOptions) -> Begun:
    """Begin a round of ``desk`` as ``options`` say; nothing is kept where something is wrong with them."""
    settings = settings_of(desk, options)
    rows = plan_rows(desk, read_table(options.plan), settings.metrics) if options.plan is not None else None
    names = dict(options.raters) or _known_raters(desk, rows)
    notes = _check_shown(desk, settings)
    wanted = _drawn(desk, settings, names, options) if rows is None else from_plan(desk, rows, names)
    notes += [] if rows is not None else _left_out(desk, settings, wanted, options)
    _check_apart(desk, names)
    round_ = desk.new_round(settings)
    organiser = organiser_link(desk, round_.id)
    invited = {name: invite(desk, round_.id, "rater", name) for name in sorted(names, key=is_no_code)}
    raters = tuple(invited[name] for name in names)
    codes = {name: one.link.rater_id for name, one in invited.items()}
    n_labels = assign_to(desk, round_, under_codes(wanted, codes))
    return Begun(round_, organiser, raters, n_labels, tuple(notes))


def settings_of(desk: Desk, options: BeginOptions) -> RoundSettings:
    """The settings of a round; a metric, judge or column that the study lacks is a user's error."""
    study = desk.study
    metrics = list(options.metrics) or [metric.name for metric in study.metrics]
    if not metrics:
        raise UserError(
            "declares no metric", where=desk.source, fix="add metrics with their labels to study.yaml"
        )
    scales = {name: offered_scale(study.metric(name), borderline=options.borderline) for name in metrics}
    for name in options.sets:
        if name not in scales:
            raise UserError(f"several labels on '{name}'", expected=f"one of {', '.join(metrics)}")
    judges = [study.raters[code].id for code in study.raters_of("judge")]
    if options.mode == "confirm" and options.judge not in judges:
        raise UserError(
            f"no judge '{options.judge}' whose verdicts could be shown",
            expected=f"one of {', '.join(judges) or 'none: this study has no judge'}",
        )
    return RoundSettings(
        title=options.title or f"{study.name}: {'labels' if options.mode == 'blind' else 'second look'}",
        metrics=metrics,
        scales=scales,
        criteria={name: criterion_hash(study.metric(name)) for name in metrics},
        mode=options.mode,
        judge=options.judge if options.mode == "confirm" else "",
        shown=list(options.shown),
        sets=list(options.sets),
        protocol=options.protocol,
        closes_at=options.closes_at,
        seed=options.seed,
    )


def plan_rows(desk: Desk, table: RawTable, metrics: Sequence[str]) -> list[dict[str, str | None]]:
    """The rows of a plan's file that are on ``metrics``, in its order of asking."""
    lacking = [name for name in ("item_id", "metric", "rater_id") if name not in table.columns]
    if lacking:
        raise UserError(
            f"no column '{lacking[0]}'", where=table.name, expected="a file that voirdire plan wrote"
        )
    rows = [{name: column[k] for name, column in table.columns.items()} for k in range(len(table))]
    return [row for row in rows if row["metric"] in metrics or row["metric"] not in _metric_names(desk)]


def check_time(text: str) -> datetime:
    """``text`` as a time with its offset; one that is past, or is no time, is a user's error."""
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        raise UserError(f"'{text}' is no time", expected="as in 2026-12-24T18:00+01:00") from None
    if when.tzinfo is None:
        raise UserError(f"'{text}' names no time zone", expected="as in 2026-12-24T18:00+01:00")
    if when <= datetime.now(UTC):
        raise UserError(f"'{text}' is past", expected="a time to come")
    return when


def _metric_names(desk: Desk) -> set[str]:
    return {metric.name for metric in desk.study.metrics}


def _known_raters(desk: Desk, rows: Sequence[Mapping[str, str | None]] | None) -> dict[str, int]:
    """Those whom the plan names, else the study's people, else places for people to come."""
    if rows is not None:
        return dict.fromkeys((row["rater_id"] or "" for row in rows), 0)
    people = [desk.study.raters[code].id for code in desk.study.raters_of("human")]
    if 0 < len(people) <= MOST_PEOPLE:
        return dict.fromkeys(people, 0)
    return {f"Rater {number}": 0 for number in range(1, PLACES + 1)}


def _drawn(
    desk: Desk, settings: RoundSettings, raters: Mapping[str, int], options: BeginOptions
) -> list[Wanted]:
    return by_overlap(
        desk,
        settings.metrics,
        raters,
        labels_an_item=options.labels_an_item,
        items=_n_drawn(desk, options),
        seed=options.seed,
    )


def _n_drawn(desk: Desk, options: BeginOptions) -> int:
    """How many items are drawn, 0 where all are taken."""
    items = options.items or MOST_ITEMS
    return items if items < len(desk.study.items) else 0


def _left_out(
    desk: Desk, settings: RoundSettings, wanted: Sequence[Wanted], options: BeginOptions
) -> list[str]:
    """What is not asked for, and why."""
    drawn = _n_drawn(desk, options)
    every = (drawn or len(desk.study.items)) * len(settings.metrics) * options.labels_an_item
    notes = [f"{drawn:,} of {len(desk.study.items):,} items were drawn at random."] if drawn else []
    if every > len(wanted):
        notes.append(
            f"{every - len(wanted):,} labels find nobody: these people gave theirs before, are at "
            "their most, or it is their own work."
        )
    return notes


def _check_apart(desk: Desk, names: Mapping[str, int]) -> None:
    """See that no two of ``names`` are one person, once by name and once by code."""
    codes = codes_by_name(desk)
    given = {name: codes.get(name, name) for name in names}
    twice = [name for name, code in given.items() if list(given.values()).count(code) > 1]
    if twice:
        raise UserError(f"{' and '.join(twice)} are one person", fix="name each person once")


def _check_shown(desk: Desk, settings: RoundSettings) -> list[str]:
    """See that there is something to read; what cannot be shown is a user's error."""
    round_ = Round("", settings, "", closed=False)
    showing = Showing(desk, round_)
    names = ", ".join(showing.view.columns)
    for metric in settings.metrics:
        if desk.study.metric(metric).scale.kind == "pairwise":
            showing.sides(desk.study.items.ids[0], "ab")
    return [f"Raters see: {names}."]
