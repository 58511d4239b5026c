"""Encoding: how a study's words become features, kept with a fitted map so that new items are read alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from voirdire.align.adapters.covariates import contrast_columns, covariate_columns, numeric_column
from voirdire.align.adapters.embedding import Projection
from voirdire.align.decomposed import Aspect, aspects_of
from voirdire.align.plain_scale import scale_from_dict, scale_to_dict
from voirdire.align.replies import own_labels
from voirdire.align.serial import pack, unpack
from voirdire.align.set_scale import sets_of_judges_alone, share_sets
from voirdire.errors import UserError
from voirdire.study.scale import PAIRWISE_LABELS, Scale
from voirdire.study.study import Study

__all__ = ["MOST_LABELS", "Encoding", "human_scale", "own_labels", "systems_of"]

MOST_LABELS = 50
"""More labels than this on people's scale are numbers of their own: a share of each says nothing."""


@dataclass(frozen=True, eq=False)
class Encoding:
    """Human ``scale``, ``judges`` with their own labels, ``metrics``, ``systems`` and columns in fixed order.

    ``columns`` are the user's numeric columns, ``projection`` what became of them; ``covariates`` and
    ``contrasts`` are named as in :mod:`voirdire.align.adapters.covariates`. ``aspects`` are the judges'
    verdicts on other metrics, known of the rows of a single one; with ``view`` decomposed they are all.
    """

    scale: Scale
    metrics: tuple[str, ...]
    judges: tuple[str, ...]
    judge_labels: tuple[tuple[str, ...], ...]
    systems: tuple[str, ...]
    covariates: tuple[str, ...]
    contrasts: tuple[str, ...]
    columns: tuple[str, ...]
    projection: Projection | None
    aspects: tuple[Aspect, ...] = ()
    view: str = "holistic"

    @classmethod
    def of(
        cls,
        study: Study,
        *,
        judges: Sequence[str] | None = None,
        metrics: Sequence[str] | None = None,
        columns: Sequence[str] = (),
        systems: bool = False,
    ) -> Encoding:
        """What ``study`` holds: every judge and metric unless named; ``systems`` tells responses apart."""
        names = tuple(metrics or (metric.name for metric in study.metrics))
        chosen = tuple(_judges(study, judges))
        scale = human_scale(study, names)
        if len(scale.labels) > MOST_LABELS:
            raise UserError(
                f"people gave {len(scale.labels):,} different labels, too many to tell a share of each",
                where=study.name,
                expected=f"at most {MOST_LABELS}",
                fix="declare a map to a few bands in study.yaml",
            )
        paired = scale.kind == "pairwise"
        return cls(
            scale,
            names,
            chosen,
            tuple(own_labels(study, judge, names, scale) for judge in chosen),
            tuple(sorted(set(systems_of(study)) - {""})),
            covariate_columns(study, chosen),
            contrast_columns(study, systems=systems) if paired else (),
            tuple(columns),
            _projection(study, columns),
        )

    @property
    def read(self) -> tuple[str, ...]:
        """The metrics whose verdicts are looked at."""
        own = () if self.view == "decomposed" else self.metrics
        return (*own, *dict.fromkeys(aspect.metric for aspect in self.aspects))

    def viewed(self, study: Study, view: str, *, judges: Sequence[str] = ()) -> Encoding:
        """With the judges' verdicts on its only metric's parts or on other metrics, beside its own or alone.

        ``judges`` are those whose verdicts on parts are looked at, its own unless named.
        """
        if view == "holistic":
            return self
        if len(self.metrics) != 1:
            raise UserError(
                f"{len(self.metrics)} metrics with the view '{view}'",
                expected="one",
                fix="name it with --metric",
            )
        return replace(self, view=view, aspects=aspects_of(study, judges or self.judges, self.metrics[0]))

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and numbers, for JSON."""
        return {
            "scale": scale_to_dict(self.scale),
            **{name: list(getattr(self, name)) for name in LISTS},
            "judge_labels": [list(labels) for labels in self.judge_labels],
            "projection": None if self.projection is None else pack(vars(self.projection)),
            "aspects": [aspect.to_dict() for aspect in self.aspects],
            "view": self.view,
        }

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Encoding:
        """What :meth:`to_dict` gave, also after a round through JSON."""
        projection = saved["projection"]
        return cls(
            scale=scale_from_dict(saved["scale"]),
            judge_labels=tuple(tuple(labels) for labels in saved["judge_labels"]),
            projection=projection and Projection(**{name: unpack(part) for name, part in projection.items()}),
            aspects=tuple(Aspect.from_dict(each) for each in saved.get("aspects", ())),
            view=saved.get("view", "holistic"),
            **{name: tuple(saved[name]) for name in LISTS},
        )


LISTS = ("metrics", "judges", "systems", "covariates", "contrasts", "columns")


def human_scale(study: Study, metrics: Sequence[str]) -> Scale:
    """One scale for the people's labels on all of ``metrics``, without labels that only judges gave.

    Numeric labels are joined and sorted; other scales must list the same labels, or one all of the others'.
    A label that only judges gave is dropped where it lies outside the other numeric labels, where it is no
    usual label of pairs, or where judges and people have no label in common; a response set also where people
    gave no indeterminate label. Nothing else is dropped where people gave one label alone.
    """
    scales = share_sets([study.metric(name).scale for name in metrics])
    joined = max(scales, key=lambda scale: len(scale.labels))
    odd = next((k for k, scale in enumerate(scales) if not set(scale.labels) <= set(joined.labels)), None)
    if odd is not None or any(scale.ordered != joined.ordered for scale in scales):
        if not all(scale.ordered and scale.values is not None for scale in scales):
            raise UserError(
                f"metrics '{metrics[odd or 0]}' and '{metrics[scales.index(joined)]}' have different labels",
                fix="align them one after another",
            )
        value = {
            label: number
            for scale in scales
            for label, number in zip(scale.labels, scale.values or (), strict=True)
        }
        labels = sorted(value, key=lambda label: value[label])
        values = tuple(value[label] for label in labels)
        admits = {label: admitted for scale in scales for label, admitted in scale.indeterminate.items()}
        joined = Scale("ordinal", tuple(labels), True, values, admits, joined.separator)
    return _of_people(joined, *_used(study, metrics))


def _used(study: Study, metrics: Sequence[str]) -> tuple[set[str], set[str]]:
    """Labels that people gave, and labels that judges gave."""
    given: tuple[set[str], set[str]] = set(), set()
    for name in metrics:
        labels = study.metric(name).scale.labels
        for kind, found in zip(("human", "judge"), given, strict=True):
            codes = np.unique(study.ratings.label[study.rows(name, kind=kind)])  # type: ignore[arg-type]
            found.update(labels[code] for code in codes.tolist())
    return given


def _of_people(scale: Scale, people: set[str], judges: set[str]) -> Scale:
    if not people:
        raise UserError("no person labelled these metrics", fix="label about 50 items, or name other metrics")
    if len(people | judges) < 2 and len(scale.labels) < 2:
        raise UserError(
            f"every label on these metrics is '{scale.labels[0]}'", fix="declare the labels that may be given"
        )
    dropped = _not_of_people(scale, people, judges) | sets_of_judges_alone(scale, people, judges)
    kept = [k for k, label in enumerate(scale.labels) if label not in dropped]
    names = tuple(scale.labels[k] for k in kept)
    values = None if scale.values is None else tuple(scale.values[k] for k in kept)
    within = {
        label: tuple(each for each in admitted if each in names)
        for label, admitted in scale.indeterminate.items()
        if label in names
    }
    return Scale(scale.kind, names, scale.ordered, values, within, scale.separator)


def _not_of_people(scale: Scale, people: set[str], judges: set[str]) -> set[str]:
    """Labels that are the judges' alone, by the rule of :func:`human_scale`."""
    alone = judges - people
    if len(people) < 2:
        return set()
    if scale.kind == "pairwise":
        return alone - set(PAIRWISE_LABELS)
    if scale.ordered and scale.values is not None:
        value = dict(zip(scale.labels, scale.values, strict=True))
        others = [value[label] for label in scale.labels if label not in alone]  # also declared, never given
        low, high = min(others), max(others)
        return {label for label in alone if not low <= value[label] <= high}
    return set() if judges & people else alone


