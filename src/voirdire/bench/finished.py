"""Finished verdicts in a table: outcomes of a benchmark that somebody else ran, without transcripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from voirdire.bench.outcomes import LACKING, MISSING, Codes, Outcomes, Rated, Signs, passes
from voirdire.bench.suite import NEUTRAL
from voirdire.decide.rates_rows import ALL
from voirdire.errors import UserError
from voirdire.opening import read_table
from voirdire.study.column import Column
from voirdire.study.raw import RawTable

__all__ = ["read_outcomes"]

PRESENT = {"1": 1, "true": 1, "present": 1, "yes": 1, "0": 0, "false": 0, "absent": 0, "no": 0}
NO_VERDICT = ("", "na", "n/a", "nan", "none", "null")
POLARITIES = ("positive", "negative")
NEEDED = ("metric", "polarity", "benchmark", "subarea", "area", "system", "scenario", "present")
OF_METRIC = ("polarity", "benchmark", "subarea", "area", "title")
ALIKE = {"system": ("model",), "conversation_repeat": ("repeat", "epoch")}
TOLD = (*NEEDED, "conversation_repeat", "passed", "title", "opportunity")


def read_outcomes(
    path: str | Path, *, axes: Sequence[str] = (), columns: Mapping[str, str] | None = None
) -> Outcomes:
    """The outcomes in a table with one row a conversation: CSV, TSV, JSON Lines or Parquet, also as .gz.

    Columns are metric, polarity, benchmark, subarea, area, system (or model), scenario and present (1, 0,
    present, absent, true, false, yes, no, or empty for no verdict); further ones may be repeat, title,
    opportunity and passed. ``axes`` are the columns that tell matched variants apart: all others where none
    are named. ``columns`` maps these names to the table's own. Where ``passed`` is there it is checked: one
    that differs from what verdict and polarity say, any other spelling, and a metric with two polarities are
    users' errors, with their rows.
    """
    table = read_table(Path(path))
    found = _columns(table, dict(columns or {}))
    names = tuple(axes) or tuple(name for name in table.columns if table.columns[name] not in found.values())
    unknown = [name for name in names if name not in table.columns]
    if unknown:
        raise UserError(f"no column '{unknown[0]}'", where=table.name, expected="an axis of variants")
    metrics, metric = _metrics(table, found)
    present = _signs(table, found["present"], "present")
    outcomes = _outcomes(table, found, names, (metrics, metric, present))
    if "passed" in found:
        _check_passed(table, found["passed"], outcomes)
    _check_places(table, outcomes)
    return outcomes


def _columns(table: RawTable, own: Mapping[str, str]) -> dict[str, Column]:
    """The table's columns by the names used here."""
    found: dict[str, Column] = {}
    for name in TOLD:
        spelled = [own[name]] if name in own else [name, *ALIKE.get(name, ())]
        there = next((one for one in spelled if one in table.columns), None)
        if there is not None:
            found[name] = table.columns[there]
        elif name in own:
            raise UserError(f"no column '{own[name]}'", where=table.name, expected=f"the column of {name}")
    lacking = [name for name in NEEDED if name not in found]
    if lacking:
        raise UserError(
            f"no column '{lacking[0]}'",
            where=table.name,
            expected=", ".join(NEEDED),
            fix=f"name it: columns={{'{lacking[0]}': ...}}",
        )
    return found


def _metrics(table: RawTable, found: Mapping[str, Column]) -> tuple[tuple[Rated, ...], Codes]:
    """Every metric in order of its name, and each row's code; what is said of a metric is said alike."""
    names, metric = _coded(found["metric"])
    told = {
        name: found[name] for name in ("polarity", "benchmark", "subarea", "area", "title") if name in found
    }
    first = np.zeros(len(names), dtype=np.intp)
    first[metric[::-1]] = np.arange(len(metric) - 1, -1, -1)
    for what, column in told.items():
        differ = np.flatnonzero(column.codes != column.codes[first][metric])
        if len(differ):
            row = int(differ[0])
            here, other = column[row], column[int(first[metric[row]])]
            raise UserError(
                f"metric '{names[metric[row]]}' has {what} '{here}' here and '{other}' elsewhere",
                where=table.where(row),
                expected="one value a metric",
            )
    rated = []
    for code, name in enumerate(names):
        said = {what: column[int(first[code])] or "" for what, column in told.items()}
        if said["polarity"] not in POLARITIES:
            raise UserError(
                f"polarity '{said['polarity']}'",
                where=table.where(int(first[code])),
                expected=" or ".join(POLARITIES),
            )
        title = said.pop("title", "") or name
        rated.append(Rated(name, title, version="", counts=True, **said))  # type: ignore[arg-type]
    return tuple(rated), metric


