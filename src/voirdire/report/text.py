"""The summary for a terminal: the answer, the headline table and what to do next, on one screen."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from io import StringIO

from rich.console import Console, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from voirdire.checks.audit import Audit, StandIn
from voirdire.registry import register
from voirdire.report import wording
from voirdire.report.cells import VERDICTS, show
from voirdire.report.headline import headline

__all__ = ["text"]

GLYPHS = {"yes": "●", "no": "■", "cannot tell": "◌"}
URGENT: dict[str, int] = {"no": 0, "yes": 1, "cannot tell": 2}
ACTIONS = 3
MOST_ASSUMED = 5


@register("report", "text")
def text(audit: Audit, *, width: int | None = None, height: int | None = None) -> str:
    """The audit's answer, headline and next steps as text, at most ``height`` lines of ``width`` columns.

    Both default to the terminal's size, or 100 by 40; a terminal under 80 by 24 gets that.
    """
    terminal = shutil.get_terminal_size((100, 40))
    columns = min(max(width or terminal.columns, 80), 100)
    lines = max(height or terminal.lines, 24)
    above = _print(_top(audit), columns)
    below = _print(_bottom(audit), columns)
    room = lines - above.count("\n") - below.count("\n") - 1
    compared = [entry for entry in audit.stand_in if entry.judge]
    middle = "" if compared else _print(_answers(audit, room), columns)
    for rows in range(min(len(compared), max(room // 2, 1)), 0, -1):
        middle = _print(_table(audit, compared, rows, columns), columns)
        if middle.count("\n") <= room:
            break
    left = lines - sum(part.count("\n") for part in (above, middle, below)) - 1
    below = _print(_assumed(audit, left), columns) + below
    return "\n".join(line.rstrip() for line in (above + middle + below).splitlines())


def _top(audit: Audit) -> list[RenderableType]:
    study = audit.study
    parts: list[RenderableType] = []
    if study.demo:
        parts.append(Text(study.demo))
    parts += (
        [Text(_clean(audit.answer)), Text(_clean(audit.lede))] if audit.lede else [Text(_clean(audit.answer))]
    )
    facts = " · ".join(f"{name}: {fact}" for name, fact in audit.facts.items())
    return [*parts, Text(_clean(facts)), Text("")]


def _table(audit: Audit, compared: Sequence[StandIn], rows: int, width: int) -> list[RenderableType]:
    grid = Grid(box=None, pad_edge=False, padding=(0, 2, 0, 0), width=width, header_style="")
    table = headline(audit, ())
    names = [column.key for column in table.columns if column.key in ("metric", "judge")]
    titles = {names[0]: names[0].capitalize(), "answer": "May it stand in?"}
    titles |= {"judge_person": "Judge–person", "person_person": "Person–person"}
    for key, title in titles.items():
        number = key.endswith("person")
        grid.add_column(
            title,
            justify="right" if number else "left",
            no_wrap=True,
            overflow="ellipsis",
            ratio=None if number else 1,
            min_width=17 if number else None,
        )
    shown = sorted(compared, key=lambda entry: URGENT[entry.answer])[:rows]
    table = headline(audit, shown)
    columns = {column.key: column for column in table.columns}
    for entry, row in zip(shown, table.rows, strict=True):
        cells = {key: show(row.cells.get(key), columns[key]) for key in titles}
        first = f"{entry.judge}: " if len(names) > 1 else ""
        grid.add_row(
            Text(f"{_clean(first + cells[names[0]].text)}\n{_clean(cells[names[0]].second)}"),
            Text(f"{GLYPHS[entry.answer]} {VERDICTS[entry.answer][1]}\n{_clean(entry.reason)}"),
            *(Text(f"{cells[key].text}\n{cells[key].second}") for key in ("judge_person", "person_person")),
        )
    more = len(compared) - rows
    return [grid, *([Text(f"and {wording.count(more)} more rows")] if more > 0 else []), Text("")]


def _answers(audit: Audit, room: int) -> list[RenderableType]:
    """Where no judge is compared with people: what the other checks answer."""
    found = [finding for finding in audit.findings if finding.answer and finding.answer != audit.answer]
    said = [_clean(f"{finding.question} {finding.answer}") for finding in found]
    lines = [Text(one, no_wrap=True, overflow="ellipsis") for one in said]
    return [*lines[: max(room - 1, 1)], *([Text("")] if lines else [])]


def _assumed(audit: Audit, room: int) -> list[RenderableType]:
    """What was assumed of the source, the last first, for labels come last; as much as there is room for."""
    notes = [_clean(note) for note in reversed(audit.study.assumptions)]
    shown = min(len(notes), MOST_ASSUMED, room - 3)
    if shown < 1:
        return []
    more = f", and {len(notes) - shown:,} more in the report" if shown < len(notes) else ""
    lines = [Text(f"- {note}", no_wrap=True, overflow="ellipsis") for note in notes[:shown]]
    return [Text(f"Assumed{more}"), *lines, Text("")]


def _bottom(audit: Audit) -> list[RenderableType]:
    if not audit.actions:
        return [Text("Next: nothing to ask for.")]
    parts: list[RenderableType] = [Text("What to do next")]
    for place, action in enumerate(audit.actions[:ACTIONS], start=1):
        cost = f" ({action.cost})" if action.cost else ""
        line = Text(f"{place} {_clean(action.what + cost)}", no_wrap=True, overflow="ellipsis")
        parts.append(line)
    return parts


def _print(parts: list[RenderableType], width: int) -> str:
    console = Console(file=StringIO(), width=width, color_system=None, legacy_windows=False, highlight=False)
    for part in parts:
        if isinstance(part, Text):
            console.print(part, no_wrap=part.no_wrap, overflow=part.overflow)
        else:
            console.print(part)
    file = console.file
    assert isinstance(file, StringIO), "the console writes where it was told"
    return file.getvalue()


def _clean(words: str) -> str:
    """One line without control characters: no text of a user's can move the cursor or colour the screen."""
    return "".join(character if character.isprintable() else " " for character in words)
