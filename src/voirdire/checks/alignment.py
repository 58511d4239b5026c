"""How well does the judge know how people would judge? Its output aligned to how people's labels spread.

Run where asked for (``--align``): it fits and tests every map several times over. Beyond 4,000 labelled rows
(item and metric) it uses whole clusters drawn at random; ``voirdire align`` uses all.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from voirdire.align.aligner import Aligner, align
from voirdire.align.contested import rule_in_words
from voirdire.align.equivalence import PowerCurve
from voirdire.align.options import AlignOptions
from voirdire.align.plain import plain
from voirdire.align.set_scale import share_sets
from voirdire.align.verdict import worth_in_words
from voirdire.checks.alignment_calibration import pit_in_words
from voirdire.checks.alignment_metrics import pooled_in_words
from voirdire.checks.alignment_tables import tables
from voirdire.checks.context import Context
from voirdire.checks.finding import Action, Finding
from voirdire.checks.words import count, listing, number, percent, spoken
from voirdire.errors import UserError
from voirdire.registry import register
from voirdire.stats.estimate import REASONS

__all__ = ["Aligned", "alignment"]

MOST_ROWS = 4000
FELL = 0.02
"""Agreement with the majority that alignment may cost before it is said."""


@dataclass(frozen=True, eq=False)
class Aligned:
    """Metrics of one scale with the aligner fitted on them, or why there is none."""

    metrics: tuple[str, ...]
    aligner: Aligner | None
    reason: str = ""


@register("check", "alignment")
def alignment(context: Context) -> Finding | None:
    """How well does the judge know how people would judge?"""
    if not (context.options.align or "alignment" in context.options.checks):
        return None
    if not set(context.judged()) & set(context.audited()):
        return None
    every = [_aligned(context, names) for names in _by_scale(context)]
    fitted = [one for one in every if one.aligner is not None]
    return Finding(
        check="alignment",
        question="How well does the judge know how people would judge?",
        answer=_answer(every),
        tables=tuple(table for one in fitted for table in tables(context, one.metrics, one.aligner)),
        beware=tuple(dict.fromkeys(words for one in fitted for words in _bewares(one.aligner))),
        actions=tuple(action for one in fitted for action in _actions(one)),
        missing=tuple(one.reason for one in every if one.reason),
        data={", ".join(one.metrics): _data(one.aligner) for one in fitted},
    )


def _by_scale(context: Context) -> list[tuple[str, ...]]:
    """The metrics that people and judges rated; those whose labels are among another's go together."""
    groups: list[list[str]] = []
    names = context.compared()
    scales = dict(zip(names, share_sets([context.study.metric(name).scale for name in names]), strict=True))
    for name in sorted(scales, key=lambda name: -len(scales[name].labels)):
        mine = scales[name]
        home = next(
            (
                group
                for group in groups
                if set(mine.labels) <= set(scales[group[0]].labels)
                and (mine.kind, mine.ordered) == (scales[group[0]].kind, scales[group[0]].ordered)
            ),
            None,
        )
        if home is None:
            groups.append([name])
        else:
            home.append(name)
    order = list(scales)
    return [tuple(sorted(names, key=order.index)) for names in groups]


def _aligned(context: Context, metrics: tuple[str, ...]) -> Aligned:
    options = AlignOptions(
        metrics=metrics,
        repeats=1,
        level=context.options.level,
        most_rows=MOST_ROWS,
        seed=context.options.seed,
    )
    try:
        return Aligned(metrics, align(context.study, options))
    except UserError as problem:
        return Aligned(metrics, None, f"{listing(metrics)}: {problem}")


def _answer(every: Sequence[Aligned]) -> str:
    if len(every) == 1:
        return _sentence(every[0])
    return " ".join(f"On {listing(one.metrics)}: {_sentence(one)}" for one in every)


def _sentence(one: Aligned) -> str:
    if one.aligner is None:
        return f"Cannot tell yet: {one.reason.partition(': ')[2]}."
    return one.aligner.evaluation.verdict.sentence


