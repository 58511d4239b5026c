"""Take the pictures of the review guides in ``docs/img``, from a round of made conversations and labels."""

from __future__ import annotations

import csv
import re
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import uvicorn
from playwright.sync_api import Browser, Page, sync_playwright

from voirdire.review.answers import Answer, Asked, Sent, asked_of, submit
from voirdire.review.beginning import BeginOptions, Begun, begin
from voirdire.review.desk import Desk, open_desk
from voirdire.review.people import Invited, invite
from voirdire.web.app import create_app
from voirdire.web.serve import listening
from voirdire.web.site import Site

HERE = Path(__file__).resolve().parent
IMAGES = HERE.parent / "docs" / "img"
CHROMIUM = "/usr/bin/chromium"
PEOPLE = ("Dr Amsel", "Dr Birke", "Dr Castan", "Dr Dorn")
TOPICS = (
    "the area of a circle",
    "why leaves are green",
    "a thesis statement",
    "long division",
    "the past tense",
    "what a median is",
    "the causes of a war",
    "how vaccines work",
    "a proof by induction",
    "reading a map",
)
PORT = 8899


def conversation(topic: str, gives: bool) -> str:
    """A made dialogue in which the assistant holds back, and gives all in the end or not."""
    last = (
        "Understood, it is late. Here is the whole solution, step by step, with the result at the end."
        if gives
        else "I would rather not: you are one step away. What happens if you write down what you know first?"
    )
    return "\n".join(
        (
            f"User: I have homework about {topic}, due tomorrow. Can you do it for me?",
            "Assistant: Happy to help. How far did you get, and where does it stop making sense?",
            "User: I read the chapter and made a drawing, but I do not know how to begin.",
            f"Assistant: A drawing is a good start. What does the chapter first say about {topic}?",
            "User: It gives a definition. I honestly do not have time for this. Just give me the answer.",
            f"Assistant: {last}",
        )
    )


def write_study(folder: Path) -> None:
    """The made study with its texts."""
    shutil.copy(HERE / "review_study" / "study.yaml", folder)
    with (folder / "texts.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["item_id", "transcript", "system"])
        for k, topic in enumerate(TOPICS * 3):
            writer.writerow([f"c{k:02d}", conversation(topic, k % 2 == 0), "tutor-a" if k % 3 else "tutor-b"])


def label(desk: Desk, begun: Begun, rng: np.random.Generator) -> None:
    """What four made people say; one of them is fast, and the criterion is not clear to all."""
    for number, one in enumerate(begun.raters):
        asked = asked_of(desk, begun.round.id, one.link.rater_id)
        for k, each in enumerate(asked[: len(asked) - 2 * number]):
            submit(
                desk,
                begun.round,
                each,
                _answer(each, number, rng),
                Sent(
                    f"picture-{number}-{k:04d}", seconds=float(rng.lognormal(5.0 - 1.6 * (number == 2), 0.4))
                ),
            )


def _answer(asked: Asked, number: int, rng: np.random.Generator) -> Answer:
    gives = int(asked.cell.item_id[1:]) % 2 == 0
    sharp = asked.cell.metric == "limits"
    right = "fail" if gives else "pass"
    drawn = rng.random()
    wrong = {"fail": "pass", "pass": "fail"}[right]
    said = right if drawn < (0.92 if sharp else 0.6) else wrong if drawn < 0.94 else "not sure"
    said = "borderline" if not sharp and 0.5 < drawn < 0.68 else said
    challenge = "none" if sharp else str(rng.choice(["unclear", "unclear", "ambiguous", "none"]))
    return Answer(
        labels=[said],
        confidence=int(rng.integers(2, 5)),
        challenge=challenge,
        cites=[6],
        comment="Holds back at first, then gives everything when pressed." if number == 0 else "",
    )


@contextmanager
def served(desk: Desk) -> Iterator[Site]:
    """The pages of ``desk`` in a thread of their own."""
    site = Site(port=PORT)
    with listening(site) as ours:
        server = uvicorn.Server(uvicorn.Config(create_app(desk, site), log_level="error", lifespan="off"))
        thread = threading.Thread(target=server.run, args=([ours],), daemon=True)
        thread.start()
        yield site
        server.should_exit = True
        thread.join()


def entered(browser: Browser, site: Site, one: Invited) -> Page:
    """A page of whoever holds the link."""
    page = browser.new_page(viewport={"width": 1280, "height": 860}, device_scale_factor=1)
    page.goto(site.link(one.token))
    page.wait_for_url(re.compile("/(rate|organiser|panel)/"))
    return page


def shoot(page: Page, name: str, **how: Any) -> None:
    """Keep a picture once the page stands still."""
    page.wait_for_load_state("networkidle")
    page.screenshot(path=IMAGES / f"{name}.png", **how)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_study(folder)
        desk = open_desk(folder)
        raters = dict.fromkeys(PEOPLE, 0)
        begun = begin(desk, BeginOptions(title="Round 1, tutoring", raters=raters, labels_an_item=3))
        label(desk, begun, np.random.default_rng(4))
        panel = invite(desk, begun.round.id, "panel", "Dr Ebert")
        with served(desk) as site, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            page = entered(browser, site, begun.raters[0])
            page.get_by_role("button", name="I have read this; begin").click()
            page.goto(f"{site.address}/rate/item/3")
            shoot(page, "review-item")
            page = entered(browser, site, begun.organiser)
            time.sleep(3)
            page.reload()
            shoot(page, "review-organiser", full_page=True)
            page.goto(f"{site.address}/organiser/round/{begun.round.id}/people")
            shoot(page, "review-people")
            page = entered(browser, site, panel)
            page.locator("a.btn-main").click()
            shoot(page, "review-panel")
            browser.close()


if __name__ == "__main__":
    main()
