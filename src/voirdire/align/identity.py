"""Identity: whose output an aligner was fitted on, so that it refuses another judge, scale or label set."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from voirdire.align.encoding import Encoding
from voirdire.align.observe import Observed
from voirdire.align.replies import replies_of
from voirdire.errors import UserError
from voirdire.study.scales import as_number
from voirdire.study.study import Study

__all__ = ["PINNED", "Identity", "check_aspects", "check_labels", "training_hash"]

PINNED = ("judge_version", "prompt_hash")
"""Rating columns that pin a judge: another value is another judge."""


@dataclass(frozen=True)
class Identity:
    """For each judge the values that its replies had in the pinned columns; none where not recorded."""

    judges: Mapping[str, Mapping[str, tuple[str, ...]]]

    @classmethod
    def of(cls, study: Study, judges: Sequence[str], metrics: Sequence[str]) -> Identity:
        """What ``study`` records of ``judges`` on ``metrics``."""
        return cls({judge: _pinned(study, judge, metrics) for judge in judges})

    def check(self, study: Study, metrics: Sequence[str], *, where: str = "") -> None:
        """Refuse a study that lacks one of the judges, or has another version or prompt of it."""
        present = [study.raters[code].id for code in study.raters_of("judge")]
        for judge, pinned in self.judges.items():
            if judge not in present:
                raise UserError(
                    f"the aligner was fitted on judge '{judge}', and here the judges are "
                    f"{', '.join(present) or 'none'}",
                    where=where,
                    expected=f"verdicts of '{judge}'",
                    fix="fit an aligner on this judge's verdicts of the labelled items",
                )
            for name, values in _pinned(study, judge, metrics).items():
                known = pinned.get(name, ())
                other = [value for value in values if known and value not in known]
                if other:
                    raise UserError(
                        f"the aligner was fitted on {name} {', '.join(known)} of judge '{judge}', and "
                        f"here it is {other[0]}",
                        where=where,
                        fix="run it on the labelled items and fit again; that takes no new labels",
                    )


def check_labels(study: Study, encoding: Encoding, metrics: Sequence[str], *, where: str = "") -> None:
    """Refuse labels of people or of a judge that the aligner does not know, naming them.

    A number between the judge's known labels is let through: it counts as a reply without a verdict.
    """
    for name in metrics:
        scale = study.metric(name).scale
        used = np.unique(study.ratings.label[study.rows(name, kind="human")]).tolist()
        odd = [scale.labels[code] for code in used if scale.labels[code] not in encoding.scale.labels]
        if odd:
            raise UserError(
                f"people gave label '{odd[0]}' on '{name}', which the aligner does not predict",
                where=where,
                expected=f"labels {', '.join(encoding.scale.labels)}",
                fix="fit an aligner on labels of this scale",
            )
    own = zip(encoding.judges, encoding.judge_labels, strict=True) if encoding.view != "decomposed" else ()
    used = [(judge, metrics, known) for judge, known in own]
    used += [(aspect.judge, [aspect.metric], aspect.labels) for aspect in encoding.aspects]
    for judge, asked, known in used:
        odd = [label for label in replies_of(study, judge, asked).labels if _foreign(label, known)]
        if odd:
            raise UserError(
                f"judge '{judge}' gave '{odd[0]}', a label that it did not give when the aligner was fitted",
                where=where,
                expected=f"labels {', '.join(known)}",
                fix="fit an aligner on verdicts of this scale",
            )


def check_aspects(study: Study, encoding: Encoding, metrics: Sequence[str], *, where: str = "") -> None:
    """Refuse what an aligner of one metric cannot use that learned from verdicts on other metrics.

    That is another metric to predict among ``metrics``, a study that lacks a metric whose verdicts it reads,
    and labels that it does not know.
    """
    own = encoding.metrics[0]
    odd = next((name for name in metrics if name != own), None)
    if odd is not None:
        raise UserError(
            f"the aligner learned '{own}' from verdicts on other metrics and cannot predict '{odd}'",
            where=where,
            expected=f"'{own}'",
            fix="fit an aligner of this metric",
        )
    present = [metric.name for metric in study.metrics]
    for name in encoding.read:
        if name not in present:
            raise UserError(
                f"the aligner learned from verdicts on '{name}', a metric that is not here",
                where=where,
                expected=f"verdicts on {', '.join(encoding.read)}",
                fix="have the judge rate it too, or fit an aligner without --view",
            )
    check_labels(study, encoding, [name for name in encoding.metrics if name in present], where=where)


def training_hash(observed: Observed, study: Study) -> str:
    """SHA-256 of the rows an aligner learns from: items, metrics, people's labels and the judges' outputs."""
    digest = hashlib.sha256()
    names = observed.encoding.metrics
    for item, metric in zip(observed.item.tolist(), observed.metric.tolist(), strict=True):
        digest.update(f"{study.items.ids[item]}\x1f{names[metric]}\x1e".encode())
    digest.update(np.ascontiguousarray(observed.target.counts).tobytes())
    for output in observed.features.judges:
        for part in (output.code, output.log_probs, output.votes, output.score, output.margin):
            digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()


def _pinned(study: Study, judge: str, metrics: Sequence[str]) -> dict[str, tuple[str, ...]]:
    recorded = [name for name in PINNED if name in study.ratings.attributes]
    found = {}
    for name in recorded:
        column = study.ratings.attributes[name]
        codes = np.unique(column.codes[replies_of(study, judge, metrics).row])
        found[name] = tuple(sorted(column.values[code] for code in codes.tolist() if code >= 0))
    return {name: values for name, values in found.items() if values}


def _foreign(label: str, known: Sequence[str]) -> bool:
    """Whether a judge's label is neither known nor a number between known ones."""
    if label in known:
        return False
    number = as_number(label)
    numbers = [value for value in map(as_number, known) if value is not None]
    return number is None or not numbers or not min(numbers) <= number <= max(numbers)
