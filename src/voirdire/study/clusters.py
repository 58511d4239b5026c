"""Clusters: items that share a prompt, a source or a conversation, and are resampled together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from voirdire.errors import UserError
from voirdire.study.column import Column
from voirdire.study.long import compose

__all__ = ["find_clusters"]

PARENTS = ("variant_of", "parent_id")


def find_clusters(
    ids: Sequence[str], attributes: Mapping[str, Column], declared: Sequence[str]
) -> tuple[NDArray[np.int32] | None, str]:
    """Each item's cluster (n,), None where every item stands alone, and the sentence on where it is from.

    Taken from the ``declared`` attributes, else the column cluster, else variant_of or parent_id, whose
    chains are followed to the first item. An item without a cluster is its own.
    """
    if declared:
        for name in declared:
            if name not in attributes:
                known = ", ".join(attributes) or "none"
                raise UserError(f"no item attribute '{name}'", where="clusters", expected=f"one of {known}")
        return _numbered(compose([attributes[name] for name in declared]), ids), ""
    if "cluster" in attributes:
        return _numbered(attributes["cluster"], ids), ""
    for name in PARENTS:
        if name in attributes:
            return _numbered(
                _roots(ids, attributes[name]), ids
            ), f"Items that share a {name} form one cluster."
    return None, ""


def _numbered(cluster: Column, ids: Sequence[str]) -> NDArray[np.int32]:
    alone = cluster.is_missing
    codes = cluster.codes.astype(np.int64)
    codes[alone] = len(cluster.values) + np.arange(int(alone.sum()))
    _, numbered = np.unique(codes, return_inverse=True)
    return numbered.astype(np.int32)


def _roots(ids: Sequence[str], parent: Column) -> Column:
    """The first item of each chain of parents; a parent that was not rated still names the chain."""
    parents = {name: above for name, above in zip(ids, parent, strict=True) if above is not None}
    roots: dict[str, str] = {}
    for name in ids:
        chain: dict[str, None] = {}
        while name not in roots and name not in chain:
            chain[name] = None
            name = parents.get(name, name)
        # the walk ends at an item without a parent, where an earlier walk has been, or where a circle closes
        roots |= dict.fromkeys(chain, roots.get(name, name))
    return Column.of([roots[name] for name in ids])
