"""What people would say of every system, from few human labels and a judge's verdict on every item."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from voirdire.align.cross_fit import cross_fit
from voirdire.align.features import CORRELATION
from voirdire.align.observe import Observed, features_of
from voirdire.align.selection import applicable
from voirdire.decide.rates_cells import Means, direct_means
from voirdire.decide.rates_design import Values
from voirdire.decide.rates_finite import these_items_variance
from voirdire.decide.rates_intervals import cell_estimates, on_simplex
from voirdire.decide.rates_judges import Said, judge_rates, other_scale
from voirdire.decide.rates_options import RatesOptions
from voirdire.decide.rates_pooled import with_pooled
from voirdire.decide.rates_population import (
    Layer,
    Population,
    all_metrics,
    layers,
    population,
    sampling_chance,
)
from voirdire.decide.rates_quantities import Quantity, quantities
from voirdire.decide.rates_ranks import compared
from voirdire.decide.rates_result import Rates
from voirdire.decide.rates_rows import Difference, Rate
from voirdire.errors import UserError
from voirdire.study.combine import check_matched, combine, judged_metrics
from voirdire.study.study import Study

__all__ = ["AUTO", "populations", "rates", "rates_of"]

AUTO = ("stack", "temperature_bias", "confusion_row", "metric_prior")
"""Quick maps from the judge's output to people's labels; the first that applies is taken."""

Floats = NDArray[np.float64]


def rates(
    study: Study,
    options: RatesOptions | None = None,
    *,
    verdicts: Study | None = None,
    progress: Callable[[str], None] | None = None,
) -> Rates:
    """Every system's human-judgment rate, mean or label distribution, corrected for the judge's errors.

    Each judged item of ``study`` (and of ``verdicts``, joined by item) has a predicted distribution of human
    labels that did not see its own labels; prediction-powered inference corrects the predictions' mean by
    what labelled items show to be wrong with it. Right whatever the judge is like, as long as labelled items
    are a random sample of the judged ones, or their chances stand in a column. Systems with few labels
    borrow from the others; metrics that can be passed have a pass rate together too. No human label, no
    judge, fewer than 30 labelled items on every metric and no item that both judged are users' errors.

    Source: Angelopoulos et al. 2023 (PPI, PPI++); Zrnic & Candes 2024 (cross-fitting).
    """
    chosen = options or RatesOptions()
    if not isinstance(study, Study) or not isinstance(chosen, RatesOptions):
        raise UserError("rates() takes a Study and RatesOptions", fix="voirdire.rates(voirdire.open(source))")
    say = progress or (lambda text: None)
    if verdicts is not None:
        say("Joining verdicts")
        study = combine(study, verdicts)
    check_matched(study, metrics=chosen.metrics)
    rng = np.random.default_rng(chosen.seed)
    made = _Made([], [], [], [], [], {}, [])
    for group in judged_metrics(study, chosen.metrics):
        _group(study, group, chosen, made, say, rng)
    if len(made.passed) > 1 and sum(rows.n_labelled for rows in made.passed) >= chosen.fewest:
        _metric(study, all_metrics(study, made.passed), chosen, made, rng)
    few = _too_few(made.few, chosen.fewest)
    if not made.rows and made.refused:
        raise made.refused[0]
    if not made.rows:
        raise UserError(few[0].rstrip("."), fix="label more items")
    notes = (*dict.fromkeys([*made.notes, *map(str, made.refused), *few]),)
    return Rates(
        tuple(made.rows),
        tuple(made.differences),
        notes,
        ", ".join(dict.fromkeys(made.select)),
        chosen.level,
        chosen.seed,
        study.assumptions,
    )


@dataclass(frozen=True)
class _Made:
    """What has been computed so far, metric after metric."""

    rows: list[Rate]
    differences: list[Difference]
    notes: list[str]
    select: list[str]
    passed: list[Population]
    few: dict[str, int]
    refused: list[UserError]


def _group(
    study: Study,
    metrics: Sequence[str],
    options: RatesOptions,
    made: _Made,
    say: Callable[[str], None],
    rng: np.random.Generator,
) -> None:
    """Rates of metrics that share one scale, predicted together."""
    try:
        observed = features_of(study, judges=options.judges or None, metrics=metrics)
    except UserError as problem:  # of these metrics alone: others may do
        made.refused.append(problem)
        return
    labelled = int((observed.target.labelled & observed.asked).sum())
    if labelled < options.fewest:
        made.few.update(dict.fromkeys(metrics, labelled))
        return
    select = _select(observed, options.select)
    say(f"Predicting {len(observed):,} rows from {labelled:,} labelled ones")
    made.select.append(select)
    for rows in _populations(study, observed, select, options, rng):
        if rows.passing is not None and rows.n_labelled:
            made.passed.append(rows)
        if rows.n_labelled < options.fewest:
            made.few[rows.metric.name] = rows.n_labelled
            continue
        say(f"Correcting {rows.metric.name}")
        _metric(study, rows, options, made, rng)


def populations(study: Study, options: RatesOptions | None = None) -> tuple[Population, ...]:
    """The judged rows of every metric with a human label, predicted once, for rates of any of them together.

    Metrics of a scale on which fewer items than ``fewest`` are labelled are left out. See :func:`rates_of`.
    """
    chosen = options or RatesOptions()
    rng = np.random.default_rng(chosen.seed)
    found: list[Population] = []
    for group in judged_metrics(study, chosen.metrics):
        observed = features_of(study, judges=chosen.judges or None, metrics=group)
        if int((observed.target.labelled & observed.asked).sum()) >= chosen.fewest:
            select = _select(observed, chosen.select)
            found += [rows for rows in _populations(study, observed, select, chosen, rng) if rows.n_labelled]
    return tuple(found)


def rates_of(study: Study, rows: Population, options: RatesOptions | None = None) -> tuple[Rate, ...]:
    """The corrected rates of one of :func:`populations`, or of several as ``all_metrics`` joins them."""
    chosen = options or RatesOptions()
    made = _Made([], [], [], [], [], {}, [])
    _metric(study, rows, chosen, made, np.random.default_rng(chosen.seed))
    return tuple(made.rows)


def _populations(
    study: Study, observed: Observed, select: str, options: RatesOptions, rng: np.random.Generator
) -> Iterator[Population]:
    """Each metric's rows with predictions that did not see their own labels."""
    fitted = cross_fit(observed, select=select, rng=rng)
    chance = sampling_chance(study, fitted, options.probability)
    for position in range(len(observed.encoding.metrics)):
        yield population(study, fitted, position, chance)


