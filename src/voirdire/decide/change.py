"""Compare two studies: did judge, items, people or rubric change, and what moved the figures?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from voirdire.align.aligner import Aligner
from voirdire.decide.change_causes import Headline, headlines
from voirdire.decide.change_cells import Both, Cells, judge_pairs
from voirdire.decide.change_items import item_change
from voirdire.decide.change_judge import (
    AlignedChange,
    Flip,
    JudgeChange,
    aligned_changes,
    flips,
    judge_change,
)
from voirdire.decide.change_options import CompareOptions
from voirdire.decide.change_people import people_change
from voirdire.decide.change_result import Change
from voirdire.decide.drift import Drift, DriftOptions, drift, follow
from voirdire.decide.drift_map import Followed
from voirdire.errors import UserError
from voirdire.study.combine import judged_metrics
from voirdire.study.combined_labels import taken
from voirdire.study.study import Study

__all__ = ["compare"]

Say = Callable[[str], None]


def compare(
    old: Study | Aligner, new: Study, options: CompareOptions | None = None, *, progress: Say | None = None
) -> Change:
    """What changed between two studies, and whether it is more than noise.

    On items of both studies the judge then and now is held against the same human labels, paired; new items
    are compared with old ones without labels; people, rubrics and scoring are compared; each headline's
    change is split by cause. Where the judge stayed, labels of further items are followed for drift. An
    aligner as ``old`` is followed for drift alone. Studies without a common metric are a user's error.
    """
    for thing, kinds in ((old, (Study, Aligner)), (new, (Study,))):
        if not isinstance(thing, kinds):
            raise UserError(f"cannot compare a {type(thing).__name__}", expected="a Study")
    chosen = options or CompareOptions()
    say = progress or (lambda text: None)
    if isinstance(old, Aligner):
        say("Following the aligner's score")
        followed = drift(old, new, DriftOptions(tolerance=chosen.tolerance, level=chosen.level))
        return Change("aligner", new.name, tolerance=chosen.tolerance, level=chosen.level, drift=(followed,))
    _check(old, new, chosen)
    return _compared(old, new, chosen, say)


def _check(old: Study, new: Study, options: CompareOptions) -> None:
    theirs = [metric.name for metric in new.metrics]
    both = [metric.name for metric in old.metrics if metric.name in theirs]
    if not both:
        raise UserError(
            f"no metric is in both studies: {', '.join(metric.name for metric in old.metrics[:5])} against "
            f"{', '.join(theirs[:5])}",
            where=f"{old.name} and {new.name}",
            expected="a metric of the same name",
        )
    for name in options.metrics:
        if name not in both:
            raise UserError(f"metric '{name}' is not in both studies", expected=f"one of {', '.join(both)}")
    if not len(set(old.items.ids) & set(new.items.ids)) and not old.raters_of("judge"):
        raise UserError(
            "the studies share no item and have no judge",
            where=f"{old.name} and {new.name}",
            fix="check that item_id means the same in both",
        )


@dataclass
class _Found:
    """What has been found so far, over the judges."""

    judges: list[JudgeChange] = field(default_factory=list)
    aligned: list[AlignedChange] = field(default_factory=list)
    flips: list[Flip] = field(default_factory=list)
    headlines: list[Headline] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def _compared(old: Study, new: Study, options: CompareOptions, say: Say) -> Change:
    judge_rng, cause_rng, item_rng = np.random.default_rng(options.seed).spawn(3)
    both, found = Both.of(old, new), _Found()
    every = dict.fromkeys(metric.name for study in (old, new) for metric in study.metrics)
    wanted = options.metrics or tuple(every)
    pairs = judge_pairs(old, new, options.judges)
    if not pairs:
        found.notes.append("One of the studies has no judge: only items and people are compared.")
    for pair in pairs:
        say(f"Comparing {pair[1]}")
        cells = _cells(both, wanted, pair)
        _judge(both, cells, pair, options, found, judge_rng)
        found.headlines.extend(headlines(both, cells, pair, options, cause_rng))
    say("Comparing items and people")
    cells = _cells(both, wanted, pairs[0] if pairs else ("", ""))
    stayed = [one for one, two in pairs if one == two and not any(flip.judge == two for flip in found.flips)]
    late = _unlabelled_before(both)
    shared = [name for name in both.metrics if name in wanted and len(late.rows(name, kind="human"))]
    return Change(
        old.name,
        new.name,
        options.tolerance,
        options.level,
        tuple(found.judges),
        tuple(found.aligned),
        tuple(found.flips),
        item_change(both, cells, options, item_rng),
        people_change(both, cells, options),
        tuple(found.headlines),
        tuple(_followed(old, late, shared, stayed, options, found)) if options.select else (),
        tuple(found.notes),
    )


def _cells(both: Both, metrics: Sequence[str], pair: tuple[str, str]) -> list[Cells]:
    return [one for name in metrics if (one := both.cells(name, pair)) is not None]


def _judge(
    both: Both,
    cells: Sequence[Cells],
    pair: tuple[str, str],
    options: CompareOptions,
    found: _Found,
    rng: np.random.Generator,
) -> None:
    """One judge then and now on shared items, as it is and aligned."""
    mine = [one for one in cells if one.metric in both.metrics]
    moved = [judge_change(both, one, pair, options, rng) for one in mine]
    known = [one for one in moved if one is not None]
    found.judges.extend(known)
    found.flips.extend(flip for one in mine for flip in flips(both, one, pair))
    labelled = [one.metric for one in known if one.n_labelled]
    if not labelled:
        found.notes.append(
            f"No shared item has a human label and verdicts of {pair[1]} then and now: whether it became "
            "worse is unknown."
        )
    elif options.select:
        for one in aligned_changes(both, pair, labelled, options):
            if isinstance(one, str):
                found.notes.append(one)
            else:
                found.aligned.append(one)


def _followed(
    old: Study,
    late: Study,
    metrics: Sequence[str],
    judges: Sequence[str],
    options: CompareOptions,
    found: _Found,
) -> Iterator[Drift]:
    """Drift of people's labels on items that they labelled later, where a judge stayed as it was."""
    for group in judged_metrics(old, metrics) if metrics and judges else ():
        try:
            followed = Followed.fitted(
                old,
                judges,
                group,
                select=options.select,
                level=options.level,
                rng=np.random.default_rng(options.seed),
            )
            yield follow(followed, late, DriftOptions(tolerance=options.tolerance, level=options.level))
        except UserError as problem:
            found.notes.append(f"Drift of people's labels on {', '.join(group)} is not followed: {problem}")


def _unlabelled_before(both: Both) -> Study:
    """The new study without people's labels of items that the old one holds labels of."""
    ratings, old = both.new.ratings, both.old
    seen = np.zeros(len(both), dtype=np.bool_)
    seen[both.at_old[old.ratings.item[old.is_kind("human")[old.ratings.rater]]]] = True
    drop = both.new.is_kind("human")[ratings.rater] & seen[both.at_new[ratings.item]]
    return replace(both.new, ratings=taken(ratings, np.flatnonzero(~drop)))
