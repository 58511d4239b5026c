"""How often the intervals of the learning curves and of the compared views hold what they should.

    python benchmarks/learning_curves.py [--studies 100] [views spread slope]

Each study is drawn anew from one population. The truth is the mean over all studies, which is what labelling
and fitting anew would show; the interval of a single study should hold it in 95 of 100. views: the gain of
decomposed verdicts, by repeats and number of training labels. spread: the gain of several labels an item.
slope: of loss = floor + slope / labels.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # small fits: more BLAS threads only wait for each other

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

sys.path.pop(0)  # this folder, whose align.py would stand before the tests' folder of that name
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from align.planted import Planted, of_logits
from align.planted_views import of_parts
from voirdire.align.comparison import compared
from voirdire.align.held_out import Protocol
from voirdire.align.learning_curve import learning_curve
from voirdire.align.learning_curve_raters import spread_of_labels
from voirdire.align.options import AlignOptions
from voirdire.stats.estimate import Estimate


def coverage(name: str, found: Sequence[Estimate]) -> None:
    """Print the mean, the share of intervals that hold it, and how wide they are beside the real spread."""
    value = np.array([each.value for each in found])
    mean, reach = value.mean(), np.array([(each.high - each.low) / 2 for each in found])
    covered = np.mean([each.low <= mean <= each.high for each in found])
    print(
        f"{name}: mean {mean:+.4f}, covered {covered:.3f}, half-width {reach.mean():.4f} "
        f"(1.96 real standard deviations {1.96 * value.std(ddof=1):.4f})"
    )


def views(studies: int) -> None:
    """The gain of decomposed verdicts over the holistic one, where the parts tell a little more."""
    for repeats in (1, 3):
        how = Protocol(select="linear_map", repeats=repeats)
        points = []
        for seed in range(studies):
            seen, planted = of_parts(np.random.default_rng(seed), 120, whole=1.0, part=0.7)
            points.append(
                compared(seen, planted.target, protocol=how, rng=np.random.default_rng(seed)).points
            )
        for k in (0, len(points[0]) - 1):
            labels = f"{points[0][k].n_labels:.0f} labels"
            coverage(f"views, {repeats} repeats, {labels}", [each[k].decomposed for each in points])


def made(seed: int, n: int) -> Planted:
    """A judge whose logits need a slope and a bias; three labels an item."""
    return of_logits(np.random.default_rng(seed), n, slope=0.8, bias=np.array([0.6, 0.0, -0.6]))


def spread(studies: int) -> None:
    """The gain of two and of three labels an item over one, at an equal number of labels."""
    found = []
    for seed in range(studies):
        planted, rng = made(seed, 150), np.random.default_rng(seed)
        found.append(
            spread_of_labels(planted.features, planted.target, select="temperature_bias", rng=rng).points
        )
    for k, point in enumerate(found[0]):
        gains = [gain for gain in (each[k].gain for each in found) if gain is not None]
        if gains:
            coverage(f"spread, {point.raters} labels on each of {point.n_items}", gains)


def slope(studies: int) -> None:
    """The slope of the learning curve over items."""
    found = []
    for seed in range(studies):
        planted, rng = made(seed, 240), np.random.default_rng(seed)
        options = AlignOptions(select="temperature_bias")
        found.append(learning_curve(planted.features, planted.target, options=options, rng=rng).slope)
    coverage("slope", found)


PARTS: dict[str, Callable[[int], None]] = {"views": views, "spread": spread, "slope": slope}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", default=list(PARTS))
    parser.add_argument("--studies", type=int, default=100)
    arguments = parser.parse_args()
    for part in arguments.parts:
        PARTS[part](arguments.studies)
