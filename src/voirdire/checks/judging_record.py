"""How each judge was asked and what it could see, as tables."""

from __future__ import annotations

from voirdire.checks.finding import Cell, Column, Evidence, Missing, Row, Table
from voirdire.study import Rater, Study

__all__ = ["prompt_table", "record_table"]

NOT_RECORDED = Missing("not recorded")


def record_table(study: Study) -> Table:
    """One row a judge: who it is, and what it could see."""
    columns = (
        Column("judge", "Judge"),
        Column("model", "Model"),
        Column("version", "Version"),
        Column("recipe", "Way of asking"),
        Column("sees", "Sees of an item"),
        Column("reference", "Reference"),
        Column("examples", "Labels of people shown"),
        Column("parameters", "Settings"),
        Column("endpoint", "Endpoint"),
    )
    rows = tuple(_row(rater) for rater in _asked(study))
    caption = "How each judge was asked and what it could see; the version changes with any of it"
    return Table("judge_records", caption, columns, rows)


def prompt_table(study: Study) -> Table:
    """One row a judge with its prompt's template."""
    rows = tuple(
        Row({"judge": rater.id, "prompt": rater.asked.prompt}, Evidence(raters=(rater.id,)))
        for rater in _asked(study)
        if rater.asked is not None and rater.asked.prompt
    )
    columns = (Column("judge", "Judge"), Column("prompt", "Prompt", "prose"))
    return Table("judge_prompts", "The template of each judge's prompt", columns, rows, folded=True)


def _asked(study: Study) -> list[Rater]:
    return [study.raters[code] for code in study.raters_of("judge") if study.raters[code].asked is not None]


def _row(rater: Rater) -> Row:
    asked = rater.asked
    assert asked is not None, "chosen by this"
    told = {
        "model": rater.model,
        "version": asked.version,
        "recipe": asked.recipe,
        "sees": ", ".join(asked.sees),
        "reference": _reference(asked.references),
        "examples": "" if asked.examples is None else "yes, as examples" if asked.examples else "none",
        "parameters": asked.parameters,
        "endpoint": asked.endpoint,
    }
    cells: dict[str, Cell] = {name: text or NOT_RECORDED for name, text in told.items()}
    return Row({"judge": rater.id, **cells}, Evidence(raters=(rater.id,)))


def _reference(names: tuple[str, ...] | None) -> str:
    if names is None:
        return ""
    return ", ".join(names) or "none: reference-free"
