"""Whatever stands where a labelling tool's answers should: a study or a user's error, never a traceback."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.errors import UserError
from voirdire.opening import open as open_study

KEYS = [
    "id",
    "email",
    "value",
    "choices",
    "text",
    "rating",
    "result",
    "status",
    "categories",
    "name",
    "labelType",
]
leaf = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.floats(),
    st.sampled_from(["", "a", "draft", "REVIEW"]),
)
junk = st.recursive(
    leaf,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)
    ),
    max_leaves=8,
)


def task(one: Any, other: Any) -> dict[str, Any]:
    result = {"from_name": "q", "type": "choices", "value": {"choices": ["a"]}}
    said = [{"completed_by": 1, "result": [result]}, {"completed_by": one, "result": other}, other]
    odd = {
        "completed_by": 2,
        "result": [{"from_name": "q", "value": one}, {**result, "value": {"choices": other}}],
    }
    return {
        "id": one,
        "data": {"text": other},
        "annotations": [*said, odd],
        "predictions": one,
        "drafts": other,
    }


def record(one: Any, other: Any) -> dict[str, Any]:
    said = [{"value": "a", "user_id": "u"}, {"value": one, "user_id": "v", "status": other}]
    parts = {"metadata": other, "suggestions": {"q": one, "p": {"value": other, "agent": one}}}
    return {"id": one, "fields": {"text": other}, "responses": {"q": said, "p": other}, **parts}


def flat(one: Any, other: Any) -> dict[str, Any]:
    users = ["u", "v"]
    return {
        "id": one,
        "q.responses": ["a", other],
        "q.responses.users": users,
        "q.responses.status": one,
        "p.suggestion": other,
    }


def asset(one: Any, other: Any) -> dict[str, Any]:
    good = {
        "author": {"email": "u"},
        "labelType": "DEFAULT",
        "jsonResponse": {"J": {"categories": [{"name": "a"}]}},
    }
    odd = {
        "author": one,
        "labelType": one,
        "jsonResponse": {"J": other, "K": {"categories": one, "text": other}},
    }
    return {"externalId": one, "content": other, "labels": [good, odd, other], "jsonMetadata": other}


@pytest.mark.parametrize("shape", [task, record, flat, asset])
@settings(max_examples=30, deadline=None)
@given(one=junk, other=junk)
def test_junk_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, shape: Callable[[Any, Any], Any], one: Any, other: Any
) -> None:
    path = tmp_path_factory.mktemp("junk") / "export.json"
    path.write_text(json.dumps([shape("1", []), shape(one, other)]), encoding="utf-8")
    try:
        study = open_study(path)
    except UserError:
        return
    assert len(study.ratings) >= 2
