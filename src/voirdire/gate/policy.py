"""gate.yaml as a checked declaration: rules that name a measure and the threshold its interval must clear."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from voirdire import registry
from voirdire.errors import UserError
from voirdire.study.documents import load_mapping, validated

__all__ = ["CORRECTED", "EXAMPLE", "RAW", "GatePolicy", "Need", "Rule", "load_policy"]

Need = Literal["all", "most", "any"]
RAW = ("agreement",)
"""Measures that chance alone can raise, which need one of the others beside them."""
CORRECTED = ("judge_kappa", "judge_minus_people")
EXAMPLE = """\
# A gate's policy. Run it with: voirdire gate study/ --policy gate.yaml
# Every threshold is held against an interval: a rule passes when the whole interval is on the right side of
# it, fails when the whole interval is on the wrong side, and is inconclusive otherwise.
level: 0.95
rules:
  - measure: judge_kappa          # judge-person agreement beyond chance
    at_least: 0.6
  - measure: agreement            # raw agreement, never without one beyond chance beside it
    at_least: 0.75
  - measure: judge_minus_people   # the judge's agreement with people less people's with each other
    at_least: -0.1
    need: all                     # on all metrics; most: on more than half; any: on one
  - measure: unparsed
    at_most: 0.02
"""


def _listed(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value


Names = Annotated[tuple[str, ...], BeforeValidator(_listed)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Rule(_Part):
    """One threshold, or for a measure that is a test, that it must pass."""

    measure: str = Field(description="What is measured: see `voirdire plugins`.")
    at_least: float | None = Field(default=None, description="The interval must not reach below this.")
    at_most: float | None = Field(default=None, description="The interval must not reach above this.")
    judges: Names = Field(default=(), description="These judges only; all where absent.")
    metrics: Names = Field(default=(), description="These metrics only; all where absent.")
    systems: Names = Field(default=(), description="These systems only; all where absent.")
    need: Need = Field(default="all", description="On all of them, on most (more than half), or on any.")
    allow_inconclusive: bool = Field(default=False, description="Whether not being able to tell passes.")
    options: dict[str, Any] = Field(default_factory=dict, description="The measure's own options.")

    @property
    def name(self) -> str:
        """The rule in words, as ``judge_kappa at least 0.6``."""
        parts = [
            f"{words} {value:g}"
            for words, value in (("at least", self.at_least), ("at most", self.at_most))
            if value is not None
        ]
        return f"{self.measure} {' and '.join(parts)}".strip()

    @model_validator(mode="after")
    def _ends_in_order(self) -> Rule:
        if self.at_least is not None and self.at_most is not None and self.at_least > self.at_most:
            raise ValueError("at_least no larger than at_most")
        return self


class GatePolicy(_Part):
    """The whole of gate.yaml."""

    level: float = Field(default=0.95, ge=0.5, lt=1, description="Coverage of the intervals.")
    seed: int = Field(default=20261129, ge=0, description="Makes resamples repeatable.")
    rules: tuple[Rule, ...] = Field(min_length=1, description="The rules, all of which must pass.")

    @model_validator(mode="after")
    def _raw_agreement_is_not_alone(self) -> GatePolicy:
        raw = next((rule for rule in self.rules if rule.measure in RAW), None)
        if raw is not None and not any(rule.measure in CORRECTED for rule in self.rules):
            raise ValueError(
                f"a rule on {' or '.join(CORRECTED)} beside {raw.measure}, which a judge that always says "
                "the commonest label can reach"
            )
        return self


def load_policy(path: str | Path) -> GatePolicy:
    """The policy in the YAML file at ``path``; every fault of it is one line."""
    file = Path(path)
    if not file.is_file():
        raise UserError(
            "no such file", where=str(path), fix="voirdire gate --example prints one to start from"
        )
    policy = validated(GatePolicy, load_mapping(file), where=file.name)
    for rule in policy.rules:
        measure = registry.get("measure", rule.measure)
        bare = rule.at_least is None and rule.at_most is None
        if bare != measure.is_test:
            expected = "no threshold: it is a test" if measure.is_test else "at_least or at_most"
            raise UserError(f"rule on {rule.measure}", where=file.name, expected=expected)
    return policy
