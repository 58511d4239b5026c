"""May the judge replace one of the people? Both tests, by single labels and by distributions, together."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import cast

import numpy as np

from voirdire import registry
from voirdire.align.cross_fit import cross_fit
from voirdire.align.observe import Observed, features_of
from voirdire.decide.distributional import DistributionalTest, distributional_replacement
from voirdire.decide.expertise import epsilon_of
from voirdire.decide.replacement_options import ReplacementOptions
from voirdire.decide.replacement_result import Replacement, ReplacementTests, both
from voirdire.errors import UserError
from voirdire.stats.alternative_annotator import AlternativeAnnotatorTest, Small, alternative_annotator_test
from voirdire.stats.estimate import REASONS
from voirdire.study.metric import Metric
from voirdire.study.panel import Panel
from voirdire.study.scale import Scale
from voirdire.study.study import Study

__all__ = ["NOT_ASKED", "replacement_tests", "score_of"]

NOT_ASKED = "not asked for"

BY_RULE = ("auto", "pool", "one_se")
"""Ways to select that name no single calibrator."""


def replacement_tests(study: Study, options: ReplacementOptions | None = None) -> ReplacementTests:
    """May a judge replace one of the people? Both tests on each metric that people and a judge rated.

    A metric on which fewer than three people share items says so. No metric with a person's label and a
    judge's verdict is a user's error.

    >>> from voirdire.opening import open
    >>> labels = ["yes", "yes", "no", "yes", "no", "no", "no", "no"] * 20
    >>> rater, kind = ["Ann", "Bo", "Cy", "judge"] * 40, (["human"] * 3 + ["judge"]) * 40
    >>> item = [str(n // 4) for n in range(160)]
    >>> study = open({"item_id": item, "rater_id": rater, "rater_kind": kind, "label": labels})
    >>> found = replacement_tests(study, ReplacementOptions(epsilon=0.2))
    >>> found.tests[0].passes
    True
    """
    if not isinstance(study, Study):
        raise UserError(
            f"cannot test a {type(study).__name__}",
            expected="a Study",
            fix="open it first: voirdire.replacement_tests(voirdire.open(source))",
        )
    if not isinstance(options, ReplacementOptions | None):
        raise UserError(
            f"options are a {type(options).__name__}", expected="voirdire.ReplacementOptions(...)"
        )
    chosen = options or ReplacementOptions()
    if chosen.select not in BY_RULE:
        registry.get("calibrator", chosen.select)
    known = {study.raters[code].id for code in study.raters_of("judge")}
    for name in chosen.judges:
        if name not in known:
            raise UserError(f"no judge named '{name}'", expected=f"one of {', '.join(sorted(known))}")
    tests = []
    for metric in _metrics(study, chosen.metrics):
        panel = study.panel(metric.name)
        for judge in study.judges_of(metric.name):
            if not chosen.judges or study.raters[judge].id in chosen.judges:
                tests.append(_tests(study, panel, judge, chosen))
    if not tests:
        raise UserError("no metric was rated by people and by a judge", fix="label what the judge rated")
    return ReplacementTests(tuple(tests), chosen)


def score_of(scale: Scale) -> str:
    """``neg_rmse`` for numbers and ordered labels, else ``accuracy``, as published.

    >>> score_of(Scale("binary", ("no", "yes"))), score_of(Scale("ordinal", ("1", "2", "3"), ordered=True))
    ('accuracy', 'neg_rmse')
    """
    return (
        "neg_rmse" if scale.kind == "numeric" or (scale.kind == "ordinal" and scale.ordered) else "accuracy"
    )


def _metrics(study: Study, wanted: Sequence[str]) -> list[Metric]:
    """The metrics named, all where none is, that people and a judge rated."""
    named = [study.metric(name) for name in wanted] if wanted else list(study.metrics)
    return [one for one in named if len(study.rows(one.name, kind="human")) and study.judges_of(one.name)]


def _tests(study: Study, panel: Panel, judge: int, options: ReplacementOptions) -> Replacement:
    names = panel.metric.name, study.raters[judge].id
    classic, reason = _classic(study, panel, judge, options)
    told, missing = _distributional(study, *names, options)
    raters = study.raters
    mine = [raters[code] for code in panel.raters.tolist()]
    return both(names, score_of(panel.scale), (classic, mine, reason), (told, raters, missing))


def _classic(
    study: Study, panel: Panel, judge: int, options: ReplacementOptions
) -> tuple[AlternativeAnnotatorTest | None, str]:
    """The alternative annotator test, or why there is none."""
    people = [study.raters[code] for code in panel.raters.tolist()]
    epsilon = [epsilon_of(rater.expertise) for rater in people]
    if score_of(panel.scale) == "accuracy" and _shared(panel) and not _agree_anywhere(panel):
        return None, "no two people give one item the same label, so that every comparison is a tie"
    try:
        found = alternative_annotator_test(
            panel.coded,
            study.verdicts(panel.metric.name, judge, panel.items).codes,
            score=score_of(panel.scale),
            epsilon=epsilon if options.epsilon is None else options.epsilon,
            small=cast(Small, options.small),
            level=options.level,
        )
    except UserError as problem:
        return None, str(problem)
    reason = found.winning_rate.undefined
    return (None, REASONS[reason]) if reason else (found, "")


def _shared(panel: Panel) -> bool:
    """Whether three people share items with others: else that is why there is no test."""
    coded = panel.coded
    several = coded.ratings_per_item() > 1
    return len(np.unique(coded.rater[several[coded.item]])) > 2


def _agree_anywhere(panel: Panel) -> bool:
    """Whether two people give some item the same label."""
    coded = panel.coded
    return len(np.unique(coded.item.astype(np.int64) * coded.q + coded.label)) < coded.n_ratings


def _distributional(
    study: Study, metric: str, judge: str, options: ReplacementOptions
) -> tuple[DistributionalTest | None, str]:
    """The distributional test, or why there is none."""
    if not options.distribution:
        return None, NOT_ASKED
    rng = np.random.default_rng([options.seed, zlib.crc32(f"{metric} {judge}".encode())])
    try:
        observed = features_of(study, judges=[judge], metrics=[metric]).labelled
        observed = observed.at_most(options.most_rows, rng)
        select = options.select if options.select != "auto" else _quick(observed)
        crossed = cross_fit(observed, select=select, rng=rng)
    except UserError as problem:
        return None, str(problem)
    found = distributional_replacement(crossed, level=options.level)
    reason = found.gain.undefined
    return (None, REASONS[reason]) if reason else (found, "")


def _quick(observed: Observed) -> str:
    """A map that is fitted in hundredths of a second: from probabilities where the judge gave them."""
    [output] = observed.features.judges
    return "temperature_bias" if output.states else "confusion_row"
