"""``voirdire review`` from the command line: the links it prints, and that they open the pages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from review.studies import write_study
from voirdire.cli.main import app
from voirdire.review.desk import open_desk
from voirdire.review.people import find_link
from voirdire.web.app import create_app
from voirdire.web.site import Site


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app(), ["review", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, result.output


@pytest.fixture
def study(tmp_path: Path) -> str:
    return str(write_study(tmp_path / "study"))


def test_the_links_open_the_pages_and_stay(study: str) -> None:
    code, first = run(study, "--rater", "Ann", "--rater", "Bo:4", "--metric", "kind", "--links")
    assert code == 0
    found = re.findall(r"^(Organiser|Rater R\d \(\w+\)) +(\S+)$", first, re.MULTILINE)
    assert [name for name, _ in found] == ["Organiser", "Rater R1 (Ann)", "Rater R2 (Bo)"]
    assert [
        link for _, link in re.findall(r"^(\w.*?) +(http\S+)$", run(study, "--links")[1], re.MULTILINE)
    ] == [link for _, link in found]
    desk = open_desk(study)
    for (_, link), home in zip(found, ("/organiser/", "/rate/", "/rate/"), strict=True):
        client = TestClient(create_app(desk, Site()), base_url="http://127.0.0.1:8765")
        reply = client.post("/enter", json={"token": link.partition("#")[2]})
        assert reply.json() == {"next": home}
    desk.store.close()


def test_options_of_a_beginning_are_refused_later(study: str) -> None:
    assert run(study, "--rater", "Ann", "--rater", "Bo", "--links")[0] == 0
    code, output = run(study, "--rater", "Cleo", "--links")
    assert code == 2
    assert "round-1 is under way" in output
    code, output = run(study, "--rater", "Cleo", "--rater", "Bo", "--new-round", "--links")
    assert code == 0
    assert "round-2" in output
    assert "R3 (Cleo)" in output


def test_the_organisers_link_is_there_whoever_began_the_last_round(study: str) -> None:
    run(study, "--rater", "Ann", "--rater", "Bo", "--links")
    desk = open_desk(study)
    desk.new_round(desk.rounds()[0].settings)
    desk.store.close()
    assert re.findall(r"^(\w+) ", run(study, "--links")[1], re.MULTILINE).count("Organiser") == 1


def test_one_organisers_link_serves_all_rounds_until_it_is_renewed(study: str) -> None:
    def organisers(*flags: str) -> list[str]:
        return re.findall(r"^Organiser +(\S+)$", run(study, *flags, "--links")[1], re.MULTILINE)

    first = organisers("--rater", "Ann", "--rater", "Bo")
    assert organisers("--rater", "Cleo", "--rater", "Dan", "--new-round") == first
    renewed = organisers("--new-organiser")
    assert len(renewed) == 1
    assert renewed != first
    desk = open_desk(study)
    assert find_link(desk, first[0].partition("#")[2]) is None
    desk.store.close()


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (("--public", "label.example.org"), "--public is 'label.example.org'"),
        (("--protocol", "nowhere.txt"), "cannot be read as text"),
        (("--confirm", "nobody"), "no judge 'nobody'"),
        (("--rater", "Ann:x"), "expected NAME or NAME:LOAD"),
        (("--closes", "soon"), "'soon' is no time"),
    ],
)
def test_a_mistake_is_one_line(study: str, arguments: tuple[str, ...], what: str) -> None:
    code, output = run(study, *arguments, "--links")
    assert code == 2
    assert what in output
    assert len(output.strip().splitlines()) == 1


def test_a_store_alone_has_nothing_to_show() -> None:
    code, output = run("postgresql://someone:secret@127.0.0.1:1/base")
    assert code == 2
    assert "no texts" in output
    assert "secret" not in output
