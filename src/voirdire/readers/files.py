"""A file's bytes: unpacked where gzipped, hashed as they lie on the disk, and decoded to text."""

from __future__ import annotations

import gzip
import hashlib
import io
import zlib
from dataclasses import dataclass
from pathlib import Path

from voirdire.errors import UserError
from voirdire.study.ratings import Source

__all__ = ["FileBytes", "Text", "decode", "hash_file", "read_bytes"]

MOST_BYTES = 4 * 1024**3
CHUNK = 1 << 20
MAGIC = {
    b"PK\x03\x04": "a zip archive or an Excel workbook",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook",
    b"PAR1": "a Parquet file",
    b"SQLite format 3": "an SQLite database",
    b"%PDF": "a PDF file",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"ARROW1": "an Arrow file",
    b"\x1f\x8b": "a gzip file",
}
BYTE_ORDER_MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


@dataclass(frozen=True)
class FileBytes:
    """A file's content after unpacking, and where it came from."""

    source: Source
    data: bytes


@dataclass(frozen=True)
class Text:
    """Bytes known to decode as ``encoding``, and how that was found ('' for UTF-8 and where declared)."""

    data: bytes
    encoding: str
    note: str

    def lines(self) -> io.TextIOWrapper:
        """The text as a stream that keeps line ends as they are."""
        return io.TextIOWrapper(io.BytesIO(self.data), encoding=self.encoding, newline="")


def hash_file(path: Path) -> str:
    """SHA-256 of the file at ``path``, in hexadecimal."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as problem:
        raise _unreadable(path, problem) from None


def read_bytes(path: Path) -> FileBytes:
    """The bytes of the file at ``path``, unpacked where its name ends in .gz."""
    try:
        packed = path.read_bytes()
    except OSError as problem:
        raise _unreadable(path, problem) from None
    source = Source(path.name, hashlib.sha256(packed).hexdigest())
    return FileBytes(source, _unpack(packed, path.name) if path.suffix.lower() == ".gz" else packed)


def decode(file: FileBytes, encoding: str = "") -> Text:
    """Find the encoding: as declared, by byte order mark, UTF-16 by its zeros, UTF-8, else cp1252."""
    name, data = file.source.name, file.data
    found = encoding or _guess(data)
    kind = next((kind for magic, kind in MAGIC.items() if data.startswith(magic)), None)
    if kind is not None:
        raise UserError(f"this is {kind}, not text", where=name, fix="save the table as CSV or JSON Lines")
    try:
        header = data.decode(found)[:2000].partition("\n")[0]
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        raise UserError(
            f"byte {problem.start + 1:,} is not {found} text",
            where=f"{name}, row {line:,}",
            fix="save it as UTF-8",
        ) from None
    except (LookupError, ValueError):
        raise UserError(
            f"no text encoding named '{found}'", where=name, expected="utf-8, utf-16 or cp1252"
        ) from None
    if "\x00" in header:
        raise UserError(
            "begins with NUL bytes, so it is not text", where=name, fix="save the table as UTF-8 text"
        )
    note = "" if encoding or found == "utf-8" else f"{name} was read as {found}, found from its bytes."
    return Text(data, found, note)


def _guess(data: bytes) -> str:
    for mark, encoding in BYTE_ORDER_MARKS.items():
        if data.startswith(mark):
            return encoding
    head = data[:2000]
    for encoding, zeros in (("utf-16-le", head[1::2]), ("utf-16-be", head[0::2])):
        if len(zeros) > 3 and zeros.count(0) > 0.8 * len(zeros):
            return encoding
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def _unpack(packed: bytes, name: str) -> bytes:
    parts: list[bytes] = []
    size = 0
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(packed)) as file:
            while part := file.read(CHUNK):
                size += len(part)
                if size > MOST_BYTES:
                    raise UserError(
                        f"unpacks to over {MOST_BYTES >> 30} GB", where=name, fix="convert it to Parquet"
                    )
                parts.append(part)
    except (OSError, EOFError, zlib.error) as problem:
        raise UserError(f"is not a whole gzip file ({problem})", where=name, fix="pack it again") from None
    return b"".join(parts)


def _unreadable(path: Path, problem: OSError) -> UserError:
    return UserError(f"cannot be read: {problem.strerror or problem}", where=str(path))
