"""What a user may choose about an alignment: one frozen record for Python and the command line alike."""

from __future__ import annotations

from dataclasses import dataclass

from voirdire.align.decomposed import VIEWS
from voirdire.errors import UserError, check_names, check_share, check_whole

__all__ = ["AlignOptions"]

WHOLE = {"folds": (2, 1000), "repeats": (1, 1000), "most_rows": (0, 2**63 - 1), "seed": (0, 2**63 - 1)}
"""Options that are whole numbers, with the least and the most that they may be."""


@dataclass(frozen=True, kw_only=True)
class AlignOptions:
    """Options of one alignment.

    ``judges`` and ``metrics`` are all where empty; ``columns`` are numeric item attributes (an embedding).
    ``select`` is ``pool``, ``one_se`` or a calibrator; ``calibrators`` are evaluated beside it, ``("all",)``
    for every one. The evaluation deals clusters to ``folds`` parts ``repeats`` times. ``level`` is the
    intervals' coverage, ``credal`` that of the bounds of predicted shares. Of more than ``most_rows``
    labelled rows whole clusters are drawn at random, 0 for no limit. ``curve`` adds a learning curve, which
    says stop where all further labels would buy less than ``smallest_gain`` nats a row.

    With the ``view`` holistic an aligner learns from verdicts on the metrics that it predicts; with
    decomposed, of a single metric, from the judges' verdicts on all others of the same item; or from both.
    ``compare_views`` adds a comparison of the three at equal labels. ``seed`` makes all repeatable.
    """

    judges: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    select: str = "pool"
    calibrators: tuple[str, ...] = ()
    folds: int = 5
    repeats: int = 3
    level: float = 0.95
    credal: float = 0.9
    most_rows: int = 0
    curve: bool = False
    smallest_gain: float = 0.005
    view: str = "holistic"
    compare_views: bool = False
    seed: int = 20261129

    def __post_init__(self) -> None:
        for name, (low, high) in WHOLE.items():
            check_whole(name, getattr(self, name), low, high)
        for name in ("level", "credal"):
            check_share(name, getattr(self, name), 0.5)
        if not self.smallest_gain > 0:
            raise UserError(f"smallest_gain is {self.smallest_gain}", expected="more than 0 nats a row")
        if self.view not in VIEWS:
            raise UserError(f"no view '{self.view}'", expected=f"one of {', '.join(VIEWS)}")
        for name in ("judges", "metrics", "columns", "calibrators"):
            check_names(name, getattr(self, name))
