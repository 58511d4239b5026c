"""Every key of ``study.yaml`` as a page, from the model that reads the file."""

from __future__ import annotations

from typing import Any

from voirdire.study.config import StudyConfig

TITLES = {
    "StudyConfig": "The study",
    "TableConfig": "A table",
    "MetricConfig": "A metric",
    "ScaleConfig": "A scale",
    "RaterConfig": "A rater",
    "AskedConfig": "How a judge was asked",
}
"""The parts of the file in reading order, and what each is called here."""


def study_page() -> str:
    """The page's text: one table a part of the file."""
    schema = StudyConfig.model_json_schema()
    parts = {"StudyConfig": schema, **schema["$defs"]}
    assert parts.keys() == TITLES.keys(), "give every part of study.yaml a title here"
    lines = [
        "# Keys of study.yaml",
        "",
        "A key that is not listed is refused, with the nearest one named.",
        "",
    ]
    for name, title in TITLES.items():
        lines += [f"## {title}", "", str(parts[name]["description"]).replace("``", "`"), ""]
        lines += ["| key | value | default | meaning |", "| --- | --- | --- | --- |"]
        required = parts[name].get("required", [])
        lines += [row(key, field, key in required) for key, field in parts[name]["properties"].items()]
        lines.append("")
    return "\n".join(lines)


def row(key: str, field: dict[str, Any], required: bool) -> str:
    default = "required" if required else shown(field.get("default"))
    meaning = field.get("description", "").replace("|", "\\|")
    return f"| `{key}` | {kind(field)} | {default} | {meaning} |"


def shown(default: object) -> str:
    """A default in the file's own spelling; empty where the key may simply be left out."""
    if default in (None, "", [], {}):
        return ""
    return f"`{default}`"


def kind(field: dict[str, Any]) -> str:
    """What may stand under a key, in words."""
    if "anyOf" in field:
        return kind(next(option for option in field["anyOf"] if option.get("type") != "null"))
    if "$ref" in field:
        title = TITLES[field["$ref"].split("/")[-1]]
        return f"[{title.lower()}](#{title.lower().replace(' ', '-')})"
    if "enum" in field:
        return ", ".join(f"`{choice}`" for choice in field["enum"] if choice)
    if field.get("type") == "array":
        return f"list: {kind(field['items'])}"
    if field.get("type") == "object":
        return f"map to {kind(field['additionalProperties'])}"
    return {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false"}[
        field["type"]
    ]
