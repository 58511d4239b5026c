"""Studies for the tests of decisions: items of known kinds, people drawn from known shares, two judges."""

from __future__ import annotations

import numpy as np

from voirdire.opening import open as open_study
from voirdire.study import Study

KINDS = np.linspace(0.02, 0.98, 13)
"""Share of people who say yes, by kind of item."""


def rows_of(
    n: int, labelled: int, seed: int, *, people: int = 2, blur: float = 0.0, clusters: int = 0
) -> list[dict[str, object]]:
    """Ratings of ``n`` items, the first ``labelled`` of them labelled by ``people`` persons each.

    The judge ``small`` states probabilities near one half, ``large`` the true ones; ``blur`` is the share of
    items on which both judges see a random kind instead. Items share ``clusters`` sources where asked for.
    """
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, len(KINDS), n)
    seen = np.where(rng.random(n) < blur, rng.integers(0, len(KINDS), n), kind)
    rows = []
    for i in range(n):
        item = {"item_id": f"i{i}", "kind": f"k{kind[i]}"}
        if clusters:
            item["cluster"] = f"c{i % clusters}"
        for person in range(people if i < labelled else 0):
            said = "yes" if rng.random() < KINDS[kind[i]] else "no"
            rows.append({**item, "rater_id": f"p{person}", "rater_kind": "human", "label": said})
        for judge, pull in (("small", 0.3), ("large", 1.0)):
            p = 0.5 + pull * (KINDS[seen[i]] - 0.5)
            verdict = "yes" if p > 0.5 else "no"
            rows.append(
                {
                    **item,
                    "rater_id": judge,
                    "rater_kind": "judge",
                    "label": verdict,
                    "prob_yes": round(p, 3),
                    "prob_no": round(1 - p, 3),
                    "confidence": round(max(p, 1 - p), 3),
                }
            )
    return rows


def study_of(rows: list[dict[str, object]]) -> Study:
    """The ratings as a study."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    table = {name: [None if row.get(name) is None else str(row[name]) for row in rows] for name in names}
    return open_study(table)
