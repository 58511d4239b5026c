"""Calibrator and Fitted: how a map from judge output to human label distributions is learned and used."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from voirdire import registry
from voirdire.align.features import ALPHA, Features, Target
from voirdire.align.folds import FOLDS, Folds, grouped_folds
from voirdire.align.numerics import log_loss, mixture
from voirdire.align.priors import BaseRates, base_rates
from voirdire.align.serial import pack, unpack
from voirdire.align.signature import Signature
from voirdire.errors import UserError

__all__ = ["ANY_ALPHA", "Calibrator", "Fitted", "Parameters", "Problem", "Setting", "restore"]

Floats = NDArray[np.float64]
Parameters = Mapping[str, Floats]
ANY_ALPHA = (0.05, ALPHA, 0.6)


@dataclass(frozen=True, slots=True)
class Setting:
    """What cross-validation chooses: the ridge's ``precision`` on the summed loss, the votes' ``alpha``."""

    precision: float = 1.0
    alpha: float = ALPHA


@dataclass(frozen=True, eq=False)
class Problem:
    """One fit: the rows with human labels, and the base rates that every prediction contains."""

    features: Features
    target: Target
    floor: BaseRates
    rng: np.random.Generator

    @classmethod
    def of(cls, features: Features, target: Target, rng: np.random.Generator) -> Problem:
        """The labelled rows of ``features`` and ``target`` with the base rates of each metric."""
        if target.counts.shape != (len(features), features.n_labels):
            raise UserError(
                f"label counts of shape {target.counts.shape}",
                expected=f"({len(features)}, {features.n_labels})",
            )
        if not target.labelled.any():
            raise UserError(
                "no row has a human label", expected="labels to learn from", fix="label about 50 items"
            )
        if not target.labelled.all():
            features, target = features.take(target.labelled), target.take(target.labelled)
        return cls(features, target, base_rates(target.effective, features.metric, features.n_metrics), rng)

    @property
    def counts(self) -> Floats:
        """The labels' weights in the loss (n, C)."""
        return self.target.effective

    @property
    def floor_rows(self) -> Floats:
        """Each row's base rates (n, C)."""
        return self.floor.rows(self.features.metric)


