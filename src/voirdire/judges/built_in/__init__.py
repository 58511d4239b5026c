"""Judges that come with the package, by a name instead of a file: the one whose recipe fits each metric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from voirdire.errors import UserError
from voirdire.judges.judge import Judge, load_judge
from voirdire.study.metric import Metric
from voirdire.study.study import Study

__all__ = ["built_in_judges", "is_built_in"]

FOLDER = Path(__file__).parent
FILES = {"local": ("local.yaml", "local-pairs.yaml", "local-numbers.yaml")}
"""The files of each name; a metric is judged by the first whose recipe takes it."""


def is_built_in(name: str) -> bool:
    """Whether ``name`` is a judge of the package; a file of that name goes first.

    >>> is_built_in("local"), is_built_in("judges/tone.yaml")
    (True, False)
    """
    return name in FILES and not Path(name).is_file()


def built_in_judges(name: str, study: Study, metrics: Sequence[str] = ()) -> tuple[Judge, ...]:
    """The judges called ``name``, each with those of ``metrics`` (all where empty) that its recipe takes.

    Each has its own rater_id, for it asks in its own way: ``local``, ``local-pairs``, ``local-numbers``. A
    metric that none takes is left out, or a user's error where it was asked for by name or is the only one.
    """
    wanted = [study.metric(one) for one in metrics] if metrics else list(study.metrics)
    judges = []
    for file in FILES[name]:
        judge = load_judge(FOLDER / file)
        taken = [metric for metric in wanted if _takes(judge, metric)]
        wanted = [metric for metric in wanted if metric not in taken]
        if taken:
            config = judge.config.model_copy(update={"metrics": tuple(metric.name for metric in taken)})
            judges.append(replace(judge, config=config))
    if wanted and (metrics or not judges):
        kind = f"metric '{wanted[0].name}' is {wanted[0].scale.kind}"
        raise UserError(f"{kind} and cannot be judged so", where=f"judge {name}", fix="write a judge's file")
    return tuple(judges)


def _takes(judge: Judge, metric: Metric) -> bool:
    try:
        judge.recipe.check(metric)
    except UserError:
        return False
    return True
