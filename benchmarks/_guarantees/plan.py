"""Label plans: does the gain that is predicted come true, and are means right under unequal chances?

gain: a map is fitted on n labels, its gain from m more is predicted with an interval, m more are labelled,
the map is fitted again, and both are scored on 4,000 rows whose true distributions are known. means: rows are
drawn by a plan, labelled, and put through ``voirdire rates``. designs: the loss of maps fitted on 60 labels
drawn at random, balanced over the judge's labels, or where the judge is least sure.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voirdire.align.features import Features, Target
from voirdire.align.folds import grouped_folds
from voirdire.align.judge_output import JudgeOutput
from voirdire.align.numerics import softmax
from voirdire.align.scores import log_score
from voirdire.align.selection import fit
from voirdire.decide.plan import plan
from voirdire.decide.plan_fitting import effective_labels, predicted_gain, slope_by_optimism
from voirdire.decide.plan_options import PlanOptions
from voirdire.decide.rates import rates
from voirdire.decide.rates_options import RatesOptions
from voirdire.decide.rates_rows import ALL
from voirdire.opening import open as open_study
from voirdire.study import Scale, Study

Floats = NDArray[np.float64]
SCALE = Scale("nominal", ("a", "b", "c"))
ORDERED = Scale("ordinal", ("1", "2", "3", "4"), ordered=True, values=(1.0, 2.0, 3.0, 4.0))
TEST = 4000


@dataclass(frozen=True, eq=False)
class Rows:
    """Features of n rows and the distributions (n, C) that people's labels are drawn from."""

    features: Features
    truth: Floats

    def labels(self, k: int, rng: np.random.Generator) -> Target:
        """``k`` labels of each row."""
        return Target.of(rng.multinomial(k, self.truth).astype(np.float64))


def stating(rng: np.random.Generator, n: int) -> Rows:
    """A judge that states probabilities; people's logits are 0.8 of its own, and shifted."""
    z = np.log(softmax(1.5 * rng.normal(size=(n, 3))))
    code = z.argmax(axis=1).astype(np.int32)
    judge = JudgeOutput("j", SCALE.labels, code, z, np.zeros((n, 3)), np.full(n, np.nan), np.zeros(n), 2.0)
    features = Features(SCALE, (judge,), np.zeros(n, dtype=np.int32), ("m",))
    return Rows(features, softmax(0.8 * z + np.array([0.6, 0.0, -0.6])))


def panel(rng: np.random.Generator, n: int) -> Rows:
    """Three judges that give a label of four each; three metrics."""
    metric = rng.integers(0, 3, n).astype(np.int32)
    quality = rng.normal(size=n) + np.array([-0.7, 0.0, 0.7])[metric]
    judges = []
    for k in range(3):
        code = np.clip(np.round(1.5 + quality + 0.6 * rng.normal(size=n)), 0, 3).astype(np.int32)
        none = np.full((n, 4), np.nan)
        judges.append(
            JudgeOutput(f"j{k}", ORDERED.labels, code, none, np.eye(4)[code], code + 1.0, np.zeros(n), 3.0)
        )
    features = Features(ORDERED, tuple(judges), metric, ("x", "y", "z"))
    return Rows(features, softmax(-((np.arange(4) - 1.5 - quality[:, None]) ** 2)))


Made = Callable[[np.random.Generator, int], Rows]
GAINS: tuple[tuple[str, Made, str, int, int, int], ...] = (
    ("one judge, slope and bias", stating, "temperature_bias", 100, 100, 1),
    ("one judge, slope and bias", stating, "temperature_bias", 100, 400, 1),
    ("one judge, 3 labels a row", stating, "temperature_bias", 80, 80, 3),
    ("three judges, three metrics", panel, "confusion_row", 150, 150, 1),
    ("three judges, three metrics", panel, "stack", 150, 150, 1),
    ("three judges, three metrics", panel, "cumulative_link", 150, 300, 1),
)


