"""Every route of the application as a door to be tried: with real addresses and a body that it would take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from fastapi import FastAPI
from starlette.testclient import TestClient

from review.studies import UnderWay
from voirdire.review.people import Role
from voirdire.web.sessions import PATHS

TEXT = "planted-text"


@dataclass(frozen=True)
class Door:
    """A route with its ``role`` (None for everybody) and a request that would do something there."""

    method: str
    route: str
    path: str
    role: Role | None
    sent: Mapping[str, Any] = field(default_factory=dict)

    def open(self, client: TestClient, **headers: str | bytes) -> Any:
        """The reply to a request, which follows nothing."""
        return client.request(self.method, self.path, headers=headers, follow_redirects=False, **self.sent)


def doors(app: FastAPI, way: UnderWay) -> Iterator[Door]:
    """Every method of every path. A new parameter of a path must be given a value here that exists."""
    document, values = app.openapi(), parameters(way)
    for route, methods in document["paths"].items():
        role = next((role for role, start in PATHS.items() if route.startswith(f"{start}/")), None)
        for method, told in methods.items():
            content = told.get("requestBody", {}).get("content", {})
            yield Door(method.upper(), route, route.format(**values), role, body(document, content))


def parameters(way: UnderWay) -> dict[str, str]:
    """Values of the parameters in paths under which there is something."""
    last = list(way.people.values())[-1].link
    return {
        "place": "1",
        "number": "1",
        "round_id": way.round.id,
        "link_id": last.id,
        "rater_id": last.rater_id,
        "act": "revoke",
        "name": "labels",
        "suffix": "csv",
    }


def body(document: Mapping[str, Any], content: Mapping[str, Any]) -> dict[str, Any]:
    """Keywords of a request whose body fits."""
    for kind, told in content.items():
        value = example(document, told["schema"])
        if kind == "application/json":
            return {"json": value}
        files = {name: ("file.csv", given) for name, given in value.items() if isinstance(given, bytes)}
        fields = {name: given for name, given in value.items() if name not in files}
        return {"data": fields, "files": files} if files else {"data": fields}
    return {}


def example(document: Mapping[str, Any], schema: Mapping[str, Any]) -> Any:
    """The least value that fits a schema of ours."""
    if "$ref" in schema:
        return example(document, document["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
    if schema.get("type") == "object" or "properties" in schema:
        wanted = schema.get("required", [])
        return {name: example(document, schema["properties"][name]) for name in wanted}
    if "enum" in schema or "const" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    if schema.get("format") == "binary" or "contentMediaType" in schema:
        return b"item_id,metric,rater_id\n"
    least = schema.get("minimum", 1)
    small: dict[str, Any] = {"integer": least, "number": 1.0, "boolean": False, "array": []}
    return small.get(schema.get("type", ""), TEXT)
