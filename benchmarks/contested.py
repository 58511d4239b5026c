"""How often rows are called contested, how often people dispute them, and whether they are the same rows.

    python benchmarks/contested.py [llm_rubric humanebench pandalm mtbench_human]

The rule (align/contested.py) beside the older one, no label with an expected share of 60 %, both on
predictions out of fold. AUC is of the predicted chance for rows that two people dispute; its ceiling, by
model, had people's distributions been known.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # small fits: more BLAS threads only wait for each other

import argparse
from pathlib import Path

import numpy as np

from voirdire.align.contested import Rows, disputes, flagging, observed_disputes
from voirdire.align.cross_fit import cross_fit
from voirdire.align.observe import features_of
from voirdire.opening import open as open_study

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
SETS = ("llm_rubric", "humanebench", "pandalm", "mtbench_human")


def report(name: str) -> None:
    """Print one data set's figures."""
    observed = features_of(open_study(DATA / name)).labelled
    fitted = cross_fit(observed, rng=np.random.default_rng(1))
    features, target = observed.features, observed.target
    keep = fitted.calibration
    apart = disputes(features.scale)
    rows = Rows(
        fitted.predicted[keep],
        target.counts[keep],
        apart,
        features.metric[keep],
        target.cluster[keep],
        fitted.fold[keep],
    )
    found = flagging(rows, fitted.kappa.value, features.metrics, rng=np.random.default_rng(2))
    older = rows.predicted.max(axis=1) < 0.6
    differ = observed_disputes(rows.counts, ~np.eye(len(apart), dtype=np.bool_))
    several = np.isfinite(differ)
    print(f"{name}: {len(older):,} rows, {int(several.sum()):,} with several labels")
    print(f"  rule: flagged {found.flagged.value:.3f}, wanted {found.wanted:.3f}, disputed {found.disputed}")
    print(f"        disputed where flagged {found.if_flagged}, elsewhere {found.if_not}")
    print(f"        AUC {found.auc}, ceiling {found.auc_ceiling:.2f}")
    print(f"  no label with 60 %: flagged {older.mean():.3f}, pairs that differ {differ[several].mean():.3f}")
    for words, part in (("where flagged", several & older), ("elsewhere", several & ~older)):
        print(f"        pairs that differ {words} {differ[part].mean() if part.any() else np.nan:.3f}")


def main() -> None:
    """Print the figures of the data sets asked for."""
    asked = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    asked.add_argument("sets", nargs="*", default=list(SETS))
    for name in asked.parse_args().sets:
        report(name)


if __name__ == "__main__":
    main()
