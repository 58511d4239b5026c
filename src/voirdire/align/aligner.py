"""Aligner: a fitted map from a judge's output to the distribution of labels that people would give."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voirdire.align.calibration import predicted_disagreement
from voirdire.align.comparison import Comparison, compare_views
from voirdire.align.contested import dispute_chance, disputes
from voirdire.align.encoding import Encoding
from voirdire.align.evaluation import Evaluation
from voirdire.align.fusion import LARGEST_KAPPA, fuse, share_bounds
from voirdire.align.held_out import Protocol
from voirdire.align.identity import Identity, check_aspects, check_labels, training_hash
from voirdire.align.learning_curve import LearningCurve, learning_curve
from voirdire.align.observe import features_of
from voirdire.align.options import AlignOptions
from voirdire.align.plain import plain, revived
from voirdire.align.pool import Pool
from voirdire.align.predictions import Predictions, contested_reasons
from voirdire.align.protocol import evaluate
from voirdire.align.selection import fit
from voirdire.errors import UserError, check_share
from voirdire.study.column import Column
from voirdire.study.study import Study

__all__ = ["FORMAT", "Aligner", "align"]

Floats = NDArray[np.float64]
FORMAT = "voirdire-aligner/1"


@dataclass(frozen=True, eq=False)
class Aligner:
    """A fitted ``model`` with the ``encoding`` that reads new items alike and its out-of-fold ``evaluation``.

    ``identity`` pins the judges; ``data_hash`` is of the rows it was fitted on; ``options`` are what was
    chosen; ``curve`` says what more labels would buy and ``comparison`` what verdicts on other metrics tell,
    where they were asked for. Usable on items with no human label, one or several.
    """

    model: Pool
    encoding: Encoding
    evaluation: Evaluation
    identity: Identity
    data_hash: str
    options: AlignOptions
    curve: LearningCurve | None = None
    comparison: Comparison | None = None

    @property
    def kappa(self) -> float:
        """How many human votes the judge counts as; NaN where not measurable."""
        return self.evaluation.kappa.value

    def predict(
        self, study: Study, *, metrics: Sequence[str] | None = None, contested: float | None = None
    ) -> Predictions:
        """How people would judge every item and metric on which ``study`` has a verdict or a human label.

        ``metrics`` names the metrics to predict, all where None, also those that were not fitted. A row is
        called contested where its chance of a dispute is at least ``contested``: where None, the chance
        that as many of the metric's labelled rows reach as pairs of people dispute them.
        Human labels that exist are counted in with the judge as kappa votes. Another judge, version, prompt,
        scale or label set is a user's error that names the difference; a metric that was not fitted and has
        other labels is left out, with a note. An aligner that learned from verdicts on other metrics predicts
        its own metric alone.
        """
        if contested is not None:
            check_share("contested", contested, 0.0)
        known, alike, left = _metrics_of(self.encoding, study, metrics)
        read = self.encoding.read if self.encoding.aspects else (*known, *alike)
        self.identity.check(study, read, where=study.name)
        found = self.evaluation.flagging if contested is None else None
        names = (*self.encoding.metrics, *alike)
        limits = {name: found.limit(name) if found else float(contested or 0) for name in names}
        predicted = self._predicted(study, known, alike, limits)
        return replace(predicted, notes=(*predicted.notes, *left))

    def save(self, path: str | Path) -> Path:
        """Write the aligner as JSON."""
        target = Path(path)
        text = json.dumps(self.to_dict(), allow_nan=False, ensure_ascii=False, separators=(",", ":"))
        try:
            target.write_text(text + "\n", encoding="utf-8")
        except OSError as problem:
            raise UserError(f"cannot be written: {problem.strerror or problem}", where=str(path)) from None
        return target

    @classmethod
    def load(cls, path: str | Path) -> Aligner:
        """The aligner that :meth:`save` wrote; another file is a user's error."""
        try:
            saved = json.loads(Path(path).read_text(encoding="utf-8"))
        except OSError as problem:
            raise UserError(f"cannot be read: {problem.strerror or problem}", where=str(path)) from None
        except ValueError:
            raise UserError("is not JSON", where=str(path), expected="a file of `voirdire align`") from None
        found = saved.get("schema") if isinstance(saved, dict) else None
        if found != FORMAT:
            raise UserError(
                f"is no aligner: its schema is {found!r}", where=str(path), expected=f"'{FORMAT}'"
            )
        return cls.from_dict(saved)

    def to_dict(self) -> dict[str, Any]:
        """The saved document: ``docs/schema/aligner-1.json`` describes it."""
        from importlib.metadata import version

        return {
            "schema": FORMAT,
            "voirdire": version("voirdire"),
            "judges": plain(self.identity.judges),
            "data_sha256": self.data_hash,
            "options": plain(self.options),
            "encoding": self.encoding.to_dict(),
            "model": self.model.to_dict(),
            "evaluation": self.evaluation.to_dict(),
            "curve": plain(self.curve),
            "comparison": plain(self.comparison),
        }

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Aligner:
        """What :meth:`to_dict` gave."""
        return cls(
            Pool.from_dict(saved["model"]),
            Encoding.from_dict(saved["encoding"]),
            Evaluation.from_dict(saved["evaluation"]),
            revived(Identity, {"judges": saved["judges"]}),
            saved["data_sha256"],
            revived(AlignOptions, saved["options"]),
            revived(LearningCurve | None, saved["curve"]),
            revived(Comparison | None, saved.get("comparison")),
        )

    def __str__(self) -> str:
        parts = (self.evaluation, self.curve, self.comparison)
        return "\n\n".join(str(part) for part in parts if part is not None)

    def _predicted(
        self, study: Study, known: Sequence[str], unknown: Sequence[str], limits: Mapping[str, float]
    ) -> Predictions:
        rows = _Rows.of(self.model, self.encoding, study, known, unknown)
        shares, low, high = (np.empty_like(rows.alone) for _ in range(3))
        disagreement, dispute = np.empty(len(rows.alone)), np.empty(len(rows.alone))
        scale = self.encoding.scale
        parts = [(~rows.unseen, self.kappa), (rows.unseen, self._kappa_unseen())]
        for part, kappa in parts if rows.unseen.any() else [(slice(None), self.kappa)]:
            q, n = rows.alone[part], rows.counts[part]
            shares[part] = fuse(q, n, kappa)
            low[part], high[part] = share_bounds(q, n, kappa, level=self.options.credal)
            votes = np.inf if math.isnan(kappa) else min(kappa, LARGEST_KAPPA) + n.sum(axis=1)
            disagreement[part] = predicted_disagreement(shares[part]) / (1 + 1 / votes)
            dispute[part] = dispute_chance(shares[part], disputes(scale), votes)
        contested = dispute >= np.array(list(limits.values()))[rows.metric]
        reason = contested_reasons(shares, contested, scale, unseen=rows.unseen, silent=rows.silent)
        return Predictions(
            Column(rows.item, study.items.ids),
            Column(rows.metric, (*self.encoding.metrics, *unknown)),
            scale,
            shares,
            low,
            high,
            disagreement,
            dispute,
            rows.counts.sum(axis=1).astype(np.int64),
            contested,
            reason,
            self.options.credal,
            limits,
            tuple(self._notes(rows.unseen, rows.counts)),
        )

    def _kappa_unseen(self) -> float:
        """Kappa on a metric never seen: the spread between metrics is added to that between people."""
        between = self.model.members[0].floor.kappa
        if math.isnan(self.kappa):
            return math.nan
        left = (1 - 1 / (1 + self.kappa)) * (1 - 1 / (1 + between))
        return left / (1 - left) if left < 1 else math.inf

    def _notes(self, unseen: NDArray[np.bool_], counts: Floats) -> Iterable[str]:
        if unseen.any():
            yield (
                f"{int(unseen.sum()):,} rows are on a metric without human labels in training: their "
                "predictions are wider."
            )
        labelled = int((counts.sum(axis=1) > 0).sum())
        if labelled and math.isnan(self.kappa):
            yield (
                f"{labelled:,} rows have human labels, which are not counted in: no item had two labels in "
                "training, so how many votes the judge is worth is not measurable."
            )


