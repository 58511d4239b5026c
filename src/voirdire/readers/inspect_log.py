"""Inspect's logs: the conversations and scores of an evaluation, from an ``.eval`` file or its JSON form."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from voirdire.errors import UserError
from voirdire.readers.files import MOST_BYTES, hash_file
from voirdire.readers.records import read_records
from voirdire.registry import register
from voirdire.study.ratings import Source
from voirdire.study.raw import RawTable

__all__ = ["is_log", "read_eval", "records_of_log"]

ATTACHED = "attachment://"
"""How a text begins that stands elsewhere in the sample, under the name that follows."""
HEADER = "header.json"
BEGUN = "_journal/start.json"
"""Where a log that was not finished says what is evaluated."""


@register("reader", "eval")
def read_eval(path: Path) -> RawTable:
    """Read an ``.eval`` file, one row a sample and epoch; the extra ``inspect`` unpacks it.

    Columns are ``item_id``, ``system`` (the model), ``repeat`` (the epoch, from 0), ``transcript``, ``ended``
    (``error`` where the sample failed), each scorer's value under its name, and the sample's metadata. A wide
    study of them names scorers as its raters.
    """
    source = Source(path.name, hash_file(path))
    try:
        with zipfile.ZipFile(path) as archive:
            records = list(_records(archive, path.name))
    except zipfile.BadZipFile:
        raise UserError("is no log of Inspect's", where=path.name, expected="a whole .eval file") from None
    return read_records(records, range(1, len(records) + 1), source)


def is_log(document: object) -> bool:
    """Whether a JSON document is a log of Inspect's.

    >>> is_log({"version": 2, "eval": {"model": "m"}, "samples": []})
    True
    """
    return isinstance(document, dict) and isinstance(document.get("eval"), dict) and "samples" in document


def records_of_log(document: Mapping[str, Any], where: str) -> list[dict[str, Any]]:
    """The rows of a log in its JSON form; see :func:`read_eval`."""
    model, samples = str(document["eval"].get("model", "")), document["samples"]
    if not isinstance(samples, list) or not samples:
        raise UserError("holds no samples", where=where, fix="evaluate with log_samples")
    return [_record(sample, model, f"{where}, row {row:,}") for row, sample in enumerate(samples, start=1)]


def _records(archive: zipfile.ZipFile, where: str) -> Iterator[dict[str, Any]]:
    names = archive.namelist()
    head = next((name for name in (HEADER, BEGUN) if name in names), None)
    samples = [name for name in names if name.startswith("samples/") and name.endswith(".json")]
    if head is None:
        raise UserError("is no log of Inspect's", where=where, expected=f"an archive with {HEADER}")
    if not samples:
        raise UserError("holds no samples", where=where, fix="evaluate with log_samples")
    if sum(archive.getinfo(name).file_size for name in samples) > MOST_BYTES:
        raise UserError(f"unpacks to over {MOST_BYTES >> 30} GB", where=where, fix="divide the evaluation")
    about = _load(archive, head, where).get("eval")
    model = str(about.get("model", "")) if isinstance(about, dict) else ""
    for name in samples:
        yield _record(_load(archive, name, where), model, f"{where}, {name}")


def _load(archive: zipfile.ZipFile, name: str, where: str) -> dict[str, Any]:
    place = f"{where}, {name}"
    _know_zstandard(archive.getinfo(name), where)
    try:
        loaded = json.loads(archive.read(name))
    except (ValueError, RecursionError) as problem:
        raise UserError(f"is not JSON ({problem})", where=place) from None
    except (zipfile.BadZipFile, EOFError, OSError, RuntimeError) as problem:
        raise UserError(f"cannot be unpacked: {problem}", where=place) from None
    if not isinstance(loaded, dict):
        raise UserError("is no object", where=place)
    return loaded


def _know_zstandard(member: zipfile.ZipInfo, where: str) -> None:
    """Let ``zipfile`` unpack Zstandard, which it does by itself from Python 3.14 on."""
    if member.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) or hasattr(
        zipfile, "ZIP_ZSTANDARD"
    ):
        return
    try:
        import zipfile_zstd  # noqa: F401
    except ImportError:
        raise UserError(
            "is packed with Zstandard", where=where, fix="pip install 'voirdire[inspect]'"
        ) from None


def _record(sample: Any, model: str, where: str) -> dict[str, Any]:
    try:
        return _row(sample, model)
    except (AttributeError, TypeError, ValueError):
        raise UserError("is no sample as Inspect writes them", where=where) from None


def _row(sample: Mapping[str, Any], model: str) -> dict[str, Any]:
    own = {
        "item_id": f"{sample.get('id')}/{sample.get('epoch', 1)}",
        "system": model,
        "repeat": max(int(sample.get("epoch") or 1) - 1, 0),
        "transcript": json.dumps(_messages(sample), ensure_ascii=False),
        "ended": "error" if sample.get("error") else None,
    }
    scores = {name: _plain(score.get("value")) for name, score in (sample.get("scores") or {}).items()}
    metadata = {name: _plain(value) for name, value in (sample.get("metadata") or {}).items()}
    return {**metadata, **scores, **own}


def _messages(sample: Mapping[str, Any]) -> list[dict[str, str]]:
    attached = sample.get("attachments") or {}
    return [
        {"role": str(one.get("role", "")), "content": _words(one.get("content"), attached)}
        for one in sample.get("messages") or ()
    ]


def _words(content: Any, attached: Mapping[str, str]) -> str:
    """The text of a message: of a list of parts the texts, and the kind of each other in brackets."""
    if isinstance(content, list):
        return "\n".join(filter(None, (_part(part, attached) for part in content)))
    text = str(content or "")
    if text.startswith(ATTACHED):
        return str(attached.get(text.removeprefix(ATTACHED), text))
    return text


def _part(part: Any, attached: Mapping[str, str]) -> str:
    if not isinstance(part, dict) or part.get("type") == "reasoning":
        return ""  # a model's reasoning is not said to anybody
    return _words(part["text"], attached) if isinstance(part.get("text"), str) else f"[{part.get('type')}]"


def _plain(value: Any) -> Any:
    """A cell: numbers, texts and truth values as they are, everything else as JSON."""
    if value is None or isinstance(value, str | int | float):
        return value
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
