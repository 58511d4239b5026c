"""Who plays: targets.yaml lists the systems under test, user.yaml says who writes to them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, model_validator

from voirdire.bench.dialogue import Part
from voirdire.bench.imported import Transcripts, load_transcripts, said_in
from voirdire.bench.modelled import ModelUser, Moves
from voirdire.bench.playable import check_playable
from voirdire.bench.scripts import Script, ScriptedUser, planted
from voirdire.bench.suite import Bench, Case
from voirdire.decide.rates_rows import ALL
from voirdire.errors import UserError
from voirdire.judges.call import content_hash
from voirdire.judges.judge import reached
from voirdire.judges.judge_file import EndpointConfig, LimitsConfig, PriceConfig
from voirdire.opening import read_table
from voirdire.study.documents import load_mapping, validated

__all__ = [
    "IMPORTED",
    "USER",
    "Cast",
    "ModelConfig",
    "TargetConfig",
    "TargetsConfig",
    "UserConfig",
    "load_cast",
]

DIGITS = 12
ID_DIGITS = 24
USER = "user"
"""Under which name the simulated user's calls are kept; systems' go by their own names."""
IMPORTED = "imported"
"""The version of the user of conversations that were held elsewhere."""
UNVERSIONED = {"price", "limits", "family", "system", "user", "transcripts", "named", "columns"}
"""Keys that cannot change what is said."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class ModelConfig(_Part):
    """A model that plays. Changing anything but ``family``, ``price`` and ``limits`` makes a new version."""

    family: str = Field(
        default="", description="The model's provider line, to flag one that also judges or plays."
    )
    model: str = Field(default="", description="The model, as the endpoint names it.")
    endpoint: EndpointConfig = Field(default_factory=EndpointConfig, description="Where it is reached.")
    parameters: dict[str, Any] = Field(
        default_factory=dict,
        description="Sent with every call as they are: temperature, max_tokens, seed, ...",
    )
    price: PriceConfig | None = Field(default=None, description="To count what calls cost.")
    limits: LimitsConfig = Field(default_factory=LimitsConfig, description="How fast to ask.")

    @cached_property
    def version(self) -> str:
        """The head of a hash of all that can change what is said."""
        return content_hash(self._said())[:DIGITS]

    def _said(self) -> dict[str, Any]:
        return self.model_dump(mode="json", exclude=UNVERSIONED)


class UserConfig(ModelConfig):
    """The whole of user.yaml: a script, or a model that plays the user."""

    user: str = Field(default="user", min_length=1, description="The simulated user's name in results.")
    script: Literal[True] | None = Field(
        default=None, description="true: says what the scenarios have written for it, and asks no model."
    )
    moves: Moves = Field(
        default="as written",
        description="How a model makes moves: as written, the same to every system, or in its own words.",
    )

    @model_validator(mode="after")
    def _one_kind(self) -> UserConfig:
        _only_one(self, "script", "model")
        return self

    def _said(self) -> dict[str, Any]:
        if self.script:
            return {"script": ScriptedUser.WORDING}
        return {**super()._said(), "wording": ModelUser.WORDING}


class TargetConfig(ModelConfig):
    """A system under test: a model, a script with planted behaviour, or transcripts that exist."""

    system: str = Field(min_length=1, description="The system's name in results.")
    instructions: str = Field(default="", description="A system prompt; none is sent where this is empty.")
    script: Script | None = Field(default=None, description="Says what is written here, and asks no model.")
    transcripts: str = Field(
        default="", description="A file of finished conversations beside this one: CSV, JSON Lines, .eval."
    )
    named: str = Field(default="", description="What that file calls the system; its own name by default.")
    columns: dict[str, str] = Field(
        default_factory=dict,
        description="The file's own names of metric, scenario, variant, system, repeat, transcript, ended.",
    )

    @model_validator(mode="after")
    def _one_kind(self) -> TargetConfig:
        _only_one(self, "model", "script", "transcripts")
        return self


class TargetsConfig(_Part):
    """The whole of targets.yaml."""

    targets: list[TargetConfig] = Field(min_length=1, description="The systems under test.")

    @model_validator(mode="after")
    def _names_differ(self) -> TargetsConfig:
        names = [target.system for target in self.targets]
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise ValueError(f"system '{twice[0]}' once only")
        if ALL in names:
            raise ValueError(f"a system by another name than '{ALL}', which is all of them together")
        if USER in names:
            raise ValueError(f"a system by another name than '{USER}', which is the simulated user's")
        return self