def _too_few(few: Mapping[str, int], fewest: int) -> list[str]:
    """What is said of metrics with fewer than ``fewest`` labelled items: nothing, or one sentence."""
    if not few:
        return []
    names, most = ", ".join(list(few)[:3]), max(few.values())
    if len(few) == 1:
        said = f"{names}: {most:,} judged items have a human label"
        return [f"{said}, of {fewest:,} that a corrected rate needs."]
    more = ", ..." if len(few) > 3 else ""
    return [
        f"{len(few):,} metrics have no corrected rate of their own ({names}{more}): at most {most:,} of "
        f"their judged items have a human label, of {fewest:,} needed."
    ]


def _select(observed: Observed, wanted: str) -> str:
    if wanted != "auto":
        return wanted
    usable = observed.labelled.features
    return next(name for name in AUTO if applicable(usable, [name]))


def _metric(
    study: Study, rows: Population, options: RatesOptions, made: _Made, rng: np.random.Generator
) -> None:
    """Every layer's rows and differences of one metric, and what is to be said of it."""
    every = quantities(rows.metric, rows.scale)
    for layer in layers(study, rows):
        told = [quantity for quantity in every if not quantity.sided or layer.kind != "all"]
        values = [_values(layer, rows, quantity) for quantity in told]
        means = _projected(
            told, [_means(layer, *each, options.fewest) for each in zip(told, values, strict=True)]
        )
        judges = [Said.of(judge, layer, rows.scale) for judge in rows.judges]
        for quantity, said, one in zip(told, values, means, strict=True):
            found = list(_rates(layer, rows, quantity, said, one, judges, level=options.level))
            if layer.kind == "system" and quantity.main:
                ranks, differences = compared(rows.metric.name, layer.names, quantity, one, options, rng)
                found = [replace(rate, rank=rank) for rate, rank in zip(found, ranks, strict=True)]
                made.differences.extend(differences)
            made.rows.extend(found)
        made.notes.extend(_said(layer, rows, means[0], options.fewest))
    made.notes.extend(_said_of_judges(rows))


def _means(layer: Layer, quantity: Quantity, values: Values, fewest: int) -> Means:
    direct = direct_means(layer.design, values)
    return with_pooled(direct, layer.design, values, fewest=fewest, span=quantity.span)