def align(
    study: Study,
    options: AlignOptions | None = None,
    *,
    run: Callable[..., Iterable[Any]] = map,
    progress: Callable[[str], None] | None = None,
) -> Aligner:
    """Fit how people's labels follow from the judge's output, and evaluate it out of fold.

    Without ``options.metrics`` all metrics that people and a judge rated are aligned, which needs one scale.
    ``run`` maps the evaluation's folds, for example a process pool's ``map``; ``progress`` is told what is
    done. Fewer than 20 clusters with human labels are a user's error that names the number needed.
    """
    if not isinstance(study, Study):
        raise UserError(
            f"cannot align a {type(study).__name__}",
            expected="a Study",
            fix="open it first: voirdire.align(voirdire.open(source))",
        )
    if not isinstance(options, AlignOptions | None):
        raise UserError(f"options are a {type(options).__name__}", expected="voirdire.AlignOptions(...)")
    chosen = options or AlignOptions()
    say = progress or (lambda text: None)
    metrics = chosen.metrics or _rated_by_both(study, chosen.view)
    encoding = Encoding.of(study, judges=chosen.judges or None, metrics=metrics, columns=chosen.columns)
    encoding = encoding.viewed(study, chosen.view)
    observed = features_of(study, metrics=metrics, encoding=encoding).labelled
    rngs = np.random.default_rng(chosen.seed).spawn(5)
    observed = observed.at_most(chosen.most_rows, rngs[2])
    protocol = Protocol(
        select=chosen.select,
        calibrators=chosen.calibrators,
        folds=chosen.folds,
        repeats=chosen.repeats,
        level=chosen.level,
        run=run,
    )
    say(f"Evaluating on {len(observed):,} labelled rows")
    names = tuple(rater.id for rater in study.raters)
    evaluation = evaluate(observed.features, observed.target, protocol=protocol, raters=names, rng=rngs[0])
    curve = None
    if chosen.curve:
        one = evaluation.power[0].gain_of_one.value
        rows = observed.features, observed.target
        curve = learning_curve(*rows, options=chosen, gain_of_one=one, say=say, rng=rngs[3])
    comparison = None
    if chosen.compare_views:
        say("Comparing holistic and decomposed verdicts")
        comparison = compare_views(study, metrics, chosen, run=run, rng=rngs[4])
    say("Fitting on all labels")
    return Aligner(
        fit(observed.features, observed.target, select=chosen.select, rng=rngs[1]),
        observed.encoding,
        evaluation,
        Identity.of(study, encoding.judges, encoding.read),
        training_hash(observed, study),
        chosen,
        curve,
        comparison,
    )


