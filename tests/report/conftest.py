"""A headless browser that records whatever a page does beyond standing still."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest


@dataclass
class Opened:
    """A page in the browser, and every request, dialog, complaint and error that it caused."""

    tab: Any
    requests: list[str] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)

    def wait_for_plots(self) -> None:
        """Until every plot that is not folded away is drawn or has failed."""
        self.tab.wait_for_function(
            "[...document.querySelectorAll('[data-spec]')].every((place) => "
            "place.closest('details:not([open])') || !['soon', undefined].includes(place.dataset.drawn))"
        )


@pytest.fixture
def browser_page(browser: Any) -> Iterator[Callable[..., Opened]]:
    """Open a file: ``browser_page(path, fragment="", width=1280, scheme="light", scripts=True)``."""
    contexts = []

    def open_page(
        path: Path, fragment: str = "", *, width: int = 1280, scheme: str = "light", scripts: bool = True
    ) -> Opened:
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, java_script_enabled=scripts
        )
        contexts.append(context)
        opened = Opened(context.new_page())
        opened.tab.on("request", lambda request: opened.requests.append(request.url))
        opened.tab.on("console", lambda message: opened.troubles.append(message.text))
        opened.tab.on("pageerror", lambda error: opened.troubles.append(str(error)))
        opened.tab.on("dialog", lambda dialog: (opened.troubles.append("dialog"), dialog.dismiss()))
        opened.tab.goto(path.as_uri() + fragment)
        return opened

    yield open_page
    for context in contexts:
        context.close()
