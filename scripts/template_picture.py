"""Take the picture of a filled template for experts: the bundled one, with a note beside each part."""

from __future__ import annotations

import html
import sys
from pathlib import Path

from picture import CHROMIUM
from playwright.sync_api import sync_playwright

from voirdire.bench.starting import START, bundled

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "img" / "template.png"
WIDTH = 1280
NOTES = {
    "metric:": ("Name and place", "One file is one metric. Nobody who judges sees the polarity."),
    "justification:": ("Part 1, why", "The construct, where it is described, what is known of its effect."),
    "scenario:": ("Part 2, how", "Who the user is and what they write. No age, gender or ethnicity."),
    "scoring:": ("Part 3, the score", "One question about what can be seen, and examples of yes and no."),
    "scenarios:": (
        "The conversations",
        "What the user says, and at which turn. Every system hears the same.",
    ),
}
"""By the line with which a part begins: its name and what to know of it."""
STYLE = """
body { margin: 0; padding: 32px 40px; width: 1280px; box-sizing: border-box;
       background: #fdfdfb; color: #1b1f24; font: 16px/1.5 system-ui, sans-serif }
section { display: grid; grid-template-columns: 250px 1fr; gap: 24px; padding: 16px 0;
          border-top: 1px solid #dbd9d1 }
h2 { font: 22px/1.3 Georgia, serif; margin: 0 0 4px }
p { margin: 0; color: #555c66; font-size: 14px }
pre { margin: 0; font: 14px/1.5 ui-monospace, monospace; white-space: pre-wrap }
b { color: #0b4f8a; font-weight: 600 }
"""


def main() -> int:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": WIDTH, "height": 400}, color_scheme="light")
        tab.set_content(page())
        tab.screenshot(path=str(PICTURE), full_page=True)
        browser.close()
    print(f"{PICTURE}: {PICTURE.stat().st_size:,} bytes")
    return 0


def page() -> str:
    """The template without its comments, part by part."""
    text = (bundled(START) / "metrics" / "my_metric.yaml").read_text(encoding="utf-8")
    parts: list[list[str]] = []
    for line in (bare(line) for line in text.splitlines()):
        if line.split(" ")[0] in NOTES:
            parts.append([])
        if line:
            parts[-1].append(line)
    return f"<style>{STYLE}</style>{''.join(map(section, parts))}"


def bare(line: str) -> str:
    """A line without its comment."""
    return "" if line.lstrip().startswith("#") else line.split(" # ")[0].rstrip()


def section(lines: list[str]) -> str:
    name, note = NOTES[lines[0].split(" ")[0]]
    shown = "\n".join(map(marked, lines))
    return f"<section><div><h2>{name}</h2><p>{note}</p></div><pre>{shown}</pre></section>"


def marked(line: str) -> str:
    """A line with its key set off."""
    key, colon, rest = line.partition(":")
    if not colon or '"' in key:
        return html.escape(line)
    return f"<b>{html.escape(key)}</b>:{html.escape(rest)}"


if __name__ == "__main__":
    sys.exit(main())
