"""Whatever fits, or breaks, the application's own description is answered as it says, and never by a 500."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from typing import Any

import pytest
import schemathesis
from fastapi import FastAPI
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import response_schema_conformance, status_code_conformance
from starlette.types import ASGIApp, Receive, Scope, Send

from review.studies import UnderWay, begun
from voirdire.review.people import Role, invite
from voirdire.web.sessions import PATHS
from web.doors import parameters
from web.visits import Visitor, browser, pages

CHECKS = (not_a_server_error, status_code_conformance, response_schema_conformance)
DESCRIPTION = "/openapi.json"
EXAMPLES = {"nobody": 2, "rater": 10, "panel": 10, "organiser": 4}


def within(app: FastAPI, visitor: Visitor) -> ASGIApp:
    """``app`` with the description that it keeps to itself, asked from the session of ``visitor``."""
    session = [(b"host", b"127.0.0.1"), (b"x-csrf-token", visitor.proof.encode())]
    cookies = [f"{one.name}={one.value}" for one in visitor.client.cookies.jar]
    session += [(b"cookie", "; ".join(cookies).encode())] if cookies else []
    named = {name for name, _ in session}

    async def asked(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] == DESCRIPTION:
            content = json.dumps(app.openapi()).encode()
            headers = [(b"content-type", b"application/json")]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await send({"type": "http.response.body", "body": content})
            return
        if scope["type"] == "http":
            others = [header for header in scope["headers"] if header[0] not in named]
            scope = {**scope, "headers": [*session, *others]}
        await app(scope, receive, send)

    return asked


@pytest.fixture(scope="module")
def way(tmp_path_factory: pytest.TempPathFactory) -> UnderWay:
    way = begun(tmp_path_factory.mktemp("openapi") / "study", metrics=("kind", "better"), items=4)
    for name in way.people:
        way.say(name, "i0", "kind", "not sure" if name == "Ann" else "pass")
    return way


def visitor(way: UnderWay, app: FastAPI, who: str) -> Visitor:
    """A browser with a session as ``who``."""
    if who == "nobody":
        return browser(app)
    roles: dict[str, Callable[[], str]] = {
        "rater": lambda: way.people["Ann"].token,
        "panel": lambda: invite(way.desk, way.round.id, "panel", "Pia").token,
        "organiser": lambda: invite(way.desk, way.round.id, "organiser").token,
    }
    return browser(app).enter(roles[who]())


def mine(who: str, path: str) -> bool:
    """Whether ``who`` has something to do at ``path``; nobody tries everything."""
    role: Role | None = next((role for role, start in PATHS.items() if path.startswith(f"{start}/")), None)
    return who in ("nobody", role)


@pytest.mark.parametrize("who", EXAMPLES)
def test_no_request_is_answered_by_a_fault_of_ours(way: UnderWay, who: str) -> None:
    app = pages(way.desk, guesses=1_000_000)
    schema = schemathesis.openapi.from_asgi(DESCRIPTION, within(app, visitor(way, app, who)))
    known = parameters(way)
    tried = 0

    def attempt(operation: Any, mode: GenerationMode) -> None:
        nonlocal tried

        @settings(
            max_examples=EXAMPLES[who],
            deadline=None,
            database=None,
            derandomize=True,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy(generation_mode=mode), real=st.booleans())
        def trying(case: Any, real: bool) -> None:
            nonlocal tried
            if real:
                case.path_parameters = {name: known[name] for name in case.path_parameters or {}}
            case.call_and_validate(checks=CHECKS)
            tried += 1

        trying()

    for found in schema.get_all_operations():
        operation = found.ok()
        if mine(who, operation.path):
            attempt(operation, GenerationMode.POSITIVE)
            with contextlib.suppress(Unsatisfiable):  # where nothing is asked for, nothing can be wrong
                attempt(operation, GenerationMode.NEGATIVE)
    assert tried > 5 * EXAMPLES[who]
