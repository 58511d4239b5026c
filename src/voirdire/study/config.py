"""The declared part of a study, as in study.yaml: what a file of labels cannot say about itself."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

__all__ = [
    "AskedConfig",
    "MetricConfig",
    "Normalisation",
    "OnDuplicate",
    "RaterConfig",
    "ScaleConfig",
    "StudyConfig",
    "TableConfig",
]

Normalisation = Literal["trim", "case", "nfc"]
OnDuplicate = Literal["error", "first", "last", "majority"]


def _text(value: Any) -> Any:
    """Numbers and truth values given from Python, as a file would spell them."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, (int, float)) else value


def _listed(value: Any) -> Any:
    """One word where a list is expected is a list of one; an empty value is an empty list."""
    if isinstance(value, str):
        return [value] if value else []
    return value


def _mapped(value: Any) -> Any:
    """A key that stands there with nothing under it declares nothing."""
    return {} if value in ("", None) else value


Text = Annotated[str, BeforeValidator(_text)]
Texts = Annotated[list[Text], BeforeValidator(_listed)]
TextMap = Annotated[dict[Text, Text], BeforeValidator(_mapped)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class TableConfig(_Part):
    """One file of the study, and how its columns are read."""

    file: Text = Field(description="The file, relative to study.yaml.", min_length=1)
    kind: Literal["ratings", "items", "reviews"] = Field(
        default="ratings",
        description="What a row is: a rating, an item with texts and attributes, or a review of a metric.",
    )
    layout: Literal["long", "wide"] | None = Field(
        default=None,
        description="long: one row a rating; wide: one column a rater or metric. Found from the columns.",
    )
    columns: TextMap = Field(
        default_factory=dict,
        description="The file's own name of a column: `label: score` reads the column score as label.",
    )
    item_from: Texts = Field(
        default_factory=list, description="Columns that together name the item; they are joined with `|`."
    )
    raters: Texts = Field(
        default_factory=list, description="Wide tables: the columns that each hold one rater's labels."
    )
    metrics: Texts = Field(
        default_factory=list, description="Wide tables: the columns that each hold the labels on one metric."
    )
    set: TextMap = Field(
        default_factory=dict, description="Columns that the file lacks, with the value that every row has."
    )
    map: TextMap = Field(default_factory=dict, description="Labels of this file to rename: `1: pass`.")
    missing: Texts | None = Field(
        default=None,
        description="Spellings of a missing label in this file, in place of the study's; `[]` for none.",
    )
    encoding: Text = Field(default="", description="The file's text encoding, where it is not found rightly.")
    separator: Text = Field(
        default="", description="The character between cells, where it is not found rightly."
    )


class ScaleConfig(_Part):
    """The labels that a metric may receive."""

    kind: Literal["binary", "nominal", "ordinal", "numeric", "pairwise"] | None = Field(
        default=None,
        description="binary, nominal, ordinal, numeric or pairwise; found from the labels by default.",
    )
    labels: Texts = Field(
        default_factory=list, description="Every label that may be given, in order if they have one."
    )
    ordered: bool | None = Field(
        default=None,
        description="Whether the labels stand in order; true for ordinal and numeric, else false.",
    )
    values: list[float] | None = Field(
        default=None, description="One number a label, for statistics that need numbers."
    )
    low: float | None = Field(
        default=None, description="Numeric: the lowest value allowed; a label below is invalid."
    )
    high: float | None = Field(
        default=None, description="Numeric: the highest value allowed; a label above is invalid."
    )
    indeterminate: Annotated[dict[Text, Texts], BeforeValidator(_mapped)] = Field(
        default_factory=dict,
        description="Labels that admit several verdicts, with those verdicts: `borderline: [pass, fail]`.",
    )
    separator: Text = Field(
        default="", description="What separates the verdicts of a response set inside one label."
    )


class MetricConfig(_Part):
    """One criterion. The key is its name in the ratings, or a pattern: `pos-*`, and `*` for every other."""

    title: Text = Field(default="", description="What a reader sees in place of the name.")
    scale: Annotated[ScaleConfig, BeforeValidator(_mapped)] = Field(
        default_factory=lambda: ScaleConfig(), description="The labels that the metric may receive."
    )
    map: TextMap = Field(
        default_factory=dict, description="Labels of this metric to rename: `tie_inconsistent: tie`."
    )
    policy: Text = Field(
        default="",
        description="How indeterminate labels are counted: kept apart, left out, or as X (as fail).",
    )
    forced: Text = Field(
        default="",
        description="The metric on which the same people named one verdict of all that they accept on this.",
    )
    tie: Text = Field(
        default="", description="The verdict that a tied majority counts as; left out by default."
    )
    polarity: Literal["positive", "negative", ""] = Field(
        default="", description="positive where the behaviour is wanted, negative where it is not."
    )
    rubric: Text = Field(default="", description="The written criterion that raters were given.")
    present: Texts = Field(default_factory=list, description="Examples where the behaviour is present.")
    absent: Texts = Field(default_factory=list, description="Examples where it is absent.")
    group: Text = Field(default="", description="The suite that the metric belongs to.")


class AskedConfig(_Part):
    """How a judge was asked and what it could see; of judges run with voirdire it is known."""

    version: Text = Field(default="", description="Changes with anything that can change a verdict.")
    recipe: Text = Field(default="", description="The way of asking.")
    endpoint: Text = Field(default="", description="Where the model was reached.")
    parameters: Text = Field(default="", description="What was sent with every request, as JSON.")
    sees: Texts = Field(default_factory=list, description="The columns of an item that were shown.")
    references: Texts | None = Field(
        default=None,
        description="Those of them that hold a reference answer, `synthetic` for one of the model's own; "
        "`[]` for a judge without a reference.",
    )
    examples: bool | None = Field(
        default=None, description="Whether labels of people were shown as examples."
    )
    prompt: Text = Field(default="", description="The prompt's template.")


class RaterConfig(_Part):
    """One rater. The key is the rater's id in the ratings."""

    kind: Literal["human", "judge", "program", "reference"] | None = Field(
        default=None, description="human, judge, program or reference."
    )
    expertise: Text = Field(default="", description="A person's field.")
    model: Text = Field(default="", description="A judge's model and version.")
    family: Text = Field(default="", description="The provider's line that a judge's model belongs to.")
    map: TextMap = Field(
        default_factory=dict,
        description="The rater's own labels, where they differ from the metric's: `1: pass`.",
    )
    asked: AskedConfig | None = Field(
        default=None, description="How a judge was asked, and what it could see."
    )


class StudyConfig(_Part):
    """The whole of study.yaml."""

    name: Text = Field(default="", description="The study's name.")
    demo: Text = Field(default="", description="A note that the data are made up; shown on every page.")
    tables: list[TableConfig] = Field(default_factory=list, description="The files of the study.")
    store: Text = Field(
        default="",
        description="Where verdicts and labels made with voirdire are kept: `postgresql://host/base`; "
        "voirdire.sqlite in the folder by default.",
    )
    parts: bool = Field(
        default=False,
        description="Whether parts of judges' verdicts (a checklist's questions, a rubric's leaves) are "
        "read as metrics of their own, `metric/part`.",
    )
    unrated: bool = Field(
        default=False,
        description="Whether items and declared metrics that nobody has rated yet are kept.",
    )
    metrics: Annotated[dict[Text, MetricConfig], BeforeValidator(_mapped)] = Field(
        default_factory=dict, description="What is known of each metric."
    )
    raters: Annotated[dict[Text, RaterConfig], BeforeValidator(_mapped)] = Field(
        default_factory=dict, description="What is known of each rater."
    )
    clusters: Texts = Field(
        default_factory=list,
        description="Item attributes that together name the prompt or source that items share.",
    )
    slices: Texts | None = Field(
        default=None, description="Item attributes to report by; those with 2 to 20 values by default."
    )
    missing: Texts | None = Field(
        default=None,
        description="Spellings of a missing label in text files; `[]` makes every spelling a label.",
    )
    normalise: Annotated[list[Normalisation], BeforeValidator(_listed)] = Field(
        default_factory=list,
        description="What to even out in labels: trim (spaces), case, nfc (Unicode form).",
    )
    on_duplicate: OnDuplicate = Field(
        default="error",
        description="Where a rater labelled an item twice in one run: error, first, last or majority.",
    )
    population: Annotated[dict[Text, int], BeforeValidator(_mapped)] = Field(
        default_factory=dict,
        description="Totals of what the study was sampled from: metrics, benchmarks, items.",
    )
    design: Text = Field(default="", description="How items were chosen for rating.")
    reported: Annotated[dict[Text, dict[Text, float]], BeforeValidator(_mapped)] = Field(
        default_factory=dict,
        description="Published figures to check for coherence, by metric: agreement, kappa, n.",
    )

    def metric(self, name: str) -> MetricConfig:
        """What is declared of metric ``name``: its own entry, else the first pattern that matches it."""
        if name in self.metrics:
            return self.metrics[name]
        patterns = (pattern for pattern in self.metrics if pattern != "*" and fnmatchcase(name, pattern))
        return self.metrics.get(next(patterns, "*"), MetricConfig())
