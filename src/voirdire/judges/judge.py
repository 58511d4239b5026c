"""Judge: a file read, its recipe built, its version computed from all that can change a verdict."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from voirdire import registry
from voirdire.errors import UserError
from voirdire.judges.asking import Price, Target
from voirdire.judges.call import Client, content_hash
from voirdire.judges.judge_file import EndpointConfig, JudgeConfig, PromptConfig
from voirdire.judges.prompts import STYLE, Prompt
from voirdire.judges.recipe import Recipe
from voirdire.study.documents import load_mapping, validated

__all__ = ["VERSION_DIGITS", "Judge", "connect", "load_judge", "reached"]

VERSION_DIGITS = 12
BASE_URL = "OPENAI_BASE_URL"
"""Where the ``openai`` package looks for an address that it is not given."""
UNVERSIONED = {"judge", "family", "price", "limits", "metrics"}
"""Keys of the file that cannot change a verdict."""


@dataclass(frozen=True, eq=False)
class Judge:
    """A judge ready to ask: ``config`` as written, its ``recipe``, and the ``prompt`` where it has its own.

    ``version`` is the head of a hash over everything that can change a verdict: the model, the endpoint, the
    parameters, the recipe with its options and default wording, the prompt's text, how texts are fenced
    and what is shown.
    """

    config: JudgeConfig
    recipe: Recipe
    prompt: Prompt | None
    version: str

    @property
    def name(self) -> str:
        """Its rater_id in the ratings."""
        return self.config.judge

    @property
    def target(self) -> Target:
        """Whom to ask, and how patiently."""
        config = self.config
        price = None if config.price is None else Price(input=config.price.input, output=config.price.output)
        return Target(
            judge=self.name,
            version=self.version,
            endpoint=config.endpoint.url or config.endpoint.client,
            model=config.model,
            parameters=config.parameters,
            price=price,
            timeout=config.limits.timeout,
            retries=config.limits.retries,
        )

    def client(self) -> Client:
        """A client for its endpoint; a key that the environment lacks is a user's error."""
        return connect(self.config.endpoint, self.name)


def connect(endpoint: EndpointConfig, judge: str) -> Client:
    """A client for ``endpoint``, with the key that this process's environment holds."""
    key = os.environ.get(endpoint.key) if endpoint.key else None
    if endpoint.key and not key:
        raise UserError(
            f"the environment variable {endpoint.key} is not set",
            where=f"judge {judge}",
            fix=f"export {endpoint.key}=...",
        )
    client: Client = registry.get("client", endpoint.client)(endpoint.url, key)
    return client


def load_judge(path: str | Path) -> Judge:
    """The judge in the YAML file at ``path``; every fault of it is one line."""
    file = Path(path)
    if not file.is_file():
        raise UserError("no such file", where=str(path), expected="a judge's YAML file")
    return judge_of(validated(JudgeConfig, load_mapping(file), where=file.name), where=file)


def judge_of(config: JudgeConfig, *, where: Path) -> Judge:
    """The judge that ``config`` declares; a prompt's file stands beside ``where``."""
    config = config.model_copy(update={"endpoint": reached(config.endpoint, where)})
    prompt = _prompt(config, where)
    make = registry.get("recipe", config.recipe)
    options = validated(make.Options, config.options, where=f"{where.name}, options")
    recipe: Recipe = make(options, prompt)
    return Judge(config, recipe, prompt, _version(config, options, prompt, make))


def reached(endpoint: EndpointConfig, where: Path) -> EndpointConfig:
    """The endpoint with the address that the environment gives where the file gives none."""
    url = os.environ.get(BASE_URL, "") if endpoint.client == "openai" and not endpoint.url else ""
    whole = endpoint.model_dump(exclude_defaults=True) | ({"url": url} if url else {})
    return validated(EndpointConfig, whole, where=f"{where.name}, {BASE_URL}")


def _prompt(config: JudgeConfig, where: Path) -> Prompt | None:
    written = config.prompt
    if written is None:
        return None
    if isinstance(written, PromptConfig):
        return Prompt(written.user, written.system, where=where.name)
    if "\n" in written or "{{" in written:
        return Prompt(written, where=where.name)
    file = where.parent / written
    try:
        return Prompt(file.read_text(encoding="utf-8"), where=written)
    except (OSError, UnicodeDecodeError) as problem:
        raise UserError(f"prompt '{written}' cannot be read: {problem}", where=where.name) from None


def _version(config: JudgeConfig, options: BaseModel, prompt: Prompt | None, make: Any) -> str:
    written = config.model_dump(mode="json", exclude=UNVERSIONED)
    said = None if prompt is None else [prompt.system, prompt.user]
    texts = {"prompt": said, "wording": make.WORDING, "style": STYLE}
    whole = {**written, "options": options.model_dump(mode="json"), **texts}
    return content_hash(whole)[:VERSION_DIGITS]