def _bewares(aligner: Aligner | None) -> Iterator[str]:
    assert aligner is not None
    found = aligner.evaluation
    design, kappa = found.design, found.kappa
    yield (
        f"Every figure is out of fold: {count(design.n_rows, 'row')} (item and metric) in "
        f"{count(design.n_clusters, 'cluster')}, dealt to {design.folds} parts; the log score of a label is "
        "minus the log of the share predicted for it, in nats, lower is better."
    )
    if kappa.undefined is not None:
        yield f"What the judge is worth in human votes is not measurable: {REASONS[kappa.undefined]}."
    elif kappa.low < 0.005 and math.isinf(kappa.high):
        yield "As how many human votes the judge counts beside labels that exist these labels cannot tell."
    else:
        yield (
            f"Beside labels that exist the judge counts as {_votes(kappa.value)} human votes "
            f"(interval {_votes(kappa.low)} to {_votes(kappa.high)})."
        )
    slope = found.disagreement.slope
    if slope.undefined is None:
        yield (
            f"Where more disagreement is predicted by 1, people show {spoken(slope)} more; a perfect map's "
            f"slope is {number(found.disagreement.perfect_slope)}."
        )
    yield from _flagged(aligner)
    yield from filter(None, (pooled_in_words(found), pit_in_words(found.pit) if found.pit else ""))
    yield from _cautions(aligner)


def _flagged(aligner: Aligner) -> Iterator[str]:
    """The rule, whether as many rows are flagged as people dispute, and whether they are the right ones."""
    flagging, scale = aligner.evaluation.flagging, aligner.encoding.scale
    measured = flagging.disputed.undefined is None
    yield rule_in_words(scale, fitted=measured)
    if not measured:
        return
    n, rows = flagging.disputed.n_items, flagging.flagged.n_items
    said = (
        f"Out of fold {percent(flagging.flagged.value, rows)} of rows are flagged, and pairs of people "
        f"dispute {percent(flagging.disputed.value, n)} of the {count(n, 'row')} with several labels"
    )
    if flagging.if_flagged.undefined is None and flagging.if_not.undefined is None:
        said += (
            f": {percent(flagging.if_flagged.value, n)} where the row is flagged, "
            f"{percent(flagging.if_not.value, n)} where it is not"
        )
    if flagging.auc.undefined is None:
        said += f"; disputed rows are told from the others with AUC {spoken(flagging.auc)}"
        if not math.isnan(flagging.auc_ceiling):
            said += f", {number(flagging.auc_ceiling)} being possible by model"
    yield f"{said}."


def _cautions(aligner: Aligner) -> Iterator[str]:
    """What a reader must not conclude: systems, falling agreement, clusters left out."""
    found = aligner.evaluation
    if found.gain_over_system.undefined is None and not found.gain_over_system.low > 0:
        yield (
            "Knowing which system wrote the item predicts people as well as the judge does: gain over it "
            f"{spoken(found.gain_over_system)} nats; judge and system together gain "
            f"{spoken(found.judge_beyond_system)}."
        )
    raw = found.model("raw_judge")
    if raw is not None and raw.gain.undefined is None and not raw.gain.value > 0:
        yield (
            "Aligned, it predicts people no better than as it is: gain over the judge as it is "
            f"{spoken(raw.gain)} nats. With so few labels the map costs more than it gives."
        )
    change = found.accuracy.change
    if change.undefined is None and change.value < -FELL:
        yield f"Aligned, the judge agrees with the majority less often: {spoken(change)}."
    if found.design.n_rows >= MOST_ROWS * 0.9:
        yield f"At most {MOST_ROWS:,} labelled rows are used here; `voirdire align` uses all."


def _votes(value: float) -> str:
    return "infinitely many" if value == float("inf") else number(value, 1)


def _actions(one: Aligned) -> Iterator[Action]:
    assert one.aligner is not None
    verdict = one.aligner.evaluation.verdict
    if verdict.more_labels:
        yield Action(
            f"More labels on {listing(one.metrics)}",
            "would tell whether the judge adds anything beyond base rates",
            count(verdict.more_labels, "label"),
        )


def _data(aligner: Aligner | None) -> dict[str, object]:
    assert aligner is not None
    found = aligner.evaluation
    curve: PowerCurve = found.power[0]
    return {
        "verdict": found.verdict.word,
        "worth": worth_in_words(curve),
        "gain": found.gain.to_dict(),
        "kappa": found.kappa.to_dict(),
        "rater_equivalence": curve.equivalence.to_dict(),
        "skill": found.skill.to_dict(),
        "pooled_gain": found.pooled.mean.to_dict(),
        "between_metrics": found.pooled.between.to_dict(),
        "split_half_reliability": found.disagreement.split_half.to_dict(),
        "pit_p": None if found.pit is None else plain(found.pit.p),
    }
