"""Pure functions over arrays of labels: agreement, its intervals, and what else an audit counts."""

from __future__ import annotations

from voirdire.stats.against_others import (
    JudgeAgreement,
    RaterAgreement,
    judge_agreement,
    leave_one_rater_out,
)
from voirdire.stats.brennan import BrennanPrediger, brennan_prediger
from voirdire.stats.coded import Coded
from voirdire.stats.conger import CongerKappa, conger_kappa
from voirdire.stats.engine import agreement
from voirdire.stats.estimate import NEW_RATERS, REASONS, THESE_RATERS, Estimate, undefined
from voirdire.stats.fleiss import FleissKappa, fleiss_category_kappas, fleiss_kappa, fleiss_null_test
from voirdire.stats.gwet import GwetAC, gwet_ac
from voirdire.stats.judge_person import JudgePerson, judge_against_people
from voirdire.stats.krippendorff import KrippendorffAlpha, krippendorff_alpha
from voirdire.stats.light import LightKappa, light_kappa
from voirdire.stats.pairwise import PairwiseAgreement, pairwise_agreement
from voirdire.stats.pooled import PooledAgreement, pooled_agreement
from voirdire.stats.sets import KrippendorffAlphaSets, krippendorff_alpha_sets, set_distance
from voirdire.stats.unanimous import Unanimity, unanimity
from voirdire.stats.weak import interval_caution
from voirdire.stats.weights import agreement_weights

__all__ = [
    "NEW_RATERS",
    "REASONS",
    "THESE_RATERS",
    "BrennanPrediger",
    "Coded",
    "CongerKappa",
    "Estimate",
    "FleissKappa",
    "GwetAC",
    "JudgeAgreement",
    "JudgePerson",
    "KrippendorffAlpha",
    "KrippendorffAlphaSets",
    "LightKappa",
    "PairwiseAgreement",
    "PooledAgreement",
    "RaterAgreement",
    "Unanimity",
    "agreement",
    "agreement_weights",
    "brennan_prediger",
    "conger_kappa",
    "fleiss_category_kappas",
    "fleiss_kappa",
    "fleiss_null_test",
    "gwet_ac",
    "interval_caution",
    "judge_against_people",
    "judge_agreement",
    "krippendorff_alpha",
    "krippendorff_alpha_sets",
    "leave_one_rater_out",
    "light_kappa",
    "pairwise_agreement",
    "pooled_agreement",
    "set_distance",
    "unanimity",
    "undefined",
]
