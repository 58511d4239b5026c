"""A judge as data: the YAML file that says whom to ask, how, and what it may see."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator

__all__ = [
    "Combine",
    "EndpointConfig",
    "JudgeConfig",
    "LimitsConfig",
    "PanelConfig",
    "PriceConfig",
    "PromptConfig",
]

Combine = Literal["vote", "mean"]
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


Names = Annotated[tuple[str, ...], BeforeValidator(_listed)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class EndpointConfig(_Part):
    """Where the model is reached. A key is never written here, only the variable that holds it."""

    client: str = Field(
        default="openai", description="How the model is reached: openai, providers, local, replay or script."
    )
    url: str = Field(default="", description="Base address, as in http://localhost:8000/v1.")
    key: str = Field(default="", description="The environment variable that holds the key.")

    @field_validator("key")
    @classmethod
    def _is_a_name(cls, key: str) -> str:
        if key and not NAME.fullmatch(key):
            raise ValueError(
                "the name of an environment variable, as in OPENAI_API_KEY; never the key itself"
            )
        return key

    @field_validator("url")
    @classmethod
    def _holds_no_password(cls, url: str) -> str:
        if "@" in url.partition("://")[2].partition("/")[0]:
            raise ValueError("an address without a name or password in it: it is kept with every request")
        return url


class PromptConfig(_Part):
    """What is said, as Jinja templates; ``{{ item }}`` is what is judged."""

    system: str = Field(default="", description="The system message.")
    user: str = Field(default="", description="The user message; it must show {{ item }}.")


class PriceConfig(_Part):
    """What a million tokens cost, in any one currency."""

    input: float = Field(default=0.0, ge=0, description="A million tokens of the request.")
    output: float = Field(default=0.0, ge=0, description="A million tokens of the reply.")


class LimitsConfig(_Part):
    """How fast and how patiently to ask; changing these makes no new judge version."""

    concurrency: int = Field(default=16, ge=1, le=10_000, description="Calls at a time.")
    requests_per_minute: float = Field(default=0.0, ge=0, description="0 for no limit.")
    tokens_per_minute: float = Field(default=0.0, ge=0, description="0 for no limit.")
    timeout: float = Field(default=120.0, gt=0, description="Seconds that one attempt may take.")
    retries: int = Field(default=5, ge=0, le=100, description="Further attempts of a call that failed.")


class JudgeConfig(_Part):
    """One judge. Changing anything but ``price``, ``limits`` and ``metrics`` makes a new version of it."""

    judge: str = Field(min_length=1, description="The judge's name: its rater_id in the ratings.")
    model: str = Field(min_length=1, description="The model, as the endpoint names it.")
    family: str = Field(default="", description="The model's provider line, to flag a judge that competes.")
    endpoint: EndpointConfig = Field(default_factory=EndpointConfig, description="Where it is reached.")
    parameters: dict[str, Any] = Field(
        default_factory=dict,
        description="Sent with every call as they are: temperature, max_tokens, top_logprobs, seed, ...",
    )
    recipe: str = Field(min_length=1, description="How it is asked: see `voirdire plugins`.")
    options: dict[str, Any] = Field(default_factory=dict, description="The recipe's own options.")
    prompt: str | PromptConfig | None = Field(
        default=None,
        description="A template, a .j2 file beside this one, or system and user. The recipe's own if absent.",
    )
    sees: Names = Field(
        default=(),
        description="The item's columns that are shown. text, transcript, input and output where absent.",
    )
    metrics: Names = Field(default=(), description="The metrics it judges; all where absent.")
    price: PriceConfig | None = Field(default=None, description="To count what calls cost.")
    limits: LimitsConfig = Field(default_factory=LimitsConfig, description="How fast to ask.")


class PanelConfig(_Part):
    """Several judges as one. Each member's verdicts are kept under its own name too."""

    judge: str = Field(min_length=1, description="The panel's name: its rater_id in the ratings.")
    panel: Names = Field(min_length=2, description="The members' YAML files, beside this one.")
    combine: Combine = Field(
        default="vote",
        description="vote: the label with most weight; mean: the label with the largest mean probability.",
    )
    weights: dict[str, float] = Field(
        default_factory=dict, description="A member's weight by its name; 1 where not given."
    )
    quorum: int = Field(default=0, ge=0, description="Members that must give a verdict; 0 for all.")
