"""The JSON document follows its published schema, whatever the audit holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from report import examples
from voirdire import registry
from voirdire.checks.audit import Audit
from voirdire.report import document
from voirdire.stats.estimate import REASONS

ROOT = Path(__file__).resolve().parents[2]
PACKAGED = Path(document.__file__).parent / "schema" / "audit-1.json"
MADE = [
    examples.full,
    examples.hostile,
    examples.sixty,
    examples.no_judge,
    examples.no_people,
]


@pytest.fixture(scope="module")
def validator() -> Any:
    schema = json.loads(PACKAGED.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize("make", MADE)
def test_every_audit_follows_the_schema(make: Any, validator: Any) -> None:
    written = json.dumps(make().to_dict(), allow_nan=False)
    validator.validate(json.loads(written))


def test_the_schema_refuses_what_it_does_not_know(validator: Any) -> None:
    found = examples.full().to_dict()
    assert validator.is_valid(found)
    assert not validator.is_valid({**found, "schema": "voirdire-audit/2"})
    assert not validator.is_valid({**found, "extra": 1})
    found["findings"][0]["tables"][0]["rows"][0]["cells"]["judge"]["by_policy"]["left out"].pop("reason")
    assert not validator.is_valid(found)


def test_the_published_schema_is_the_packaged_one() -> None:
    published = ROOT / "docs" / "schema" / "audit-1.json"
    assert published.read_bytes() == PACKAGED.read_bytes()


def test_an_undefined_figure_is_null_with_its_reason_beside_it() -> None:
    rows = examples.full().to_dict()["findings"][0]["tables"][0]["rows"]
    cell = rows[1]["cells"]["people"]
    assert cell["value"] is None
    assert (cell["undefined"], cell["reason"]) == ("no_variation", REASONS["no_variation"])
    without_interval = rows[2]["cells"]["judge"]
    assert (without_interval["value"], without_interval["low"]) == (1.0, None)
    assert without_interval["reason"] == REASONS["zero_width"]


def test_every_number_keeps_its_full_value() -> None:
    cell = examples.full().to_dict()["findings"][0]["tables"][0]["rows"][3]["cells"]["rate"]
    assert cell["value"] == 0.8334
    assert (cell["level"], cell["n_items"], cell["method"]) == (0.95, 4000, "percentile")
    assert cell["target"] == "new raters, new items"


def test_the_same_audit_gives_the_same_document_but_for_its_moment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = examples.full().to_dict()
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    second = examples.full().to_dict()
    assert second.pop("created_at") == "1970-01-01T00:00:00+00:00"
    first.pop("created_at")
    assert first == second


def test_texts_can_be_left_out() -> None:
    audit: Audit = examples.full()
    whole = json.dumps(registry.get("report", "json")(audit))
    without = json.dumps(registry.get("report", "json")(audit, text=False))
    secret = json.dumps(examples.HOSTILE[0])[1:-1]
    assert secret in whole
    assert secret not in without
