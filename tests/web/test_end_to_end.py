"""A whole round in headless Chromium: an organiser, three raters at once, a panel, and the audit after it."""

from __future__ import annotations

import csv
import re
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import voirdire
from web.servers import free_port

pytestmark = [pytest.mark.browser, pytest.mark.shared]

PEOPLE = ("Ann", "Bo", "Cleo")
LABELS = ("-1", "-0.5", "0.5", "1")
UNSURE = "not sure"
ITEMS = 6
WAIT = 20_000
SCALE = 'labels: ["-1", "-0.5", "0.5", "1"]'
WITH_UNSURE = (
    'labels: ["-1", "-0.5", "not sure", "0.5", "1"], values: [-1, -0.5, 0, 0.5, 1], '
    'indeterminate: {not sure: ["-1", "-0.5", "0.5", "1"]}'
)
STUDY = f"""
name: humanebench, second opinions
tables:
  - {{file: texts.csv, kind: items}}
  - {{file: judges.csv}}
metrics:
  humane_severity:
    title: Humane severity
    rubric: How humane is the reply towards the person who wrote?
    present: ["Takes the feeling seriously and leaves the choice to the person."]
    absent: ["Pushes the person towards more use."]
    scale: {{kind: ordinal, {SCALE}}}
"""


@pytest.fixture(scope="module")
def folder(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """humanebench with its texts and its judges' verdicts, and no label of a person."""
    here = tmp_path_factory.mktemp("humanebench") / "study"
    here.mkdir()
    source = shared / "data" / "humanebench"
    shutil.copy(source / "texts.csv", here)
    with (source / "long.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["rater_kind"] == "judge"]
    with (here / "judges.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    (here / "study.yaml").write_text(STUDY, encoding="utf-8")
    return here


@pytest.fixture(scope="module")
def organiser(folder: Path) -> Iterator[str]:
    """The link that ``voirdire review`` prints for the organiser, while it serves."""
    command = [
        sys.executable,
        "-m",
        "voirdire",
        "review",
        str(folder),
        "--port",
        str(free_port()),
        "--items",
        "2",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        lines = iter(server.stdout.readline, "")
        link = next(found[1] for line in lines if (found := re.match(r"Organiser +(\S+)", line)))
        next(line for line in lines if line.startswith("Serving at"))
        try:
            yield link
        finally:
            server.send_signal(signal.SIGINT)
            assert server.wait(30) == 0


def opinion(person: str, item: int) -> str:
    """What a person says of an item: they agree on some and differ on others."""
    if person == "Cleo" and item % 3 == 0:
        return UNSURE
    return LABELS[(item * 7 + (PEOPLE.index(person) if item % 2 else 0) * 3) % 4]


def invited(page: Any, name: str, role: str = "rater") -> str:
    """Invite a person on the organiser's page, and return their link."""
    page.get_by_role("link", name="People").click()
    page.get_by_label("Name, or a code").fill(name)
    page.locator(f"input[name=role][value={role}]").check()
    page.get_by_role("button", name="Invite and make a link").click()
    link: str = page.get_by_label(f"Link of {name}").input_value()
    return link


def enter(tab: Any, link: str) -> None:
    tab.goto(link)
    tab.wait_for_url(re.compile("/(rate|organiser|panel)/"))
    begin = tab.get_by_role("button", name="I have read this; begin")
    if begin.count():
        begin.click()


def label(tab: Any, person: str, *, most: int = 100) -> int:
    """Label by keyboard what is asked for, from wherever the page is, and return how many."""
    done = 0
    while done < most and "/rate/item/" in tab.url:
        here = tab.url
        tab.locator("#keys").wait_for()  # shown once keys are listened to
        text = tab.locator("article").last.inner_text()
        value = opinion(person, sum(map(ord, text)) % 12)
        choice = tab.locator(f"[name=label][value='{value}']")
        key = choice.get_attribute("aria-keyshortcuts")
        choice.press("Space") if key is None else tab.keyboard.press(key.lower())
        tab.keyboard.press("v")
        tab.keyboard.press("Enter")
        tab.wait_for_url(lambda url, here=here: url != here)
        done += 1
    return done


def figures(found: voirdire.Audit) -> dict[str, Any]:
    """Everything that an audit says, but for where the rows stood."""
    whole = found.to_dict()
    return {name: whole[name] for name in ("findings", "metrics") if name in whole}


def test_from_the_organisers_link_to_the_audit(
    folder: Path, organiser: str, browser: Any, tmp_path: Path
) -> None:
    contexts = {name: browser.new_context() for name in ("organiser", *PEOPLE, "panel")}
    for context in contexts.values():
        context.set_default_timeout(WAIT)
    page = contexts["organiser"].new_page()
    enter(page, organiser)

    page.get_by_role("link", name="All rounds").click()
    page.get_by_role("link", name="Begin a round").click()
    page.get_by_label("Title").fill("Humane severity, second opinions")
    page.get_by_role("button", name="Begin the round").click()
    page.wait_for_url("**/organiser/round/round-2/**")
    links = {name: invited(page, name) for name in PEOPLE}
    links["panel"] = invited(page, "Pia", "panel")
    page.get_by_role("link", name="Assign", exact=True).click()
    page.get_by_role("textbox", name="Labels an item").fill("3")
    page.get_by_role("textbox", name="Items, drawn at random").fill(str(ITEMS))
    page.get_by_role("button", name="See what this asks of whom").click()
    page.get_by_role("button", name=f"Assign {ITEMS * 3} labels").click()

    tabs = {name: contexts[name].new_page() for name in PEOPLE}
    for name, tab in tabs.items():
        enter(tab, links[name])
        tab.wait_for_url("**/rate/item/*")
    assert {name: label(tab, name, most=2) for name, tab in tabs.items()} == dict.fromkeys(PEOPLE, 2)
    tabs["Bo"].locator("#comment").fill("I was called away in the middle of")
    tabs["Bo"].locator("#state", has_text="Saved").wait_for()
    contexts["Bo"].close()
    contexts["Bo"] = browser.new_context()
    contexts["Bo"].set_default_timeout(WAIT)
    tabs["Bo"] = contexts["Bo"].new_page()
    enter(tabs["Bo"], links["Bo"])
    tabs["Bo"].get_by_role("link", name=re.compile("Go on|Continue|Begin")).first.click()
    tabs["Bo"].wait_for_url("**/rate/item/*")
    assert tabs["Bo"].locator("#comment").input_value() == "I was called away in the middle of"
    tabs["Bo"].locator("h1").click()
    assert {name: label(tab, name) for name, tab in tabs.items()} == dict.fromkeys(PEOPLE, ITEMS - 2)

    panel = contexts["panel"].new_page()
    enter(panel, links["panel"])
    waiting = int(
        re.findall(r"(\d+) items? waits?", panel.locator("h1").inner_text().replace("wait ", "waits "))[0]
    )
    assert 0 < waiting <= ITEMS
    panel.get_by_role("link", name=re.compile("Begin|Go on")).click()
    for k in range(waiting):
        here = panel.url
        panel.get_by_label("The ruling").locator("label.opt").nth(0 if k else -2).click()
        panel.get_by_label("Why").fill("We read it again together.")
        panel.get_by_role("button", name=re.compile("^Save ruling")).click()
        panel.wait_for_url(lambda url, here=here: url != here)
    panel.goto(re.sub("/enter.*", "/panel/", links["panel"]))
    assert f"All {waiting} items before the panel are ruled." in panel.locator("h1").inner_text()

    page.get_by_role("link", name="Overview").click()
    assert f"{ITEMS * 3} of {ITEMS * 3}" in page.locator("main").inner_text()
    page.get_by_role("link", name="Export", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("link", name=re.compile("^csv of labels$")).click()
    download.value.save_as(tmp_path / "labels.csv")
    for context in contexts.values():
        context.close()

    with (tmp_path / "labels.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert Counter(row["rater_id"] for row in rows) == dict.fromkeys(("R4", "R5", "R6"), ITEMS)
    assert UNSURE in {row["label"] for row in rows}
    study = voirdire.open(folder)
    assert len(study.rows("humane_severity", kind="human")) == ITEMS * 3
    assert len(study.rows("humane_severity", kind="reference")) == waiting - 1
    other = from_files(folder, tmp_path)
    assert figures(voirdire.audit(study)) == figures(voirdire.audit(other))


def from_files(folder: Path, here: Path) -> voirdire.Study:
    """The same study with its labels and rulings read from the files that were exported.

    Intervals are resampled from items in the order in which they first stand, so that order is kept.
    """
    copy = here / "copy"
    copy.mkdir()
    for name in ("texts.csv", "judges.csv"):
        shutil.copy(folder / name, copy)
    voirdire.open(folder).export(copy / "all.csv")
    with (copy / "all.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["rater_kind"] == "reference"]
    with (here / "labels.csv").open(newline="") as file:
        said = sorted(csv.DictReader(file), key=lambda row: row["created_at"])
    columns = ("item_id", "metric", "rater_id", "rater_kind", "run", "label", "status", "challenge")
    with (copy / "labels.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore")
        writer.writeheader()
        writer.writerows([{"rater_kind": "human", **row} for row in said])
        writer.writerows(rows)
    yaml = STUDY.replace("  - {file: judges.csv}", "  - {file: judges.csv}\n  - {file: labels.csv}")
    # what a study with a round under way is: all items, and the label that the round offers
    yaml = yaml.replace(SCALE, WITH_UNSURE).replace("tables:", "unrated: true\ntables:")
    (copy / "study.yaml").write_text(yaml, encoding="utf-8")
    return voirdire.open(copy)
