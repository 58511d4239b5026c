"""CSV and TSV: delimiter, encoding, rows and ragged records."""

from __future__ import annotations

import csv
import gzip
import hashlib
from pathlib import Path

import pytest

from voirdire.errors import UserError, UserErrors
from voirdire.readers.delimited import read_delimited
from voirdire.study.raw import RawTable

TABLE = "item_id,rater_id,label\na,Zoë,pass\nb,Bo,“fail”\n"


def read(folder: Path, data: bytes | str, name: str = "labels.csv", **options: str) -> RawTable:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return read_delimited(path, **options)


def rows(table: RawTable) -> list[tuple[str | None, ...]]:
    return list(zip(*table.columns.values(), strict=True))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_encoding_line_end_and_delimiter_are_found(
    tmp_path: Path, encoding: str, end: str, delimiter: str
) -> None:
    text = TABLE.replace(",", delimiter).replace("\n", end)
    table = read(tmp_path, text.encode(encoding))
    assert list(table.columns) == ["item_id", "rater_id", "label"]
    assert rows(table) == [("a", "Zoë", "pass"), ("b", "Bo", "“fail”")]
    assert (encoding == "utf-8") == (not any("was read as" in note for note in table.notes))
    assert (delimiter == ",") == (not any("between cells" in note for note in table.notes))


def test_a_tab_is_usual_in_tsv(tmp_path: Path) -> None:
    assert read(tmp_path, TABLE.replace(",", "\t"), "labels.tsv").notes == ()


def test_declared_delimiter_and_encoding_are_not_assumptions(tmp_path: Path) -> None:
    table = read(tmp_path, TABLE.replace(",", ";").encode("cp1252"), encoding="cp1252", delimiter=";")
    assert rows(table)[0] == ("a", "Zoë", "pass")
    assert len(table.notes) == 1


def test_rows_are_the_lines_that_records_start_on(tmp_path: Path) -> None:
    table = read(tmp_path, 'item_id,text\na,"one\ntwo"\n\nb,"three\r\nfour, ""five"""\nc,six\n')
    assert table.row.tolist() == [2, 5, 7]
    assert rows(table)[1] == ("b", 'three\r\nfour, "five"')


def test_every_ragged_record_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    table = read(tmp_path, "item_id,label\na,pass\nb\nc,fail,x\nd,pass\n")
    assert rows(table) == [("a", "pass"), ("d", "pass")]
    assert isinstance(table.problem, UserErrors)
    assert [fault.where for fault in table.problem.faults] == ["labels.csv, row 3", "labels.csv, row 4"]


@pytest.mark.parametrize(
    ("text", "row", "what"),
    [
        ('item_id,label\na,pass\nb,"fail\nc,pass\n', 3, "never closed"),
        ('item_id,label\na,"pa"ss\nb,fail\n', 2, "not well quoted"),
    ],
)
def test_a_broken_quote_does_not_swallow_rows(tmp_path: Path, text: str, row: int, what: str) -> None:
    try:
        problem = read(tmp_path, text).problem
    except UserError as raised:
        problem = raised
    assert problem is not None
    assert problem.faults[0].where == f"labels.csv, row {row}"
    assert what in problem.faults[0].what


def test_twenty_faults_are_shown_and_all_are_counted(tmp_path: Path) -> None:
    table = read(tmp_path, "item_id,label\na,pass\n" + "x\n" * 5000)
    assert isinstance(table.problem, UserErrors)
    assert table.problem.total == 5000
    assert len(table.problem.faults) == 20
    assert "... and 4,980 more" in str(table.problem)


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"", "is empty"),
        (b"\n\n", "is empty"),
        (b"item_id,label\n", "has a header and no rows"),
        (b"item_id,label\nx\n", "1 cells"),
        (b"label,item_id,label\n1,2,3\n", "both named 'label'"),
        (b"PK\x03\x04" + b"\x00" * 50, "zip archive or an Excel workbook"),
        (b"\x00\x00\x00\x00\x01\x02", "NUL bytes"),
        (b"a,b\n1,\x81\x8d\n", "is not cp1252 text"),
    ],
)
def test_what_is_no_table_is_said_in_one_line(tmp_path: Path, data: bytes, what: str) -> None:
    with pytest.raises(UserError) as caught:
        read(tmp_path, data)
    assert what in str(caught.value)
    assert "labels.csv" in str(caught.value)


def test_a_column_without_a_name_is_named_or_left_out(tmp_path: Path) -> None:
    table = read(tmp_path, ",item_id,label,\n7,a,pass,\n8,b,fail,\n")
    assert list(table.columns) == ["column 1", "item_id", "label"]
    assert any("column 1" in note for note in table.notes)


def test_blank_lines_above_the_header_are_passed_over(tmp_path: Path) -> None:
    table = read(tmp_path, "\n,\nitem_id,label\na,pass\n")
    assert list(table.columns) == ["item_id", "label"]
    assert table.row.tolist() == [4]


def test_gzip_is_unpacked_and_a_broken_one_is_said(tmp_path: Path) -> None:
    packed = gzip.compress(TABLE.encode())
    assert rows(read(tmp_path, packed, "labels.csv.gz"))[0] == ("a", "Zoë", "pass")
    for broken in (packed[:20], b"not packed at all", packed[:-8] + b"\x00" * 8):
        with pytest.raises(UserError, match="not a whole gzip file"):
            read(tmp_path, broken, "labels.csv.gz")


def test_long_cells_are_read_and_the_csv_modules_limit_is_put_back(tmp_path: Path) -> None:
    before = csv.field_size_limit()
    table = read(tmp_path, f"item_id,text\na,{'long ' * 100_000}\n")
    assert len(table.columns["text"][0] or "") == 500_000
    assert csv.field_size_limit() == before


def test_the_source_is_named_and_hashed(tmp_path: Path) -> None:
    table = read(tmp_path, "item_id,label\na,pass\n")
    assert table.source.name == "labels.csv"
    assert table.source.sha256 == hashlib.sha256(b"item_id,label\na,pass\n").hexdigest()


@pytest.mark.parametrize("encoding", ["utf-9", "hex", "undefined", "utf\0", "é"])
def test_an_encoding_that_is_none_is_a_mistake(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("item_id,label\na,yes\n")
    with pytest.raises(UserError, match="no text encoding named"):
        read_delimited(path, encoding=encoding)
