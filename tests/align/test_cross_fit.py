"""Cross-fitted predictions leave a row's own cluster out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from voirdire.align.cross_fit import cross_fit
from voirdire.align.observe import features_of
from voirdire.opening import open as open_study


def _study(n: int, flip: str = "") -> object:
    rows = []
    for i in range(n):
        truth = "yes" if i % 3 else "no"
        for person in ("ann", "bo"):
            said = truth if (i + len(person)) % 4 else "no"
            if f"i{i}" == flip:
                said = "no" if said == "yes" else "yes"
            if i % 5:
                rows.append((f"i{i}", person, "human", said))
        rows.append((f"i{i}", "model", "judge", truth))
    names = ("item_id", "rater_id", "rater_kind", "label")
    return open_study({name: [row[k] for row in rows] for k, name in enumerate(names)})


def test_a_rows_own_labels_do_not_move_its_prediction() -> None:
    first, second = (features_of(_study(60, flip)) for flip in ("", "i7"))  # type: ignore[arg-type]
    a, b = (
        cross_fit(each, select="temperature_bias", rng=np.random.default_rng(1)) for each in (first, second)
    )
    row = list(first.item).index(7)
    np.testing.assert_allclose(a.predicted[row], b.predicted[row])
    others = a.fold == (a.fold[row] + 1) % 5
    assert (np.abs(a.predicted[others] - b.predicted[others]) > 1e-6).any()


def test_rows_without_labels_are_predicted_from_all() -> None:
    found = cross_fit(features_of(_study(60)), select="temperature_bias", rng=np.random.default_rng(1))  # type: ignore[arg-type]
    assert len(found.unlabelled) == 12
    assert (found.fold[found.unlabelled] == -1).all()
    expected = found.model.predict(found.observed.features.take(found.unlabelled))
    np.testing.assert_allclose(found.predicted[found.unlabelled], expected)
    np.testing.assert_allclose(found.predicted.sum(axis=1), 1)
    assert found.kappa.n_items == len(found.calibration) == 48


def test_clusters_stay_together() -> None:
    observed = features_of(_study(60))  # type: ignore[arg-type]
    target = replace(observed.target, cluster=observed.target.cluster // 4)
    found = cross_fit(replace(observed, target=target), select="label_prior", rng=np.random.default_rng(1))
    for cluster in np.unique(target.cluster):
        assert len(np.unique(found.fold[(target.cluster == cluster) & (found.fold >= 0)])) <= 1