def _values(layer: Layer, rows: Population, quantity: Quantity) -> Values:
    """The quantity as predicted of every entry, as people said of labelled ones, and of each single label."""
    design, swapped, sides = layer.design, layer.swapped, (quantity.value, quantity.swapped)
    at, entry = design.labelled, design.label_entry
    own, side, each = design.row[at], swapped[at], np.arange(len(at))
    f = _seen(rows.predicted, sides, design.row, swapped)
    square = _seen(rows.predicted[own], (sides[0] ** 2, sides[1] ** 2), each, side)
    k = np.maximum(np.bincount(entry, minlength=len(f))[at], 1)
    y, spread = np.zeros(len(f)), np.zeros(len(f))
    y[at] = _seen(rows.mean_label[own], sides, each, side)
    spread[at] = np.maximum(square - f[at] ** 2, 0.0) * (CORRELATION + (1 - CORRELATION) / k)
    label = np.where(swapped[entry], sides[1][design.label_value], sides[0][design.label_value])
    return Values(y, f, spread, label)


def _seen(
    table: Floats, sides: tuple[Floats, Floats], row: NDArray[np.intp], swapped: NDArray[np.bool_]
) -> Floats:
    """Mean value of a label under the distribution in each ``row`` of ``table``, from the side it is seen."""
    found: Floats = (table @ sides[0])[row]
    if swapped.any():
        found[swapped] = (table @ sides[1])[row[swapped]]
    return found


def _projected(every: Sequence[Quantity], means: Sequence[Means]) -> list[Means]:
    """Shares of all labels of a cell made one distribution."""
    at = [k for k, quantity in enumerate(every) if quantity.name.startswith("share of ")]
    labels = {every[k].label: k for k in at}
    if len(labels) < 2:
        return list(means)
    table = np.stack([means[k].value for k in labels.values()], axis=1)
    nearest = dict(zip(labels, on_simplex(table).T, strict=True))
    return [
        replace(one, value=nearest[quantity.label]) if quantity.label in nearest else one
        for quantity, one in zip(every, means, strict=True)
    ]


def _rates(
    layer: Layer,
    rows: Population,
    quantity: Quantity,
    values: Values,
    means: Means,
    judges: Sequence[Said],
    *,
    level: float,
) -> Iterator[Rate]:
    design = layer.design
    fixed = these_items_variance(design, values, means)
    by_judge = [judge_rates(each, design, quantity, rows.scale, values.y, level=level) for each in judges]
    counts = design.rows, design.labelled_rows, design.labels
    for cell, name in enumerate(layer.names):
        found = cell_estimates(means, design, quantity, cell, fixed[cell], level=level)
        own, variance = means.alone_variance[cell], means.covariance[cell, cell]
        n_items, n_labelled, n_labels = (int(each[cell]) for each in counts)
        yield Rate(
            rows.metric.name,
            name,
            quantity.name,
            *found,
            tuple(each[cell] for each in by_judge),
            n_items,
            n_labelled,
            n_labels,
            int(means.raters[cell]),
            "pooled" if means.pooled[cell] else "direct",
            float(means.tuning[cell]),
            float(own / variance) if own > 0 and variance > 0 else float("nan"),
        )


def _said(layer: Layer, rows: Population, means: Means, fewest: int) -> Iterator[str]:
    """Which systems borrow from others, or have no rate at all."""
    if layer.kind == "all" or not means.pooled.any():
        return
    what = "systems" if layer.kind == "system" else "pairs"
    n = int(means.pooled.sum())
    verb = (
        "have no corrected rate, for too few systems have labels to borrow from"
        if np.isnan(means.value[means.pooled]).all()
        else "borrow from the others (method pooled)"
    )
    yield (
        f"{rows.metric.name}: {n:,} of {len(layer.names):,} {what} have fewer than {fewest:,} labelled items "
        f"and {verb}."
    )


def _said_of_judges(rows: Population) -> Iterator[str]:
    name = rows.metric.name
    if rows.unjudged:
        yield f"{name}: {rows.unjudged:,} labelled items without a verdict are left out."
    for judge in rows.judges:
        missing = int((judge.code >= len(judge.labels)).sum())
        if missing:
            yield (
                f"{name}: {judge.judge} gave no verdict on {missing:,} of {len(rows.item):,} items; they "
                "count as a reply of their own in the prediction and in no naive rate."
            )
        foreign = other_scale(judge, rows.scale)
        if foreign:
            shown = ", ".join(f"'{label}'" for label in foreign[:3])
            yield (
                f"{name}: {judge.judge} answers {shown}, which people do not: its naive rate and the "
                "Rogan-Gladen correction are refused unless a map is declared; the corrected rate needs none."
            )
