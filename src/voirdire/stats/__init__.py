"""Pure functions over arrays of labels: agreement, its intervals, and what else an audit counts."""

from __future__ import annotations

from voirdire.stats.abilities import Abilities
from voirdire.stats.against_others import JudgeAgreement, judge_agreement
from voirdire.stats.alternative_annotator import (
    EPSILON,
    AlternativeAnnotator,
    AlternativeAnnotatorTest,
    alternative_annotator_test,
)
from voirdire.stats.bland_altman import BlandAltman, bland_altman
from voirdire.stats.bradley_terry import bradley_terry
from voirdire.stats.brennan import BrennanPrediger, brennan_prediger
from voirdire.stats.clustered import clustered_mean
from voirdire.stats.coded import Coded
from voirdire.stats.cohen import cohen_kappa, cohen_kappa_between
from voirdire.stats.coherence import AgreementCoherence, ImpliedByKappa, agreement_coherence
from voirdire.stats.concordance import concordance_correlation
from voirdire.stats.confidence_sequence import ConfidenceSequence, confidence_sequence
from voirdire.stats.confusion import ClassScores, Confusion, confusion
from voirdire.stats.conger import CongerKappa, conger_kappa
from voirdire.stats.correlation import kendall_tau_b, pearson, spearman
from voirdire.stats.davidson import davidson
from voirdire.stats.dawid_skene import DawidSkene, dawid_skene
from voirdire.stats.decisiveness import decided_win_rate, decisiveness
from voirdire.stats.elo import Elo, elo
from voirdire.stats.engine import agreement
from voirdire.stats.estimate import NEW_RATERS, REASONS, THESE_RATERS, Estimate, undefined
from voirdire.stats.fleiss import FleissKappa, fleiss_category_kappas, fleiss_kappa, fleiss_null_test
from voirdire.stats.gwet import GwetAC, gwet_ac
from voirdire.stats.icc import ICC, intraclass_correlation
from voirdire.stats.judge_person import JudgePerson, judge_against_people
from voirdire.stats.kendall_w import KendallW, kendall_w
from voirdire.stats.krippendorff import KrippendorffAlpha, krippendorff_alpha
from voirdire.stats.leave_rater_out import RaterAgreement, leave_one_rater_out
from voirdire.stats.length_controlled import LengthControlled, length_controlled_win_rate
from voirdire.stats.leniency import label_leniency, leniency
from voirdire.stats.light import LightKappa, light_kappa
from voirdire.stats.marginal_homogeneity import ChiSquareTest, bhapkar, bowker, stuart_maxwell
from voirdire.stats.mcnemar import McNemar, mcnemar, paired_difference
from voirdire.stats.multiplicity import adjusted_p_values, false_coverage_level
from voirdire.stats.paired_comparisons import PairedComparisons
from voirdire.stats.pairwise import PairwiseAgreement, pairwise_agreement
from voirdire.stats.pairwise_accuracy import TieCalibration, calibrate_ties, pairwise_accuracy
from voirdire.stats.paradox import KappaParadox, kappa_paradox
from voirdire.stats.permutation import PermutationTest, sign_flip_p_values, sign_flip_test
from voirdire.stats.pooled import PooledAgreement, pooled_agreement
from voirdire.stats.position import PositionConsistency, first_win_share, position_consistency
from voirdire.stats.power import (
    detectable_mean,
    detectable_paired_difference,
    detectable_share,
    mean_sample_size,
    paired_sample_size,
    replacement_power,
    replacement_sample_size,
    share_sample_size,
)
from voirdire.stats.power_kappa import detectable_kappa, kappa_items_for_width, kappa_sample_size
from voirdire.stats.proportion import clopper_pearson_interval, proportion, wilson_interval
from voirdire.stats.random_effects import RandomEffects, random_effects
from voirdire.stats.rao_kupper import rao_kupper
from voirdire.stats.rater_pairs import RaterPairs, rater_pairs
from voirdire.stats.retest_coherence import RetestCoherence, retest_coherence
from voirdire.stats.scott import scott_pi
from voirdire.stats.selective import SelectiveThreshold, selective_threshold, threshold_grid
from voirdire.stats.sets import KrippendorffAlphaSets, krippendorff_alpha_sets, set_distance
from voirdire.stats.soft_pairwise_accuracy import soft_pairwise_accuracy
from voirdire.stats.triads import CircularTriads, circular_triads
from voirdire.stats.two_rater import TwoRaterKappa, contingency_table, disagreement_weights, two_rater_table
from voirdire.stats.unanimous import Unanimity, unanimity
from voirdire.stats.variance_components import VarianceComponents, variance_components
from voirdire.stats.weak import interval_caution
from voirdire.stats.weights import agreement_weights
from voirdire.stats.win_graph import WinGraph, win_graph