class Calibrator(ABC):
    """A way to predict the distribution of human labels; a frozen dataclass whose fields are its options.

    ``learn`` finds parameters, ``shape`` turns them into probabilities; the base class mixes in the base
    rates, chooses among ``settings`` by cross-validation and refuses what does not apply.
    """

    name: ClassVar[str]
    judge_free: ClassVar[bool] = False

    @abstractmethod
    def applies(self, features: Features) -> str:
        """Why it cannot be used on these features, '' where it can."""

    def settings(self, features: Features) -> tuple[Setting, ...]:
        """What to choose among by cross-validation, the most shrunken first."""
        return (Setting(),)

    def prepare(self, problem: Problem) -> Problem:
        """The problem as this calibrator poses it; unchanged by default."""
        return problem

    @abstractmethod
    def learn(self, problem: Problem, setting: Setting, start: Parameters | None) -> Parameters:
        """The parameters that fit best under ``setting``, searched from ``start`` where given."""

    @abstractmethod
    def shape(self, parameters: Parameters, features: Features, setting: Setting) -> Floats:
        """The model's own probabilities (n, C), before the base rates are mixed in."""

    def complexity(self, parameters: Parameters) -> int:
        """How many numbers were fitted."""
        return sum(np.size(value) for name, value in parameters.items() if not name.startswith("_"))

    def fit(self, features: Features, target: Target, *, rng: np.random.Generator) -> Fitted:
        """Fit with the setting that predicts held-out clusters best."""
        self.check(features)
        problem = Problem.of(features, target, rng)
        settings = self.settings(problem.features)
        if len(settings) == 1:
            return self.fit_at(problem, settings)[0]
        folds = grouped_folds(problem.target.cluster, folds=FOLDS, rng=rng)
        setting, _ = self.out_of_fold(problem, folds)
        return self.fit_at(problem, (setting,))[0]

    def fit_at(self, problem: Problem, settings: Sequence[Setting]) -> list[Fitted]:
        """One fit a setting, each started from the one before."""
        fits: list[Fitted] = []
        problem = self.prepare(problem)
        start: Parameters | None = None
        signature = Signature.of(problem.features)
        for setting in settings:
            start = self.learn(problem, setting, start)
            fits.append(Fitted(self, signature, problem.floor, setting, start))
        return fits

    def out_of_fold(self, problem: Problem, folds: Folds) -> tuple[Setting, Floats]:
        """The best setting, and each row's prediction (n, C) by a fit that did not see its cluster."""
        settings = self.settings(problem.features)
        predicted = np.empty((len(settings), *problem.counts.shape))
        for train, held in folds:
            part = Problem.of(problem.features.take(train), problem.target.take(train), problem.rng)
            test = problem.features.take(held)
            for k, fitted in enumerate(self.fit_at(part, settings)):
                predicted[k, held] = fitted.predict(test)
        losses = [float(log_loss(each, problem.counts).sum()) for each in predicted]
        best = int(np.argmin(losses))
        return settings[best], predicted[best]

    def check(self, features: Features) -> None:
        """Refuse features that it does not apply to."""
        reason = self.applies(features)
        if reason:
            raise UserError(f"calibrator '{self.name}' does not apply: {reason}")


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fitted calibrator: what it expects (``signature``), base rates, chosen setting and parameters."""

    calibrator: Calibrator
    signature: Signature
    floor: BaseRates
    setting: Setting
    parameters: Parameters

    @property
    def name(self) -> str:
        """The calibrator's name."""
        return self.calibrator.name

    @property
    def complexity(self) -> int:
        """How many numbers were fitted."""
        return self.calibrator.complexity(self.parameters)

    def predict(self, features: Features) -> Floats:
        """The distribution of human labels of each row (n, C), base rates mixed in."""
        self.signature.check(features)
        predicted = np.empty((len(features), features.n_labels))
        for rows, part in features.chunks():
            unseen = self.unseen(part)
            if unseen.any():
                part = replace(part, metric=np.where(unseen, -1, part.metric).astype(np.int32))
            model = self.calibrator.shape(self.parameters, part, self.setting)
            predicted[rows] = mixture(model, self.floor.rows(part.metric))
        return predicted

    def unseen(self, features: Features) -> NDArray[np.bool_]:
        """Rows whose metric had no human label in training (n,): their prediction is wider."""
        return (features.metric < 0) | ~np.asarray(self.signature.seen, dtype=np.bool_)[features.metric]

    def to_dict(self) -> dict[str, Any]:
        """Everything in plain lists and numbers, for JSON."""
        return {
            "calibrator": self.name,
            "options": pack(asdict(self.calibrator)),  # type: ignore[call-overload]
            "signature": self.signature.to_dict(),
            "floor": {"table": pack(self.floor.table), "kappa": pack(self.floor.kappa)},
            "setting": {"precision": self.setting.precision, "alpha": self.setting.alpha},
            "parameters": {name: pack(value) for name, value in self.parameters.items()},
        }


def restore(saved: Mapping[str, Any]) -> Fitted:
    """The fitted calibrator that :meth:`Fitted.to_dict` described; a plugin's is found by name."""
    kind = registry.get("calibrator", saved["calibrator"])
    floor = BaseRates(unpack(saved["floor"]["table"]), unpack(saved["floor"]["kappa"]))
    parameters = {name: unpack(value) for name, value in saved["parameters"].items()}
    return Fitted(
        kind(**{name: unpack(value) for name, value in saved["options"].items()}),
        Signature.from_dict(saved["signature"]),
        floor,
        Setting(**saved["setting"]),
        parameters,
    )
