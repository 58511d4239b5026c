"""The nouns: scale, metric, rater, items, ratings and the study that holds them."""

from voirdire.study.column import Column
from voirdire.study.items import Items
from voirdire.study.metric import Metric
from voirdire.study.panel import Panel, Verdicts
from voirdire.study.policy import KEPT_APART, LEFT_OUT, Policy, policies
from voirdire.study.rater import RATER_KINDS, Rater, RaterKind
from voirdire.study.ratings import OK, STATUSES, Ratings, Source
from voirdire.study.review import Review
from voirdire.study.scale import Scale
from voirdire.study.slicing import Slice
from voirdire.study.study import Study

__all__ = [
    "KEPT_APART",
    "LEFT_OUT",
    "OK",
    "RATER_KINDS",
    "STATUSES",
    "Column",
    "Items",
    "Metric",
    "Panel",
    "Policy",
    "Rater",
    "RaterKind",
    "Ratings",
    "Review",
    "Scale",
    "Slice",
    "Source",
    "Study",
    "Verdicts",
    "policies",
]
