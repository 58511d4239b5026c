"""Take the README's picture: the first screen of the demonstration report, in headless Chromium."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright
from transcripts import command

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "img" / "report.png"
CHROMIUM = "/usr/bin/chromium"
WIDTH, HEIGHT = 1280, 1010


def main() -> int:
    PICTURE.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        command(["demo", "--out", folder], mistakes=False)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        tab.goto((Path(folder) / "report.html").as_uri())
        tab.screenshot(path=str(PICTURE))
        browser.close()
    print(f"{PICTURE}: {PICTURE.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
