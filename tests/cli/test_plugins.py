"""`voirdire plugins` lists what is registered and says why a plugin failed."""

from __future__ import annotations

import json
from importlib.metadata import EntryPoint

import pytest
from typer.testing import CliRunner

from voirdire import registry
from voirdire.cli.main import app


def test_every_kind_and_name_is_listed() -> None:
    result = CliRunner().invoke(app(), ["plugins"])
    assert result.exit_code == 0
    for kind in registry.BUILT_IN:
        assert f"{kind} ({len(registry.names(kind))}): " in result.output
    assert "krippendorff_alpha" in result.output


def test_one_kind_as_json() -> None:
    result = CliRunner().invoke(app(), ["plugins", "check", "--json"])
    assert json.loads(result.output) == {"check": {"names": registry.names("check"), "plugins": []}}


def test_a_plugin_that_fails_is_shown_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = EntryPoint("broken", "no_such_module_of_a_stranger:check", "voirdire.check")
    monkeypatch.setattr(registry, "entry_points", lambda group: [broken] if group == "voirdire.check" else [])
    monkeypatch.setattr(registry, "_plugins", {})
    result = CliRunner().invoke(app(), ["plugins", "check"])
    assert result.exit_code == 0
    assert (
        "plugin broken from no_such_module_of_a_stranger:check failed: ModuleNotFoundError" in result.output
    )