def _only_one(config: BaseModel, *names: str) -> None:
    given = [name for name in names if getattr(config, name)]
    if len(given) != 1:
        raise ValueError(f"exactly one of {', '.join(names)}")


Model = TypeVar("Model", bound=ModelConfig)


@dataclass(frozen=True, eq=False)
class Cast:
    """The user, the systems in order, and the ``transcripts`` of systems that were heard elsewhere."""

    user: UserConfig
    targets: tuple[TargetConfig, ...]
    transcripts: dict[str, Transcripts]

    def version_of(self, target: TargetConfig) -> str:
        """The version of a system: of a model's settings, of a script, or of what its transcripts say."""
        kept = self.transcripts.get(target.system)
        return target.version if kept is None else kept.version[:DIGITS]

    @property
    def document(self) -> dict[str, Any]:
        """Who plays, with versions and settings, as a manifest keeps it; no key is in it."""
        return {
            "user": {**self.user.model_dump(mode="json"), "version": self.user.version},
            "targets": [
                {**target.model_dump(mode="json"), "version": self.version_of(target)}
                for target in self.targets
            ],
        }

    def parts(self, bench: Bench, *, unreviewed: bool = False) -> Iterator[Part]:
        """Every conversation of the benchmark, case by case, system by system and repeat by repeat.

        What could not be played is a user's error before the first of them, and so is having nothing to play.
        """
        scripts = {target.system: target.script for target in self.targets if target.script is not None}
        if len(self.transcripts) < len(self.targets):
            check_playable(bench, scripts, scripted_user=bool(self.user.script))
        if not any(True for _ in bench.cases(unreviewed=unreviewed)):
            raise UserError(
                "no metric whose version has passed a review",
                where=bench.config.name,
                fix="have metrics reviewed, or pass --unreviewed",
            )
        cases = bench.cases(unreviewed=unreviewed)
        return (part for case in cases for target in self.targets for part in self._of(bench, case, target))

    def _of(self, bench: Bench, case: Case, target: TargetConfig) -> Iterator[Part]:
        turns, repeats = bench.config.turns, range(bench.config.repeats)
        kept, version = self.transcripts.get(target.system), target.version
        if kept is not None:
            for repeat, end in kept.of(case):
                said = content_hash(said_in(end))[:DIGITS]
                yield _part(case, target, repeat, (IMPORTED, said), end)
        elif target.script is not None:
            for repeat, cue in planted(target.script, target.system, case, len(repeats)):
                yield _part(
                    case, target, repeat, (self.user.version, version), cue, [turns, cue.words, cue.turn]
                )
        else:
            for repeat in repeats:
                yield _part(case, target, repeat, (self.user.version, version), None, [turns])


def _part(
    case: Case, target: TargetConfig, repeat: int, versions: tuple[str, str], cue: Any, more: Any = None
) -> Part:
    name = content_hash([case.hash, target.system, repeat, versions, more])[:ID_DIGITS]
    return Part(name, case, target.system, target.family, repeat, *versions, cue)


def load_cast(bench: Bench, targets: str | Path, user: str | Path) -> Cast:
    """Who plays ``bench``, from the files targets.yaml and user.yaml; transcripts stand beside the former."""
    file = _file(targets, "targets.yaml")
    told = validated(TargetsConfig, load_mapping(file), where=file.name).targets
    listed = [_reached(target, file) for target in told]
    spoken_by = _file(user, "user.yaml")
    player = _reached(validated(UserConfig, load_mapping(spoken_by), where=spoken_by.name), spoken_by)
    # a file that holds several systems is read once
    names = dict.fromkeys(target.transcripts for target in listed if target.transcripts)
    kept = {}
    for name in names:
        table = read_table(file.parent / name)
        for target in listed:
            if target.transcripts == name:
                called = target.named or target.system
                kept[target.system] = load_transcripts(table, bench, called, target.columns)
    return Cast(player, tuple(listed), kept)


def _reached(config: Model, where: Path) -> Model:
    """The model's address as its file or the environment gives it: it is part of the version."""
    if not config.model:
        return config
    return config.model_copy(update={"endpoint": reached(config.endpoint, where)})


def _file(path: str | Path, what: str) -> Path:
    file = Path(path)
    if not file.is_file():
        raise UserError("no such file", where=str(path), expected=f"a {what}")
    return file