__all__ = [
    "EPSILON",
    "ICC",
    "NEW_RATERS",
    "REASONS",
    "THESE_RATERS",
    "Abilities",
    "AgreementCoherence",
    "AlternativeAnnotator",
    "AlternativeAnnotatorTest",
    "BlandAltman",
    "BrennanPrediger",
    "ChiSquareTest",
    "CircularTriads",
    "ClassScores",
    "Coded",
    "ConfidenceSequence",
    "Confusion",
    "CongerKappa",
    "DawidSkene",
    "Elo",
    "Estimate",
    "FleissKappa",
    "GwetAC",
    "ImpliedByKappa",
    "JudgeAgreement",
    "JudgePerson",
    "KappaParadox",
    "KendallW",
    "KrippendorffAlpha",
    "KrippendorffAlphaSets",
    "LengthControlled",
    "LightKappa",
    "McNemar",
    "PairedComparisons",
    "PairwiseAgreement",
    "PermutationTest",
    "PooledAgreement",
    "PositionConsistency",
    "RandomEffects",
    "RaterAgreement",
    "RaterPairs",
    "RetestCoherence",
    "SelectiveThreshold",
    "TieCalibration",
    "TwoRaterKappa",
    "Unanimity",
    "VarianceComponents",
    "WinGraph",
    "adjusted_p_values",
    "agreement",
    "agreement_coherence",
    "agreement_weights",
    "alternative_annotator_test",
    "bhapkar",
    "bland_altman",
    "bowker",
    "bradley_terry",
    "brennan_prediger",
    "calibrate_ties",
    "circular_triads",
    "clopper_pearson_interval",
    "clustered_mean",
    "cohen_kappa",
    "cohen_kappa_between",
    "concordance_correlation",
    "confidence_sequence",
    "confusion",
    "conger_kappa",
    "contingency_table",
    "davidson",
    "dawid_skene",
    "decided_win_rate",
    "decisiveness",
    "detectable_kappa",
    "detectable_mean",
    "detectable_paired_difference",
    "detectable_share",
    "disagreement_weights",
    "elo",
    "false_coverage_level",
    "first_win_share",
    "fleiss_category_kappas",
    "fleiss_kappa",
    "fleiss_null_test",
    "gwet_ac",
    "interval_caution",
    "intraclass_correlation",
    "judge_against_people",
    "judge_agreement",
    "kappa_items_for_width",
    "kappa_paradox",
    "kappa_sample_size",
    "kendall_tau_b",
    "kendall_w",
    "krippendorff_alpha",
    "krippendorff_alpha_sets",
    "label_leniency",
    "leave_one_rater_out",
    "length_controlled_win_rate",
    "leniency",
    "light_kappa",
    "mcnemar",
    "mean_sample_size",
    "paired_difference",
    "paired_sample_size",
    "pairwise_accuracy",
    "pairwise_agreement",
    "pearson",
    "pooled_agreement",
    "position_consistency",
    "proportion",
    "random_effects",
    "rao_kupper",
    "rater_pairs",
    "replacement_power",
    "replacement_sample_size",
    "retest_coherence",
    "scott_pi",
    "selective_threshold",
    "set_distance",
    "share_sample_size",
    "sign_flip_p_values",
    "sign_flip_test",
    "soft_pairwise_accuracy",
    "spearman",
    "stuart_maxwell",
    "threshold_grid",
    "two_rater_table",
    "unanimity",
    "undefined",
    "variance_components",
    "wilson_interval",
    "win_graph",
]