def _rated_by_both(study: Study, view: str) -> tuple[str, ...]:
    """The metrics with a label of a person and a verdict of a judge, which may be on others if decomposed."""
    if not study.raters_of("judge"):
        raise UserError("no judge to align", expected="ratings of a judge", fix="name it with --judge")
    names = [metric.name for metric in study.metrics]
    labelled = [name for name in names if len(study.rows(name, kind="human"))]
    both = [name for name in labelled if study.judges_of(name) or view == "decomposed"]
    if not both:
        raise UserError("no metric was rated by people and by a judge", fix="label what the judge rated")
    return tuple(both)


def _metrics_of(
    encoding: Encoding, study: Study, metrics: Sequence[str] | None
) -> tuple[list[str], list[str], list[str]]:
    """Fitted metrics to predict, others with the same labels, and a note on each that is left out."""
    if encoding.aspects:
        check_aspects(study, encoding, metrics or (), where=study.name)
        return list(encoding.metrics), [], []
    rated = [metric.name for metric in study.metrics if len(study.rows(metric.name, usable=False))]
    asked = rated if metrics is None else list(metrics)
    known = [name for name in asked if name in encoding.metrics]
    check_labels(study, encoding, known, where=study.name)
    further = [name for name in asked if name not in known]
    alike = [name for name in further if _fits(study, encoding, name)]
    if not known and not alike:
        check_labels(study, encoding, further, where=study.name)
    left = [f"Metric '{name}' has other labels and is left out." for name in further if name not in alike]
    return known, alike, left


def _fits(study: Study, encoding: Encoding, metric: str) -> bool:
    """Whether a metric that was not fitted has the labels that the aligner knows."""
    try:
        check_labels(study, encoding, [metric])
    except UserError:
        return False
    return True


@dataclass(frozen=True, eq=False)
class _Rows:
    """n rows to predict: ``item`` and ``metric`` (n,) codes, the model ``alone`` (n, C), human ``counts``,
    and which are on an ``unseen`` metric or have a ``silent`` judge.
    """

    item: NDArray[np.int32]
    metric: NDArray[np.int32]
    alone: Floats
    counts: Floats
    unseen: NDArray[np.bool_]
    silent: NDArray[np.bool_]

    @classmethod
    def of(
        cls, model: Pool, encoding: Encoding, study: Study, known: Sequence[str], unknown: Sequence[str]
    ) -> _Rows:
        """The known metrics together; of the others each alone, for only so they keep their own names."""
        groups = [list(known)] if known else []
        groups += [[name] for name in unknown]
        parts = []
        for names in groups:
            observed = features_of(study, metrics=names, encoding=encoding)
            features, n = observed.features, len(observed)
            code = len(encoding.metrics) + list(unknown).index(names[0]) if names[0] in unknown else 0
            verdicts = [output.has_verdict for output in features.judges]
            parts.append(
                (
                    observed.item.astype(np.int32),
                    np.where(features.metric < 0, np.full(n, code, dtype=np.int32), features.metric),
                    model.predict(features),
                    observed.target.counts,
                    model.unseen(features),
                    ~np.any(verdicts, axis=0),
                )
            )
        if len(parts) == 1:
            return cls(*parts[0])
        return cls(*(np.concatenate(each) for each in zip(*parts, strict=True)))
