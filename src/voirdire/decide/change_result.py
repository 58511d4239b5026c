"""Change: the result of a comparison of two studies, in sentences first, then in tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from voirdire.align.plain import plain
from voirdire.decide.change_causes import Headline
from voirdire.decide.change_items import ItemChange
from voirdire.decide.change_judge import AlignedChange, Flip, JudgeChange
from voirdire.decide.change_people import PeopleChange
from voirdire.decide.drift import Drift
from voirdire.decide.lines import aligned, folded, printable
from voirdire.stats.estimate import Estimate

__all__ = ["Change"]

FORMAT = "voirdire-compare/1"
SHOWN = 10
Table = tuple[str, list[list[str]]]


@dataclass(frozen=True)
class Change:
    """What changed between the studies named ``old`` and ``new``.

    ``judges`` hold one row a judge and metric on shared items, ``aligned`` both judges aligned to the same
    labels, ``flips`` the items with another verdict, ``headlines`` the figures' changes by cause, ``drift``
    whether people's labels of further items still follow from the judge's output.
    """

    old: str
    new: str
    tolerance: float
    level: float
    judges: tuple[JudgeChange, ...] = ()
    aligned: tuple[AlignedChange, ...] = ()
    flips: tuple[Flip, ...] = ()
    items: ItemChange | None = None
    people: PeopleChange | None = None
    headlines: tuple[Headline, ...] = ()
    drift: tuple[Drift, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def block(self) -> bool:
        """Whether the new judge must not replace the old one, or people's labels drifted."""
        return any(one.outcome == "block" for one in self.aligned) or any(one.alarm for one in self.drift)

    @property
    def sentences(self) -> tuple[str, ...]:
        """What changed, one sentence each."""
        return tuple(printable(line) for line in self._sentences())

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        found = {"schema": FORMAT, "block": self.block, "sentences": list(self.sentences), **plain(self)}
        found["drift"] = [one.to_dict() for one in self.drift]
        return found

    def to_markdown(self) -> str:
        """Sentences as a list, then the tables, with every flip."""
        parts = [f"# {_cell(self.old)} against {_cell(self.new)}", ""]
        parts += [f"- {_cell(line)}" for line in self.sentences]
        for title, rows in self._tables(len(self.flips)):
            parts += ["", f"## {title}", ""]
            head, *body = [[_cell(cell) for cell in row] for row in rows]
            lines = [head, ["---"] * len(head), *body]
            parts += [f"| {' | '.join(row)} |" for row in lines]
        return "\n".join(parts) + "\n"

    def __str__(self) -> str:
        parts = [line for sentence in self.sentences for line in folded(sentence)]
        for title, rows in self._tables(SHOWN):
            parts += ["", title, *aligned(rows)]
        return "\n".join(parts)

    def _sentences(self) -> Iterator[str]:
        for one in self.aligned:
            yield _of_aligned(one)
        if self.judges:
            moved = sum(one.flipped.value > 0 for one in self.judges)
            n = len({(flip.item, flip.metric, flip.judge) for flip in self.flips})
            total = sum(one.n_shared for one in self.judges)
            yield (
                f"Judge: {n:,} of {total:,} verdicts on shared items are others, on {moved} of "
                f"{len(self.judges)} metrics."
            )
        if self.items is not None:
            yield from _of_items(self.items)
        if self.people is not None:
            yield from _of_people(self.people)
        yield from (_of_headline(one) for one in self.headlines)
        yield from (one.sentence for one in self.drift)
        yield from (note for one in self.drift for note in one.notes)
        yield from self.notes

    def _tables(self, most: int) -> Iterator[Table]:
        if self.judges:
            yield "The judge on shared items", _judge_rows(self.judges)
        if self.headlines:
            yield "What moved", _cause_rows(self.headlines)
        if self.items is not None and self.items.n_added and self.items.stability:
            rows = [[one.metric, f"{one.psi:.3f}", f"{one.by_chance:.3f}"] for one in self.items.stability]
            yield "Stability of verdicts on new items (PSI)", [["metric", "PSI", "by chance"], *rows]
        if self.people is not None and self.people.labels:
            rows = [
                [one.metric, f"{one.n_items:,}", one.mean_name, str(one.change)] for one in self.people.labels
            ]
            yield "People's labels of shared items", [["metric", "items", "figure", "change"], *rows]
        if self.flips:
            shown = self.flips[:most]
            rows = [[one.item, one.metric, one.judge, one.old, one.new, one.people] for one in shown]
            more = f" (the first {most} of {len(self.flips):,})" if len(self.flips) > most else ""
            yield f"Other verdicts{more}", [["item", "metric", "judge", "was", "is", "people"], *rows]


