"""The vendored plotting code is what it says it is, and draws under a policy that allows no eval."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
import vendor

STYLE = ":root{--judge:#b34700} .plot{width:100%} #vg-tooltip-element{position:fixed}"
HOSTILE = "</script><script>window.broken=1</script>"
SPEC = {
    "data": {"values": [{"metric": m, "value": v, "note": HOSTILE} for m, v in [("a", 0.3), ("b", 0.6)]]},
    "transform": [{"calculate": "datum.value * 100", "as": "percent"}, {"filter": "datum.percent > 0"}],
    "mark": {
        "type": "point",
        "tooltip": {"content": "data"},
        "color": "var(--judge)",
        "size": 200,
        "filled": True,
    },
    "encoding": {
        "x": {
            "field": "percent",
            "type": "quantitative",
            "axis": {"labelExpr": "format(datum.value, 'd') + ' %'"},
        },
        "y": {"field": "metric", "type": "nominal"},
    },
    "width": "container",
    "height": 80,
}
EMBED = "{%s renderer: 'svg', actions: false, defaultStyle: false, tooltip: {disableDefaultStyle: true}}"
BOOT = """
const place = document.querySelector(".plot");
vegaEmbed(place, JSON.parse(document.getElementById("plot").textContent), EMBED).then(
  () => { place.dataset.drawn = "yes"; }, error => { place.dataset.drawn = String(error); });
"""


def hashed(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def page(*, ast: bool) -> str:
    builds = [entry["file"] for entry in json.loads((vendor.VENDOR / "checksums.json").read_text())["files"]]
    boot = BOOT.replace("EMBED", EMBED % ("ast: true," if ast else ""))
    scripts = [*((vendor.VENDOR / build).read_text(encoding="utf-8") for build in builds), boot]
    policy = f"default-src 'none'; script-src {' '.join(map(hashed, scripts))}; style-src {hashed(STYLE)}"
    data = json.dumps(SPEC).replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
    return (
        f'<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">'
        f'<style>{STYLE}</style><div class="plot"></div>'
        f'<script type="application/json" id="plot">{data}</script>'
        + "".join(f"<script>{script}</script>" for script in scripts)
    )


def drawn(browser: Any, file: Path, html: str) -> tuple[Any, list[str], list[str]]:
    """The opened page once its plot has been drawn or refused, what it asked for, what it complained of."""
    file.write_text(html, encoding="utf-8")
    tab = browser.new_page(viewport={"width": 700, "height": 400})
    requests: list[str] = []
    complaints: list[str] = []
    tab.on("request", lambda request: requests.append(request.url))
    tab.on("console", lambda message: complaints.append(message.text))
    tab.on("pageerror", lambda error: complaints.append(str(error)))
    tab.goto(file.as_uri())
    tab.wait_for_selector(".plot[data-drawn]", state="attached")
    return tab, requests, complaints


@pytest.mark.parametrize("folder", vendor.PACKAGES, ids=lambda folder: folder.parent.name)
def test_vendored_files_match_their_checksums(folder: Path) -> None:
    assert vendor.check(folder) == []


@pytest.mark.browser
def test_a_chart_draws_under_a_policy_without_eval(browser: Any, tmp_path: Path) -> None:
    file = tmp_path / "plot.html"
    tab, requests, complaints = drawn(browser, file, page(ast=True))
    assert tab.get_attribute(".plot", "data-drawn") == "yes"
    points = tab.locator("svg path[aria-roledescription=point]")
    assert points.count() == 2
    points.first.hover()
    assert HOSTILE in tab.locator("#vg-tooltip-element").inner_text()
    assert tab.evaluate("window.broken") is None
    assert requests == [file.as_uri()]
    assert complaints == []


@pytest.mark.browser
def test_without_the_interpreter_the_policy_stops_the_chart(browser: Any, tmp_path: Path) -> None:
    tab, _, _ = drawn(browser, tmp_path / "plot.html", page(ast=False))
    assert "EvalError" in tab.get_attribute(".plot", "data-drawn")
