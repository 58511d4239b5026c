"""The people who may be asked for labels: those named, those of the study, or places for people to come."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voirdire.decide.plan_options import NO_LIMIT, PlanOptions
from voirdire.errors import UserError
from voirdire.study.study import Study

__all__ = ["Pool", "pool_of"]

Positions = NDArray[np.intp]
PLACES = 4
"""So many places for people are planned where nobody is known."""
OWNERS = ("author", "system", "system_a", "system_b")
"""Item attributes that say whose work an item is."""


@dataclass(frozen=True, eq=False)
class Pool:
    """R people: ``names``, the most labels of each in ``capacity``, and who has no part in which item.

    ``code`` (R,) is their position among the study's raters, the number of raters for new ones. ``named`` is
    False where the names stand for people who are not known yet.
    """

    names: tuple[str, ...]
    capacity: tuple[int, ...]
    code: Positions
    named: bool

    @property
    def labels(self) -> int:
        """Labels that all together can give."""
        return sum(self.capacity)

    def closed(self, study: Study, item: Positions, metric: Positions) -> tuple[Positions, Positions]:
        """Pairs (p,) of row and rater who may not label it: has answered, or it is the rater's own work.

        ``item`` and ``metric`` (n,) are the rows as positions in the study, sorted by metric and item.
        """
        n, r = len(study.items), len(self.names)
        keys = metric * n + item
        place = np.full(len(study.raters) + 1, -1, dtype=np.intp)
        place[self.code] = np.arange(r)
        place[-1] = -1
        ratings = study.ratings
        mine = np.flatnonzero(place[ratings.rater] >= 0)
        wanted = ratings.metric[mine].astype(np.intp) * n + ratings.item[mine]
        at = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
        known = keys[at] == wanted if len(keys) else np.zeros(0, dtype=np.bool_)
        closed = [at[known] * r + place[ratings.rater[mine[known]]]]
        for name in OWNERS:
            column = study.items.attributes.get(name)
            if column is None:
                continue
            owner = np.array([*(self._position(value) for value in column.values), -1], dtype=np.intp)
            whose = owner[column.codes][item]
            closed.append(np.flatnonzero(whose >= 0) * r + whose[whose >= 0])
        every = np.unique(np.concatenate(closed))
        return every // r, every % r

    def _position(self, name: str) -> int:
        return self.names.index(name) if name in self.names else -1


def pool_of(study: Study, options: PlanOptions) -> Pool:
    """The raters of ``options``, all people of the study where none is named, or four places for people.

    A named rater whom the study does not have, a new one whom it has, and a judge are users' errors.
    """
    people = {study.raters[code].id: code for code in study.raters_of("human")}
    others = {rater.id for rater in study.raters} - set(people)
    for name in (*options.raters, *options.new_raters):
        if name in others:
            raise UserError(f"rater '{name}' is no person but a judge, a program or a reference")
    for name in options.raters:
        if people and name not in people:
            raise UserError(
                f"no person named '{name}' has labelled this study",
                expected=f"one of {', '.join(list(people)[:10])}",
                fix=f"name people who are new with --new-rater {name}",
            )
    for name in options.new_raters:
        if name in people:
            raise UserError(f"rater '{name}' is in the study", fix=f"write --rater {name}")
    loads = {**options.raters, **options.new_raters}
    named = bool(loads or people)
    loads = loads or dict.fromkeys(people or [f"rater-{k + 1}" for k in range(PLACES)], NO_LIMIT)
    code = [people.get(name, len(study.raters)) for name in loads]
    return Pool(tuple(loads), tuple(loads.values()), np.array(code, dtype=np.intp), named)