def run(runs: int) -> None:
    """Every section."""
    for name, made, select, n, m, k in GAINS:
        found = np.array([gain((made, select), (n, m, k), 1000 + seed) for seed in range(max(20, runs // 5))])
        predicted, low, high, realised = found.T
        held = float(((low <= realised) & (realised <= high)).mean())
        print(
            f"{name}, {select}, {n} + {m} rows of {k}: predicted {predicted.mean():.4f}, realised "
            f"{realised.mean():.4f}, within its interval {held:.3f} (promised .95)"
        )
    for purpose in ("means", "fitting"):
        covered, error, naive = means(purpose, max(20, runs // 5))
        print(
            f"means, {purpose}: mean error {error.mean():+.4f} (standard error {_error(error):.4f}), covered "
            f"{np.mean(covered):.3f}; without the chances mean error {naive.mean():+.4f}"
        )
    for name, loss in designs(max(20, runs // 5)).items():
        print(f"loss above the truth from 60 labels, {name}: {loss.mean():.4f} ± {_error(loss):.4f} nats")


def _error(x: Floats) -> float:
    return float(x.std(ddof=1) / np.sqrt(len(x)))


def excess(truth: Floats, predicted: Floats) -> float:
    """Mean expected loss above the truth's."""
    return float((truth * np.log(truth / predicted)).sum(axis=1).mean())


def gain(how: tuple[Made, str], sizes: tuple[int, int, int], seed: int) -> tuple[float, float, float, float]:
    """The predicted gain with its interval, and the realised one."""
    (made, select), (n, m, k) = how, sizes
    rng = np.random.default_rng(seed)
    rows, test = made(rng, n + m), made(rng, TEST)
    target, first = rows.labels(k, rng), np.arange(n)
    features, known = rows.features.take(first), target.take(first)
    model = fit(features, known, select=select, rng=rng)
    held_out = np.empty(n)
    for train, held in grouped_folds(known.cluster, rng=rng):
        part = fit(features.take(train), known.take(train), select=select, rng=rng)
        held_out[held] = log_score(part.predict(features.take(held)), known.counts[held])
    own = log_score(model.predict(features), known.counts)
    now, after = (effective_labels(each.labels_per_row) for each in (known, target))
    slope = slope_by_optimism(held_out, own, now, cluster=known.cluster)
    found = predicted_gain(slope, now, after - now, rng=rng)
    again = fit(rows.features, target, select=select, rng=rng)
    losses = [excess(test.truth, each.predict(test.features)) for each in (model, again)]
    return found.value, found.low, found.high, losses[0] - losses[1]


def study(rng: np.random.Generator, n: int, labelled: int) -> tuple[list[dict[str, str]], Floats]:
    """Rows of a judge's verdicts on ``n`` items, some with a person's label, and each item's true share."""
    share = rng.beta(0.4, 1.2, n)
    seen = np.clip(share + 0.15 * rng.normal(size=n), 0.01, 0.99)
    rows = []
    for i in range(n):
        said = "yes" if seen[i] > 0.5 else "no"
        probs = {"prob_yes": f"{seen[i]:.3f}", "prob_no": f"{1 - seen[i]:.3f}"}
        rows.append({"item_id": f"i{i}", "rater_id": "j", "rater_kind": "judge", "label": said, **probs})
        if i < labelled:
            rows.append(human(f"i{i}", "p0", share[i], rng))
    return rows, share


def human(item: str, rater: str, share: float, rng: np.random.Generator) -> dict[str, str]:
    """One person's label."""
    said = "yes" if rng.random() < share else "no"
    return {"item_id": item, "rater_id": rater, "rater_kind": "human", "label": said}


def opened(rows: list[dict[str, str]]) -> Study:
    names = list(dict.fromkeys(name for row in rows for name in row))
    return open_study({name: [row.get(name) for row in rows] for name in names})


def means(purpose: str, runs: int, *, n: int = 600, labelled: int = 60) -> tuple[list[bool], Floats, Floats]:
    """Whether the corrected rate after a plan covers, the labels' own error, and that without chances."""
    covered: list[bool] = []
    error: list[float] = []
    naive: list[float] = []
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        rows, share = study(rng, n, labelled)
        options = PlanOptions(
            budget=90, purpose=purpose, design="balanced", select="temperature_bias", seed=seed
        )
        found = plan(opened(rows), options)
        names = found.chances.columns["item_id"]
        chance = dict(zip(names, found.chances.numbers["sampling_probability"].tolist(), strict=True))
        for item, rater in zip(
            *(found.assignments.columns[key] for key in ("item_id", "rater_id")), strict=True
        ):
            rows.append(human(str(item), str(rater), share[int(str(item)[1:])], rng))
        for row in rows:
            if row["rater_kind"] == "human":
                row["sampling_probability"] = f"{chance[row['item_id']]:.6f}"
        done = opened(rows)
        for column, errors in (("sampling_probability", error), ("", naive)):
            how = RatesOptions(select="temperature_bias", probability=column, seed=seed)
            rate = next(row for row in rates(done, how).rows if row.system == ALL)
            truth = float(share.mean())
            errors.append(rate.labels_alone.value - truth)
            if column:
                low, high = rate.corrected.low, rate.corrected.high
                covered.append(low <= 0.25 <= high)  # new items: the population's share, not that of these
    return covered, np.array(error), np.array(naive)


def designs(runs: int, *, n: int = 2000, labels: int = 60) -> dict[str, Floats]:
    """Excess loss of maps fitted on 60 labels, by how rows were chosen, where the form is a little off."""
    found: dict[str, list[float]] = {"random": [], "balanced": [], "least sure first": []}
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        rows, test = stating(rng, n), stating(rng, TEST)
        truths = [0.85 * each.truth + 0.15 * each.truth[:, ::-1] for each in (rows, test)]
        target = Rows(rows.features, truths[0]).labels(1, rng)
        z, code = rows.features.judges[0].log_probs, rows.features.judges[0].code
        entropy = -(np.exp(z) * z).sum(axis=1)
        each = [rng.permutation(np.flatnonzero(code == c))[: labels // 3] for c in range(3)]
        choices = (rng.permutation(n)[:labels], np.concatenate(each), np.argsort(-entropy)[:labels])
        for name, chosen in zip(found, choices, strict=True):
            model = fit(rows.features.take(chosen), target.take(chosen), select="temperature_bias", rng=rng)
            found[name].append(excess(truths[1], model.predict(test.features)))
    return {name: np.array(losses) for name, losses in found.items()}
