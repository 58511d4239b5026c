"""Made studies whose truth is known, and fake judges: for this project's tests and for its users'."""

from voirdire.testing.known_truth import KnownTruth, known_truth, truth_name
from voirdire.testing.planted import (
    Difficulty,
    PlantedJudge,
    PlantedMetric,
    PlantedRater,
    PlantedSystem,
    people,
)

__all__ = [
    "Difficulty",
    "KnownTruth",
    "PlantedJudge",
    "PlantedMetric",
    "PlantedRater",
    "PlantedSystem",
    "known_truth",
    "people",
    "truth_name",
]