def _of_aligned(one: AlignedChange) -> str:
    word = {"block": "BLOCK", "clear": "CLEAR", "cannot tell": "CANNOT TELL"}[one.outcome]
    name = one.judge[1] if one.judge[0] == one.judge[1] else f"{one.judge[1]} for {one.judge[0]}"
    return f"{word}: {name} on {', '.join(one.metrics)}: {one.why}."


def _of_items(found: ItemChange) -> Iterator[str]:
    yield (
        f"Items: {found.n_shared:,} in both, {found.n_removed:,} removed, {found.n_added:,} added"
        + (f", {len(found.edited):,} with another text under the same id" if found.edited else "")
        + "."
    )
    if found.auc.undefined is None:
        told = "are told from" if found.shifted else "are not told from"
        yield (
            f"New items {told} old ones by {_some(found.features)} (AUC {found.auc.value:.2f}, "
            f"p {found.p:.3f}); {100 * found.outside:.0f} % have a value that no old item has."
        )
    if found.advice:
        yield found.advice


def _of_people(found: PeopleChange) -> Iterator[str]:
    if not found.stayed and not found.joined:
        yield "People: the new study has no human labels; those of the old one are used."
    elif found.left or found.joined:
        yield (
            f"People: {len(found.stayed):,} stayed, {len(found.left):,} left, {len(found.joined):,} joined."
        )
    if found.relabelled:
        yield f"{found.relabelled:,} of {found.repeated:,} labels by the same person on an item are others."
    for metric, parts in found.reworded.items():
        yield f"{metric}: {', '.join(parts)} changed."
    for one in found.labels:
        if one.change.has_interval and not one.change.low <= 0 <= one.change.high:
            yield f"People's labels of shared items moved on {one.metric}: {one.mean_name} by {one.change}."


def _of_headline(one: Headline) -> str:
    if one.change.undefined is not None:
        return f"{one.name}: {one.change}."
    surely = [cause for cause in one.causes if cause.more_than_noise]
    if not one.causes:
        return f"{_capital(one.name)}: {_figure(one.old)}, unchanged."
    parts = ", ".join(f"{cause.name} {_signed(cause.change)}" for cause in one.causes)
    more = (
        "more than noise: " + ", ".join(cause.name for cause in surely) if surely else "none more than noise"
    )
    return f"{_capital(one.name)}: {_figure(one.old)} to {_figure(one.new)}; {parts}; {more}."


def _judge_rows(judges: Sequence[JudgeChange]) -> list[list[str]]:
    head = [
        "judge",
        "metric",
        "items",
        "flipped",
        "labelled",
        "agreement",
        "change",
        "kappa",
        "change",
        "mean",
        "change",
    ]
    return [
        head,
        *(
            [
                one.judge[1],
                one.metric,
                f"{one.n_shared:,}",
                _figure(one.flipped),
                f"{one.n_labelled:,}",
                f"{_figure(one.agreement.old)} to {_figure(one.agreement.new)}",
                str(one.agreement.change),
                f"{_figure(one.kappa.old)} to {_figure(one.kappa.new)}",
                str(one.kappa.change),
                f"{one.mean_name} {_figure(one.mean.old)} to {_figure(one.mean.new)}",
                str(one.mean.change),
            ]
            for one in judges
        ),
    ]


def _cause_rows(found: Sequence[Headline]) -> list[list[str]]:
    rows = [["figure", "cause", "change", ""]]
    for one in found:
        rows.append([one.name, f"{_figure(one.old)} to {_figure(one.new)}", str(one.change), ""])
        for cause in one.causes:
            rows.append(
                ["", cause.name, str(cause.change), "more than noise" if cause.more_than_noise else ""]
            )
    return rows


def _figure(one: Estimate) -> str:
    return "undefined" if one.undefined is not None else str(Estimate(one.value))


def _signed(one: Estimate) -> str:
    return f"{one.value:+.3f}".replace("-", "−")


def _some(names: Sequence[str]) -> str:
    """Up to four names, and how many more."""
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _cell(text: str) -> str:
    """Text that Markdown and HTML leave as it is."""
    plain_text = printable(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return plain_text.replace("\\", "\\\\").replace("|", "\\|")