def _outcomes(
    table: RawTable,
    found: Mapping[str, Column],
    names: Sequence[str],
    told: tuple[tuple[Rated, ...], Codes, Signs],
) -> Outcomes:
    metrics, metric, present = told
    scenarios, scenario = _coded(found["scenario"])
    systems, system = _coded(found["system"], sort=False)
    if ALL in systems:
        row = int(np.flatnonzero(system == systems.index(ALL))[0])
        raise UserError(f"system '{ALL}'", where=table.where(row), expected="the name of one system")
    axes, variant = _variants([table.columns[name] for name in names], names, len(metric))
    repeats = found.get("conversation_repeat")
    absent = np.full(len(metric), MISSING, dtype=np.int8)
    return Outcomes(
        metric=metric,
        scenario=scenario,
        variant=variant,
        system=system,
        repeat=np.zeros_like(metric) if repeats is None else _coded(repeats)[1],
        present=present,
        opportunity=_signs(table, found["opportunity"], "opportunity") if "opportunity" in found else absent,
        faulty=np.zeros(len(metric), dtype=np.bool_),
        runs=present[:, None],
        lacking=np.where(present == MISSING, LACKING.index("unparsed"), 0).astype(np.int8),
        metrics=metrics,
        scenarios=scenarios,
        variants=tuple(_named(one) for one in axes),
        systems=systems,
        axes=axes,
    )


def _signs(table: RawTable, column: Column, name: str) -> Signs:
    """1, 0 or MISSING (n,); no other spelling is taken for either."""
    spelled = [value.strip().casefold() for value in column.values]
    for code, value in enumerate(spelled):
        if value not in PRESENT and value not in NO_VERDICT:
            row = int(np.flatnonzero(column.codes == code)[0])
            raise UserError(
                f"'{column.values[code]}' is no verdict",
                where=table.where(row, name),
                expected="1 or 0, present or absent, true or false, or nothing",
            )
    signs = np.array([*(PRESENT.get(value, MISSING) for value in spelled), MISSING], dtype=np.int8)
    found: Signs = signs[column.codes]
    return found


def _coded(column: Column, *, sort: bool = True) -> tuple[tuple[str, ...], Codes]:
    """The values that occur, and the code (n,) of each row; a missing one is a value of its own."""
    column = column.compact()
    values = [*column.values, *([""] if column.is_missing.any() else [])]
    order = sorted(range(len(values)), key=lambda code: values[code]) if sort else list(range(len(values)))
    place = np.zeros(len(values), dtype=np.int32)
    place[order] = np.arange(len(values), dtype=np.int32)
    return tuple(values[code] for code in order), place[column.codes]


def _variants(
    columns: Sequence[Column], names: Sequence[str], n: int
) -> tuple[tuple[Mapping[str, str], ...], Codes]:
    """Every combination of the axes' values that occurs, in order of appearance, and each row's."""
    rows = list(zip(*columns, strict=True)) if columns else [()] * n
    seen = {row: place for place, row in enumerate(dict.fromkeys(rows))}
    axes = tuple({name: value or "" for name, value in zip(names, row, strict=True)} for row in seen)
    return axes, np.array([seen[row] for row in rows], dtype=np.int32)


def _named(axes: Mapping[str, str]) -> str:
    return ",".join(f"{name}={value}" for name, value in axes.items()) or NEUTRAL


def _check_passed(table: RawTable, column: Column, outcomes: Outcomes) -> None:
    stated = _signs(table, column, "passed")
    differ = np.flatnonzero(stated != passes(outcomes.present, outcomes.polarity))
    if len(differ):
        said = column[int(differ[0])]
        raise UserError(
            f"passed is '{said}', and verdict and polarity say otherwise in {len(differ):,} rows",
            where=table.where(int(differ[0]), "passed"),
            expected="present passes on a positive metric, absent on a negative one",
        )


def _check_places(table: RawTable, outcomes: Outcomes) -> None:
    parts = (outcomes.metric, outcomes.scenario, outcomes.variant, outcomes.system, outcomes.repeat)
    key = np.ravel_multi_index(parts, tuple(int(part.max(initial=0)) + 1 for part in parts))
    again = np.setdiff1d(np.arange(len(key)), np.unique(key, return_index=True)[1])
    if len(again):
        raise UserError(
            "a conversation stands there twice",
            where=table.where(int(again[0])),
            expected="one row a metric, scenario, variant, system and repeat",
            fix="number the repeats in a column repeat",
        )
