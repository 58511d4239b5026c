"""Every key of ``study.yaml``, of judges' and benchmarks' files as pages, from the models that read them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from voirdire.bench.cast import TargetsConfig, UserConfig
from voirdire.bench.suite import BenchConfig
from voirdire.bench.template import MetricTemplate
from voirdire.judges.judge_file import JudgeConfig, PanelConfig
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


JUDGE_TITLES = {
    "JudgeConfig": "The judge",
    "EndpointConfig": "The endpoint",
    "PromptConfig": "The prompt",
    "PriceConfig": "The price",
    "LimitsConfig": "The limits",
    "PanelConfig": "A panel",
}
"""As above, of a judge's file."""


BENCH_TITLES = {
    "bench.yaml": {"BenchConfig": "The benchmark", "Value": "A variant", "Expected": "Expected counts"},
    "metrics/*.yaml": {
        "MetricTemplate": "A metric",
        "Justification": "The justification",
        "Situation": "The scenario",
        "Scoring": "The scoring",
        "Scenario": "A conversation",
        "Move": "A move",
        "Reviewed": "A review",
    },
    "targets.yaml": {
        "TargetsConfig": "The systems",
        "TargetConfig": "A system",
        "Script": "A script",
        "Planted": "Planted behaviour",
    },
    "user.yaml": {"UserConfig": "The simulated user"},
    "Shared by systems and users": {
        "EndpointConfig": "The endpoint",
        "PriceConfig": "The price",
        "LimitsConfig": "The limits",
    },
}
"""As above, of a benchmark's files."""


def study_page() -> str:
    """The page's text: one table a part of the file."""
    return "\n".join([*heading("Keys of study.yaml"), *tables(TITLES, StudyConfig)])


def judge_page() -> str:
    """The same for the files of judges and panels, with each recipe's options."""
    from voirdire import registry

    lines = [*heading("Keys of a judge's file"), *tables(JUDGE_TITLES, JudgeConfig, PanelConfig)]
    lines += ["## Options of recipes", "", "What may stand under `options`, by recipe."]
    for name in registry.names("recipe"):
        lines += ["", f"### {name}", "", *options_of(registry.get("recipe", name).Options)]
    return "\n".join([*lines, ""])


def bench_page() -> str:
    """The same for the files of a benchmark."""
    titles = {name: title for file in BENCH_TITLES.values() for name, title in file.items()}
    parts = parts_of(BenchConfig, MetricTemplate, TargetsConfig, UserConfig)
    assert parts.keys() == titles.keys(), "give every part of the files a title here"
    lines = heading("Keys of a benchmark's files")
    lines += ["`judge.yaml` is [a judge's file](judge-yaml.md).", ""]
    for file, mine in BENCH_TITLES.items():
        lines += [f"## {file}", ""]
        for name, title in mine.items():
            lines += [f"### {title}", "", *section(parts[name], titles)]
    return "\n".join(lines)


def heading(title: str) -> list[str]:
    return [f"# {title}", "", "A key that is not listed is refused, with the nearest one named.", ""]


def tables(titles: Mapping[str, str], *models: type[BaseModel]) -> list[str]:
    """One section a part, in the order of ``titles``."""
    parts = parts_of(*models)
    assert parts.keys() == titles.keys(), "give every part of the file a title here"
    lines = []
    for name, title in titles.items():
        lines += [f"## {title}", "", *section(parts[name], titles)]
    return lines


def parts_of(*models: type[BaseModel]) -> dict[str, Any]:
    """The schema of each model, and of all that stand in it, by name."""
    parts: dict[str, Any] = {}
    for model in models:
        schema = model.model_json_schema()
        parts |= {model.__name__: schema, **schema.get("$defs", {})}
    return parts


def section(part: Mapping[str, Any], titles: Mapping[str, str]) -> list[str]:
    """What a part is, and its keys."""
    return [str(part["description"]).replace("``", "`"), "", *table(part, titles), ""]


def table(part: Mapping[str, Any], titles: Mapping[str, str]) -> list[str]:
    """The keys of one part, a row each."""
    required = part.get("required", [])
    rows = [row(key, field, key in required, titles) for key, field in part["properties"].items()]
    return ["| key | value | default | meaning |", "| --- | --- | --- | --- |", *rows]


def options_of(model: type[BaseModel]) -> list[str]:
    """The options of one recipe; those of a list's entries stand in a table of their own."""
    schema = model.model_json_schema()
    if not schema.get("properties"):
        return ["None."]
    inner = schema.get("$defs", {})
    links = {name: f"{name}, below" for name in inner}
    lines = table(schema, links)
    for name, part in inner.items():
        lines += [
            "",
            f"{name}: {str(part.get('description', '')).replace('``', '`')}",
            "",
            *table(part, links),
        ]
    return lines


def row(key: str, field: dict[str, Any], required: bool, titles: Mapping[str, str]) -> str:
    default = "required" if required else shown(field.get("default"))
    meaning = field.get("description", "").replace("|", "\\|")
    return f"| `{key}` | {kind(field, titles)} | {default} | {meaning} |"


def shown(default: object) -> str:
    """A default in the file's own spelling; empty where the key may simply be left out."""
    if default in (None, "", [], {}):
        return ""
    return f"`{default}`"


def kind(field: dict[str, Any], titles: Mapping[str, str]) -> str:
    """What may stand under a key, in words."""
    if "anyOf" in field:
        choices = [kind(option, titles) for option in field["anyOf"] if option.get("type") != "null"]
        return " or ".join(choices)
    if "$ref" in field:
        title = titles[field["$ref"].split("/")[-1]]
        return title if ", " in title else f"[{title.lower()}](#{title.lower().replace(' ', '-')})"
    if "enum" in field:
        return ", ".join(f"`{choice}`" for choice in field["enum"] if choice)
    if field.get("type") == "array":
        return f"list: {kind(field['items'], titles)}"
    if "const" in field:
        return f"`{str(field['const']).lower()}`"
    if field.get("type") == "object":
        patterned = list(field.get("patternProperties", {}).values())
        values = patterned[0] if patterned else field["additionalProperties"]
        return "map" if values is True else f"map to {kind(values, titles)}"
    return {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false"}[
        field["type"]
    ]