def systems_of(study: Study) -> tuple[str, ...]:
    """The system of each item, the pair of systems where items are pairs, '' where not recorded."""
    attributes = study.items.attributes
    if "system" in attributes:
        column = attributes["system"]
        names = np.array([*column.values, ""], dtype=object)
        return tuple(names[column.codes].tolist())
    if {"system_a", "system_b"} <= set(attributes):
        a, b = attributes["system_a"], attributes["system_b"]
        return tuple(f"{one}|{two}" if one and two else "" for one, two in zip(a, b, strict=True))
    return ("",) * len(study.items)


def _judges(study: Study, wanted: Sequence[str] | None) -> list[str]:
    present = [study.raters[code].id for code in study.raters_of("judge")]
    if wanted is None:
        return present
    unknown = [name for name in wanted if name not in present]
    if unknown:
        raise UserError(f"no judge named '{unknown[0]}'", expected=f"one of {', '.join(present)}")
    return list(wanted)


def _projection(study: Study, columns: Sequence[str]) -> Projection | None:
    if not columns:
        return None
    missing = [name for name in columns if name not in study.items.attributes]
    if missing:
        raise UserError(
            f"no item column named '{missing[0]}'", fix="name columns that are constant within item"
        )
    return Projection.of(np.stack([numeric_column(study, name) for name in columns], axis=1))
