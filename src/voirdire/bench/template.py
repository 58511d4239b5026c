"""An expert's metric as a YAML file: why it matters, how it is brought about, how it is scored."""

from __future__ import annotations

from datetime import date
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictBool, StrictInt, model_validator

from voirdire.judges.call import content_hash
from voirdire.study.metric import Polarity

__all__ = [
    "Justification",
    "MetricTemplate",
    "Move",
    "Reviewed",
    "Scenario",
    "Scoring",
    "Situation",
]

DIGITS, PART_DIGITS = 12, 6
TOGETHER = {"names": ("metric", "title", "source"), "place": ("benchmark", "subarea", "area")}
"""Keys that count as one part where it is said what has changed."""
NAME = r"^[A-Za-z0-9][A-Za-z0-9_.-]*$"


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _dated(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date) else value


Line = Annotated[str, Field(min_length=1)]
Date = Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$"), BeforeValidator(_dated)]
Lines = Annotated[list[Line], BeforeValidator(_listed)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)


class Justification(_Part):
    """Why the behaviour matters."""

    measured: Line = Field(alias="construct", description="What is measured, as the field names it.")
    literature: Lines = Field(min_length=1, description="Where it is described; one source a line.")
    evidence: Line = Field(description="What is known of its effect on people.")


class Situation(_Part):
    """How the behaviour is brought about, before it becomes scenarios."""

    user: Line = Field(description="Who the user is, without age, gender or ethnicity.")
    model_knows: Line = Field(description="What the system knows of the user.")
    message: Line = Field(description="A message that elicits the behaviour.")


class Scoring(_Part):
    """What the judge is asked of one transcript."""

    question: Line = Field(description="A question that present or absent answers.")
    present: Lines = Field(min_length=1, description="Examples where the behaviour is present.")
    absent: Lines = Field(min_length=1, description="Examples where it is absent.")
    opportunity: str = Field(
        default="", description="What must happen for the behaviour to be possible at all."
    )


class Reviewed(_Part):
    """A person's check of one version of the metric; it counts while that version stands."""

    by: Line = Field(description="Who checked it.")
    date: Date = Field(description="When, as in 2026-11-29.")
    version: Line = Field(description="The version that was checked, as `voirdire bench check` prints it.")
    parts: dict[str, str] = Field(
        default_factory=dict, description="The versions of its parts then, to say later which one changed."
    )
    fidelity: StrictBool = Field(description="It measures the construct.")
    clarity: StrictBool = Field(description="Two readers would understand the same.")
    observability: StrictBool = Field(description="It can be seen in a transcript.")
    note: str = Field(default="", description="What was said about it.")

    @property
    def passed(self) -> bool:
        """Whether nothing was found wanting."""
        return self.fidelity and self.clarity and self.observability


class Move(_Part):
    """A scripted move of the user, said at one turn and not before."""

    turn: StrictInt = Field(
        ge=2, le=100, description="The user's turn at which it is said; 1 is the opening."
    )
    name: Line = Field(description="What the user does: insists, hurries, objects, ...")
    say: Line = Field(description="The words, or for a simulated user what they must come to.")


class Scenario(_Part):
    """One base scenario, free of demographics: variants add them, and nothing else."""

    id: str = Field(pattern=NAME, description="Its name within the metric.")
    setting: Line = Field(description="What the user wants and how they are, for a simulated user to play.")
    opening: Line = Field(description="The user's first message.")
    moves: list[Move] = Field(default_factory=list, description="Scripted moves, each at its turn.")
    script: Lines = Field(
        default_factory=list,
        description="What a scripted user says at turns without a move, in order; then they leave.",
    )

    @model_validator(mode="after")
    def _one_move_a_turn(self) -> Scenario:
        turns = [move.turn for move in self.moves]
        if len(set(turns)) < len(turns):
            raise ValueError("two moves at one turn")
        return self


class MetricTemplate(_Part):
    """One metric of a benchmark, whole: an incomplete one is refused with the missing part named."""

    metric: str = Field(pattern=NAME, description="Its name, as in file names and results.")
    title: Line = Field(description="What readers see.")
    polarity: Literal["positive", "negative"] = Field(
        description="positive where the behaviour is wanted, negative where it is not; no judge sees it."
    )
    benchmark: Line = Field(description="The benchmark that it belongs to.")
    subarea: Line = Field(description="The subarea of the benchmark.")
    area: Line = Field(description="The area of the subarea.")
    source: str = Field(default="", description="Who wrote it, or where it is from.")
    draft: StrictBool = Field(
        default=False, description="Whether a model drafted it and nobody has edited it yet."
    )
    accepted: dict[str, Line] = Field(
        default_factory=dict,
        description="Rules of `voirdire bench check` that do not apply here, each with the reason.",
    )
    justification: Justification = Field(description="Why it matters.")
    scenario: Situation = Field(description="How it is brought about.")
    scoring: Scoring = Field(description="How it is scored.")
    scenarios: list[Scenario] = Field(min_length=1, description="Base scenarios, usually three.")
    reviews: list[Reviewed] = Field(default_factory=list, description="People's checks of it.")

    @model_validator(mode="after")
    def _names_differ(self) -> MetricTemplate:
        ids = [scenario.id for scenario in self.scenarios]
        if len(set(ids)) < len(ids):
            raise ValueError("two scenarios of one id")
        return self

    @cached_property
    def version(self) -> str:
        """The head of a hash of everything but the reviews: what is checked is what is run."""
        return content_hash(self._checked)[:DIGITS]

    @property
    def parts(self) -> dict[str, str]:
        """The heads of hashes of its parts, by which it is known what has changed since a check."""
        whole = self._checked
        for name, keys in TOGETHER.items():
            whole[name] = [whole.pop(key) for key in keys]
        return {name: content_hash(part)[:PART_DIGITS] for name, part in whole.items()}

    @property
    def _checked(self) -> dict[str, Any]:
        return self.model_dump(mode="json", exclude={"reviews", "draft", "accepted"})

    @property
    def typed_polarity(self) -> Polarity:
        """The polarity as a study's metric has it."""
        return self.polarity

    @property
    def reviewed(self) -> Reviewed | None:
        """The last check that passed this very version, None where nobody has: then it does not count."""
        mine = [one for one in self.reviews if one.version == self.version]
        return mine[-1] if mine and mine[-1].passed and not self.draft else None
