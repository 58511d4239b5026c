"""Malformed files and declarations end in a study or in a UserError, never in anything else."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from voirdire.errors import UserError
from voirdire.opening import open as open_study
from voirdire.study import Study

QUICK = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
HEADER = "item_id,metric,rater_id,rater_kind,label,run,status,prob_pass,system,text"
LONG = (
    f"{HEADER}\na,tone,Ann,human,pass,0,ok,0.5,m,hello\na,tone,gpt-4,judge,fail,0,ok,,m,hello\n"
    'b,tone,Ann,human,"pass, almost",1,ok,1,n,"two\nlines"\nb,style,gpt-4,judge,,0,unparsed,,n,\n'
)
WIDE = "item,Ann,Bo,gpt-4\na,1,2,3\nb,2,,1\nc,3,3,3\n"
YAML = """name: ours
tables:
  - {file: labels.csv, columns: {label: label}, map: {pass: yes}}
metrics:
  tone:
    scale: {labels: [yes, fail, 'pass, almost'], indeterminate: {'pass, almost': [yes, fail]}}
    policy: as fail
  "*": {scale: {kind: numeric, low: 0, high: 1}}
raters: {gpt-4: {kind: judge, map: {fail: yes}}}
clusters: [system]
missing: [NA, '']
normalise: [trim]
"""

CORPUS = {
    "empty": "",
    "only a newline": "\n",
    "only commas": ",,,\n,,,\n",
    "header only": HEADER + "\n",
    "one column": "label\npass\n",
    "one cell": "x",
    "duplicate columns": "item_id,label,label,rater_id\na,1,2,A\n",
    "ragged": f"{HEADER}\na\nb,c\n,,,,,,,,,,,,,\n",
    "unclosed quote": 'item_id,rater_id,label\na,A,"pass\nb,A,fail\n',
    "quotes in odd places": 'item_id,rater_id,label\na"b,A,pa"ss\n"a"b,A,"x"y\n',
    "empty ids": "item_id,rater_id,label\n,A,1\n ,A,1\n",
    "mixed scales": "item_id,rater_id,label\na,A,1\nb,A,pass\nc,A,0.5\nd,A,[]\n",
    "numbers beyond reach": "item_id,rater_id,label\na,A,1e400\nb,A,-1e400\nc,A,9" + "9" * 5000 + "\n",
    "no probabilities": "item_id,rater_id,label,prob_a,prob_\na,A,1,2,x\nb,A,1,-1,\nc,A,1,inf,\nd,A,1,abc,\n",
    "script": "item_id,rater_id,label\n<script>alert(1)</script>,\u202eA,'; DROP TABLE x; --\n",
    "formulas": "item_id,rater_id,label\n=1+1,@SUM(A1),+cmd|' /C calc'!A0\n",
    "huge cell": "item_id,rater_id,label\na,A," + "x" * 1_000_000 + "\n",
    "many columns": ",".join(f"c{n}" for n in range(5000)) + "\n" + ",".join("1" * 5000) + "\n",
    "self parents": "item_id,rater_id,label,variant_of\na,A,1,a\nb,A,1,c\nc,A,1,b\n",
    "two kinds": "item_id,rater_id,rater_kind,label\na,A,human,1\nb,A,judge,1\nc,A,,1\n",
    "status soup": "item_id,rater_id,label,status\na,A,1,OK\nb,A,,ok\nc,A,1,\nd,A,x,Nonsense\n",
    "reserved names twice": "item_id,Item ID,rater,rater_id,label,Label\na,b,A,B,1,2\n",
    "spaces for names": "item_id,rater_id,label, ,  \na,A,1,2,3\n",
    "null bytes": "item_id,rater_id,label\na\x00,A,1\x00\n",
    "only missing labels": "item_id,rater_id,label\na,A,NA\nb,A,\n",
    "odd line ends": "item_id,rater_id,label\ra,A,1\rb,A,2\r",
    "wide without labels": "item,Ann,Bo\na,,\nb,,\n",
}


def opens_or_says(path: Any, **options: Any) -> Study | None:
    """Open ``path``; a mistake must be one readable text, whatever the input was."""
    mistake = ""
    try:
        return open_study(path, **options)
    except UserError as problem:
        mistake = str(problem)
    assert mistake.strip()
    assert mistake.encode()
    return None


def exports(study: Study | None, folder: Path) -> None:
    """A study that opened can also be written, or says why not."""
    if study is not None:
        with contextlib.suppress(UserError):
            study.export(str(folder / "out.csv"))


@pytest.mark.parametrize("case", CORPUS)
@pytest.mark.parametrize(
    "options", [{}, {"missing": []}, {"wide": ["Ann", "Bo"]}, {"columns": {"label": "label"}}]
)
def test_handwritten_files(tmp_path: Path, case: str, options: dict[str, Any]) -> None:
    path = tmp_path / "labels.csv"
    path.write_bytes(CORPUS[case].encode())
    exports(opens_or_says(path, **options), tmp_path)


def mutated(text: str) -> st.SearchStrategy[bytes]:
    """The bytes of ``text`` with a few places cut, doubled, replaced or filled with anything."""
    data = text.encode()
    place = st.integers(0, len(data))
    piece = st.one_of(
        st.binary(max_size=6),
        st.sampled_from([b",", b'"', b"\n", b"\r", b";", b"\xff\xfe", b"\x00", b"[", b"{", b"*", b": "]),
    )
    edits = st.lists(st.tuples(place, st.integers(0, 12), piece), max_size=4)

    def edit(places: list[tuple[int, int, bytes]]) -> bytes:
        changed = data
        for at, length, new in places:
            changed = changed[:at] + new + changed[at + length :]
        return changed

    return edits.map(edit)


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "json", "csv.gz", "txt"])
@given(data=st.binary(max_size=200))
@QUICK
def test_any_bytes(tmp_path: Path, suffix: str, data: bytes) -> None:
    path = tmp_path / f"labels.{suffix}"
    path.write_bytes(data)
    exports(opens_or_says(path), tmp_path)


@pytest.mark.parametrize("text", [LONG, WIDE], ids=["long", "wide"])
@given(data=st.data())
@QUICK
def test_damaged_tables(tmp_path: Path, text: str, data: st.DataObject) -> None:
    path = tmp_path / "labels.csv"
    path.write_bytes(data.draw(mutated(text)))
    exports(opens_or_says(path), tmp_path)


@given(data=mutated(YAML))
@QUICK
def test_damaged_declarations(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "labels.csv").write_text(LONG)
    (tmp_path / "study.yaml").write_bytes(data)
    exports(opens_or_says(tmp_path), tmp_path)


KEYS = [
    "name",
    "tables",
    "metrics",
    "raters",
    "scale",
    "labels",
    "file",
    "kind",
    "map",
    "low",
    "high",
    "values",
    "*",
]
KEYS += [
    "indeterminate",
    "clusters",
    "slices",
    "missing",
    "normalise",
    "population",
    "columns",
    "set",
    "tone",
    "policy",
]
scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.sampled_from(KEYS)
)
trees = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.one_of(st.sampled_from(KEYS), scalars), inner, max_size=5),
    ),
    max_leaves=15,
)


@given(config=st.dictionaries(st.sampled_from(KEYS), trees, max_size=6))
@QUICK
def test_declarations_of_wrong_types(tmp_path: Path, config: dict[str, Any]) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(LONG)
    exports(opens_or_says(path, config=config), tmp_path)


@given(document=trees)
@QUICK
def test_json_of_any_shape(tmp_path: Path, document: Any) -> None:
    path = tmp_path / "labels.json"
    path.write_text(json.dumps(document, default=str, skipkeys=True))
    exports(opens_or_says(path), tmp_path)


@given(
    frame=st.one_of(
        trees, st.dictionaries(st.sampled_from(HEADER.split(",")), st.lists(trees, min_size=2, max_size=2))
    )
)
@QUICK
def test_frames_of_any_shape(tmp_path: Path, frame: Any) -> None:
    if not isinstance(frame, str):
        exports(opens_or_says(frame), tmp_path)


@given(cut=st.integers(0, 3000), fill=st.binary(max_size=40))
@settings(QUICK, max_examples=25)
def test_damaged_parquet(tmp_path: Path, cut: int, fill: bytes) -> None:
    whole = tmp_path / "whole.parquet"
    if not whole.exists():
        open_study({"item_id": ["a", "b"], "rater_id": ["A", "A"], "label": ["pass", None]}).export(
            str(whole)
        )
    data = whole.read_bytes()
    damaged = tmp_path / "labels.parquet"
    at = cut % len(data)
    damaged.write_bytes(data[:at] + fill + data[at + len(fill) :])
    exports(opens_or_says(damaged), tmp_path)


@pytest.mark.parametrize(
    "frame",
    [
        {"item_id": [None], "metric": [None], "rater_id": [None], "label": [None], "prob_pass": [[]]},
        {"item_id": [None], "rater_id": [None], "rater_kind": [None], "label": [None], "system": [None]},
        {
            "item_id": ["a"],
            "rater_id": [["A"]],
            "label": [{"verdict": "pass"}],
            "run": [None],
            "model": [None],
        },
        {"item": [0], "Ann": [None], "Bo": [None]},
    ],
)
def test_handwritten_frames(tmp_path: Path, frame: dict[str, Any]) -> None:
    exports(opens_or_says(frame), tmp_path)


def test_nested_beyond_reason(tmp_path: Path) -> None:
    deep: Any = "x"
    for _ in range(5000):
        deep = [deep]
    path = tmp_path / "labels.csv"
    path.write_text(LONG)
    for config in ({"metrics": deep}, {"tables": deep}, {"population": deep}):
        assert opens_or_says(path, config=config) is None
    opens_or_says({"item_id": ["a"], "rater_id": ["A"], "label": [deep]})  # Python says how deep is too deep


def test_expanding_aliases_are_refused_before_they_expand(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x]"] + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    (tmp_path / "study.yaml").write_text("\n".join(lines))
    with pytest.raises(UserError, match="alias"):
        open_study(tmp_path)
