"""Kili's export: assets with labels become one record a rating."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from voirdire.errors import UserError
from voirdire.readers.answers import Answers, Told, as_label, free_names, records_of, said_left_out
from voirdire.study.faults import Faults
from voirdire.study.scales import as_number

__all__ = ["are_assets", "ratings_of_assets"]

LABELS = ("labels", "latestLabels")
MODELS = ("PREDICTION", "INFERENCE")
Record = dict[str, Any]


def are_assets(records: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the records look like Kili's assets, or its labels, and not like ratings."""
    return any(_is_asset(record) or _is_label(record) for record in records)


def ratings_of_assets(records: Sequence[Record], name: str) -> Told:
    """The ratings in ``records``, the number of the asset that each is from, and what was assumed.

    A reviewer saw the label under review, so labels of type REVIEW are marked as anchored; PREDICTION and
    INFERENCE are a judge's verdicts. Autosaved labels and versions that their author replaced are left out
    and counted. A label without any answer is a skip on every question.
    """
    faults = Faults()
    left_out: Counter[str] = Counter()
    numbers = _number_jobs(records)
    answers: list[Answers] = []
    for row, record in enumerate(records, start=1):
        where = f"{name}, {'label' if _is_label(record) else 'asset'} {row:,}"
        try:
            item = _item(record, row, where)
            for label in _labels(record):
                answers += _answer(label, item, row, (where, numbers, left_out))
        except UserError as problem:
            faults.collect(problem)
    faults.check()
    told = records_of(answers, name, "Kili assets")
    notes = said_left_out(left_out, name)
    return Told(told.records, told.rows, (*told.notes, *notes))


def _is_asset(record: Mapping[str, Any]) -> bool:
    labels = [one for key in LABELS for one in _objects(record.get(key))]
    labels += _objects([record.get("latestLabel")])
    named = "externalId" in record or "content" in record
    return named and (any("jsonResponse" in one for one in labels) or isinstance(record.get("labels"), list))


def _is_label(record: Mapping[str, Any]) -> bool:
    return "jsonResponse" in record and "labelType" in record and isinstance(record.get("labelOf"), dict)


def _item(record: Record, row: int, where: str) -> Record:
    """The asset's name, content and metadata."""
    if not _is_asset(record) and not _is_label(record):
        raise UserError("is no asset", where=where, expected="externalId and labels")
    asset = record["labelOf"] if _is_label(record) else record
    metadata = asset.get("jsonMetadata")
    own = dict(metadata) if isinstance(metadata, dict) else {}
    if asset.get("content"):
        own["text"] = asset["content"]
    return {"item_id": str(asset.get("externalId") or asset.get("id") or row), **free_names(own)}


def _labels(record: Record) -> list[Record]:
    if _is_label(record):
        return [record]
    listed = next((record[key] for key in LABELS if record.get(key)), [record.get("latestLabel")])
    return _objects(listed)


def _answer(
    label: Record, item: Record, row: int, given: tuple[str, set[str], Counter[str]]
) -> Iterator[Answers]:
    where, numbers, left_out = given
    kind = str(label.get("labelType") or "DEFAULT")
    if kind == "AUTOSAVE":
        left_out["autosaved labels"] += 1
        return
    if kind not in MODELS and label.get("isLatestLabelForUser") is False:
        left_out["versions of labels that their author replaced"] += 1
        return
    labels: dict[str, Any] = {}
    texts: dict[str, str] = {}
    beside: dict[str, Record] = {}
    for job, said in _jobs(_response(label, where)):
        categories = _objects(said.get("categories"))
        names = [one["name"] for one in categories if one.get("name") is not None]
        if "categories" in said:
            labels[job] = as_label(names)
            if kind in MODELS and len(names) == 1 and categories[0].get("confidence") is not None:
                beside[job] = {"confidence": categories[0]["confidence"]}
        elif isinstance(said.get("text"), str):
            (labels if job in numbers else texts)[job] = said["text"]
        else:
            left_out["answers that are no category and no text"] += 1
    common: Record = {"created_at": label.get("createdAt")}
    if kind == "REVIEW":
        common["anchored"] = "true"
    judge = kind in MODELS
    if judge and not labels:
        return
    yield Answers(
        item,
        row,
        str(label.get("modelName") or kind.lower()) if judge else _author(label, where),
        kind="judge" if judge else "human",
        labels=labels,
        texts=texts,
        cancelled=not labels and not texts and not _response(label, where),
        columns=common,
        beside=beside,
    )


def _response(label: Record, where: str) -> Record:
    """What was answered, by job; in tables it is spelled as JSON."""
    response = label.get("jsonResponse") or {}
    if isinstance(response, str):
        try:
            response = json.loads(response)
        except (ValueError, RecursionError) as problem:
            raise UserError(f"jsonResponse is not JSON ({problem})", where=where) from None
    if not isinstance(response, dict):
        raise UserError("jsonResponse is no object", where=where, expected="one entry a job")
    return response


def _jobs(response: Mapping[str, Any]) -> Iterator[tuple[str, Record]]:
    """Every job with its answer, the jobs inside a chosen category too."""
    for job, said in response.items():
        if not isinstance(said, dict):
            continue
        yield str(job), said
        for category in _objects(said.get("categories")):
            if isinstance(category.get("children"), dict):
                yield from _jobs(category["children"])


def _number_jobs(records: Sequence[Record]) -> set[str]:
    """The jobs whose answers in words are numbers, every one."""
    words: dict[str, bool] = {}
    for record in records:
        for label in _labels(record):
            response = label.get("jsonResponse")
            for job, said in _jobs(response if isinstance(response, dict) else {}):
                if isinstance(said.get("text"), str):
                    words[job] = words.get(job, True) and as_number(said["text"].strip()) is not None
    return {job for job, numeric in words.items() if numeric}


def _author(label: Record, where: str) -> str:
    author = label.get("author")
    who = author.get("email") or author.get("id") if isinstance(author, dict) else author
    if not who:
        raise UserError(
            "a label names no author",
            where=where,
            expected="author with an email or an id",
            fix="export in the format Kili (raw), with all labels",
        )
    return str(who)


def _objects(value: object) -> list[Record]:
    """The objects in a list, and none where it is no list."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
