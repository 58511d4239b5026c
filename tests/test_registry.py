"""The one registry: a name is taken once, and an unknown one is answered with the nearest."""

from __future__ import annotations

import pytest

from voirdire import registry
from voirdire.errors import UserError


@pytest.fixture
def nothing_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    registry.names("statistic")
    monkeypatch.setitem(registry._entries, "statistic", dict(registry._entries["statistic"]))


@pytest.mark.usefixtures("nothing_stays")
def test_a_name_that_is_taken_is_refused() -> None:
    def share() -> float:
        return 0.0

    def other() -> float:
        return 1.0

    registry.register("statistic", "share_of_yes")(share)
    registry.register("statistic", "share_of_yes")(share)
    with pytest.raises(UserError, match=r"two statistics are named 'share_of_yes': .*share and .*other"):
        registry.register("statistic", "share_of_yes")(other)
    with pytest.raises(UserError, match="two statistics are named 'fleiss_kappa'"):
        registry.register("statistic", "fleiss_kappa")(other)
    assert registry.get("statistic", "share_of_yes") is share


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(UserError, match=r"no statistic named 'fleis_kappa'.*did you mean 'fleiss_kappa'"):
        registry.get("statistic", "fleis_kappa")


@pytest.mark.usefixtures("nothing_stays")
def test_a_package_that_cannot_be_imported_is_not_taken_for_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_plugins", {})
    monkeypatch.setitem(registry.BUILT_IN, "statistic", "voirdire.no_such_package")
    for _ in range(2):
        with pytest.raises(ModuleNotFoundError):
            registry.names("statistic")
