"""Every published case of the statistics of two raters, shares, ranks and numbers, at its tolerance."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from voirdire.errors import UserError
from voirdire.stats.bland_altman import bland_altman
from voirdire.stats.brennan import brennan_prediger
from voirdire.stats.coded import Coded
from voirdire.stats.cohen import cohen_kappa, cohen_kappa_between
from voirdire.stats.coherence import agreement_coherence
from voirdire.stats.concordance import concordance_correlation
from voirdire.stats.confusion import confusion
from voirdire.stats.correlation import kendall_tau_b, pearson, spearman
from voirdire.stats.estimate import Estimate
from voirdire.stats.gwet import gwet_ac
from voirdire.stats.icc import intraclass_correlation
from voirdire.stats.krippendorff import krippendorff_alpha
from voirdire.stats.marginal_homogeneity import bhapkar, bowker, stuart_maxwell
from voirdire.stats.mcnemar import mcnemar, paired_difference
from voirdire.stats.multiplicity import adjusted_p_values
from voirdire.stats.pairwise_accuracy import calibrate_ties, pairwise_accuracy
from voirdire.stats.paradox import kappa_paradox
from voirdire.stats.permutation import sign_flip_test
from voirdire.stats.proportion import clopper_pearson_interval, wilson_interval
from voirdire.stats.retest_coherence import retest_coherence
from voirdire.stats.scott import scott_pi
from voirdire.stats.transforms import normal_quantile
from voirdire.stats.triads import circular_triads
from voirdire.stats.two_rater import contingency_table, two_rater_table

Case = dict[str, Any]
Values = dict[str, Any]


def expanded(table: list[list[int]]) -> np.ndarray:
    """A contingency table as one row an item: two columns of label codes."""
    first, second = np.indices(np.shape(table))
    counts = np.ravel(table)
    return np.column_stack([np.repeat(first.ravel(), counts), np.repeat(second.ravel(), counts)]).astype(
        float
    )


def bounds(estimate: Estimate) -> list[float]:
    return [estimate.low, estimate.high]


def gwet_table(case: Case) -> Values:
    table, weights = case["data"]["table"], case["id"].rsplit("_", 1)[1]
    options = {"categories": list(range(len(table))), "weights": weights}
    coded = Coded.from_matrix(expanded(table), categories=options["categories"])
    quadratic = "interval" if weights == "quadratic" else "nominal"
    return {
        "cohen_kappa": cohen_kappa(table, weights=weights).estimate.value,
        "scott_pi": scott_pi(table, weights=weights).estimate.value,
        "gwet_ac": gwet_ac(expanded(table), **options),
        "brennan_prediger": brennan_prediger(expanded(table), **options),
        "percent_agreement": cohen_kappa(table, weights=weights).observed,
        "krippendorff_alpha": krippendorff_alpha(coded, level=quadratic),
    }


def cohen_table(case: Case) -> Values:
    table = case["data"]["table"]
    forms = {
        name: cohen_kappa(table, weights=name, interval="wald")
        for name in ("identity", "linear", "quadratic")
    }
    plain = forms["identity"]
    return {
        "kappa": plain.estimate.value,
        "po": plain.observed,
        "pe": plain.expected,
        "se": plain.standard_error,
        "se0": plain.null_standard_error,
        "ci95_wald": bounds(plain.estimate),
        "linear": forms["linear"].estimate.value,
        "quadratic": forms["quadratic"].estimate.value,
        "se_linear": forms["linear"].standard_error,
        "se_quadratic": forms["quadratic"].standard_error,
    }


def custom_weights(case: Case) -> Values:
    kappa = cohen_kappa(case["data"]["table"], weights=case["data"]["disagreement_weights"])
    return {"weighted_kappa": kappa.estimate.value}


def paradox_table(case: Case) -> Values:
    table = case["data"]["table"]
    plain, paradox = cohen_kappa(table, interval="wald"), kappa_paradox(table)
    return {
        "percent_agreement": plain.observed,
        "kappa": plain.estimate.value,
        "scott_pi": scott_pi(table).estimate.value,
        "gwet_ac1": gwet_ac(expanded(table), categories=[0, 1]),
        "pabak": paradox.pabak,
        "kappa_max": paradox.kappa_max,
        "prevalence_index": paradox.prevalence_index,
        "bias_index": paradox.bias_index,
        "p_pos": paradox.specific_agreement[0],
        "p_neg": paradox.specific_agreement[1],
        "se": plain.standard_error,
        "krippendorff_alpha": krippendorff_alpha(expanded(table)),
        "ci95_wald": bounds(plain.estimate),
    }


def shrout_fleiss(case: Case) -> Values:
    table = np.array(case["data"]["ratings"], dtype=float)
    item, rater = np.indices(table.shape).reshape(2, -1)
    icc = intraclass_correlation(item, rater, table.ravel(), absolute_interval="satterthwaite")
    forms = {
        "ICC1": icc.one_way,
        "ICC2": icc.absolute,
        "ICC3": icc.consistency,
        "ICC1k": icc.mean_one_way,
        "ICC2k": icc.mean_absolute,
        "ICC3k": icc.mean_consistency,
    }
    squares = {
        "MSB": icc.between_items,
        "MSW": icc.within_items,
        "MSJ": icc.between_raters,
        "MSE": icc.error,
    }
    return {
        **squares,
        **{name: form.value for name, form in forms.items()},
        **{f"{name}_ci95": bounds(form) for name, form in forms.items()},
    }


def mcnemar_table(case: Case) -> Values:
    test = mcnemar(case["data"]["table"])
    return {
        "chi2": test.chi2,
        "chi2_cc": test.chi2_corrected,
        "p": test.p,
        "p_cc": test.p_corrected,
        "p_exact": test.p_exact,
        "p_midp": test.p_mid,
        "diff": paired_difference(case["data"]["table"]).value,
    }


def homogeneity_table(case: Case) -> Values:
    table = case["data"]["table"]
    marginal, symmetry = stuart_maxwell(table), bowker(table)
    return {
        "stuart_maxwell": marginal.statistic,
        "df": marginal.df,
        "p": marginal.p,
        "bhapkar": bhapkar(table).statistic,
        "bowker": symmetry.statistic,
        "bowker_df": symmetry.df,
        "bowker_p": symmetry.p,
    }


def proportion_case(case: Case) -> Values:
    x, n, level = case["data"]["x"], case["data"]["n"], 1 - case["data"].get("alpha", 0.05)
    exact = [float(bound) for bound in clopper_pearson_interval(x, n, level=level)]
    wilson = [float(bound) for bound in wilson_interval(x, n, level=level)]
    return {"clopper_pearson": exact, "wilson": wilson, "upper": exact[1]}


def headline(case: Case) -> Values:
    data = case["data"]
    found = agreement_coherence(n=data["n"], x=data["x"], kappa=data["kappa"])
    # the retest's 240 pairs stand in the case's source text
    retest = retest_coherence(data["unanimity"], runs=data["runs"], kappa=data["fleiss"], n=240)
    assert found.coherent
    assert retest.coherent
    assert found.kappa is not None
    assert found.kappa.if_half is not None
    assert retest.unanimity is not None
    half = found.kappa.if_half
    se = (half.high - half.low) / 2 / normal_quantile(0.95)
    return {
        "wilson": bounds(found.agreement),
        "clopper_pearson": [float(bound) for bound in clopper_pearson_interval(data["x"], data["n"])],
        "implied_pe": found.kappa.chance,
        "kappa_se_if_pe_half": se,
        # the case takes z as 1.96; ours has all its digits, which moves the bounds by 2e-6
        "kappa_ci_if_pe_half": [half.value - 1.96 * se, half.value + 1.96 * se],
        "retest_pairwise_agreement": retest.pairwise_agreement[0],
        "retest_implied_pe": retest.chance,
        "retest_unanimity_wilson": bounds(retest.unanimity),
    }


def adjusted(case: Case) -> Values:
    p = case["data"]["p"]
    found: Values = {name: adjusted_p_values(p, method=name) for name in ("bh", "by", "holm")}
    counts = {f"n_reject_{name}_05": int((found[name] <= 0.05).sum()) for name in ("bh", "by")}
    return {**found, **counts, "n_reject_bonf_05": int((np.array(p) * len(p) <= 0.05).sum())}


def correlations(x: list[float], y: list[float]) -> Values:
    return {
        "tau_b": kendall_tau_b(x, y).value,
        "kendall_tau_b": kendall_tau_b(x, y).value,
        "spearman": spearman(x, y).value,
        "pearson": pearson(x, y).value,
    }


def rank_ties(case: Case) -> Values:
    return correlations(case["data"]["x"], case["data"]["y"])


def acc_eq(case: Case) -> Values:
    gold, metric = case["data"]["gold"], case["data"]["metric"]
    best = calibrate_ties(gold, metric)
    at_best = pairwise_accuracy(gold, metric, epsilon=best.epsilon).value
    assert at_best == pytest.approx(best.accuracy)
    return {
        "tau_b": kendall_tau_b(gold, metric).value,
        "acc_eq": pairwise_accuracy(gold, metric).value,
        "acc_eq_eps2": pairwise_accuracy(gold, metric, epsilon=2).value,
        "acc_eq_best_eps": best.accuracy,
    }


def sign_flip(case: Case) -> Values:
    difference = np.subtract(case["data"]["scores_a"], case["data"]["scores_b"])
    test = sign_flip_test(difference, rng=np.random.default_rng(0), alternative="greater")
    assert test.exact
    return {"p_exact": test.p}


def bland_altman_case(case: Case) -> Values:
    x, y = case["data"]["x"], case["data"]["y"]
    usual, twice = bland_altman(x, y), bland_altman(x, y, multiplier=2)
    ccc = concordance_correlation(x, y)
    return {
        "bias": usual.bias.value,
        "sd": usual.sd,
        "loa_1p96": [usual.lower_limit.value, usual.upper_limit.value],
        "loa_2sd": [twice.lower_limit.value, twice.upper_limit.value],
        "bias_ci95": bounds(usual.bias),
        "ccc": ccc.value,
        "ccc_ci95": bounds(ccc),
    }


def confusion_case(case: Case) -> Values:
    table = contingency_table(case["data"]["y_true"], case["data"]["y_pred"], 2)
    scores = confusion(table)
    yes = scores.classes[1]
    assert 0 <= yes.f1.low < yes.f1.high <= 1
    return {
        "mcc": scores.mcc.value,
        "sensitivity": yes.sensitivity.value,
        "specificity": yes.specificity.value,
        "f1": yes.f1.value,
        "sens_wilson": bounds(yes.sensitivity),
        "kappa": cohen_kappa(table).estimate.value,
    }


def triads(case: Case) -> Values:
    found = circular_triads(case["data"]["wins"])
    return {"d": found.circular, "zeta": found.zeta}


def edge(case: Case) -> Values:
    """The two-rater values of an edge case; those of many raters are tested with their statistics."""
    ratings, categories = case["data"]["ratings"], case["data"]["categories"]
    coded = Coded.from_matrix(np.array(ratings, dtype=object), categories=categories)
    table = two_rater_table(coded)
    found: Values = {
        "cohen": cohen_kappa(table).estimate.value,
        "cohen12": cohen_kappa(table).estimate.value,
        "scott": scott_pi(table).estimate.value,
        "scott_pi": scott_pi(table).estimate.value,
    }
    if isinstance(ratings[0][0], str):
        for name in ("linear", "quadratic"):
            kappa = cohen_kappa_between(coded, weights=name, by="rank")
            found[f"kappa_{name}"] = kappa.estimate.value
    else:
        columns = np.array(ratings, dtype=float)
        found |= correlations(columns[:, 0], columns[:, 1])
    return found


CASES: dict[str, Callable[[Case], Values]] = {
    "gwet_3x3_abstractors_identity": gwet_table,
    "gwet_3x3_abstractors_linear": gwet_table,
    "gwet_3x3_abstractors_quadratic": gwet_table,
    "cohen1960_3x3": cohen_table,
    "cohen1968_weighted": custom_weights,
    "agresti_sexualfun": cohen_table,
    "kappa2x2_wikipedia_a": paradox_table,
    "kappa2x2_wikipedia_b": paradox_table,
    "kappa2x2_wikipedia_c": paradox_table,
    "kappa2x2_paradox1_balanced": paradox_table,
    "kappa2x2_paradox1_skewed": paradox_table,
    "shrout_fleiss_1979": shrout_fleiss,
    "mcnemar_agresti": mcnemar_table,
    "stuart_maxwell_vision": homogeneity_table,
    "proportion_ci_81_263": proportion_case,
    "proportion_ci_15_148": proportion_case,
    "proportion_ci_0_20": proportion_case,
    "proportion_ci_1_29": proportion_case,
    "proportion_ci_29_29": proportion_case,
    "clopper_pearson_tiny_alpha": proportion_case,
    "impactbench_headline": headline,
    "bh1995": adjusted,
    "rank_corr_ties": rank_ties,
    "wmt_acc_eq": acc_eq,
    "spa_perm_p": sign_flip,
    "bland_altman_pefr": bland_altman_case,
    "confusion_small": confusion_case,
    "circular_triads_5": triads,
    "edge_all_one_category_declared2": edge,
    "edge_empty_category": edge,
    "edge_constant_rater": edge,
    "edge_ordinal_strings_declared": edge,
    "edge_rater_rated_nothing": edge,
}

# values of the edge cases that belong to statistics of many raters, tested with those
OF_MANY_RATERS = {
    *("percent_agreement", "fleiss", "alpha", "alpha_ordinal", "gwet_ac1", "brennan_prediger"),
    *("gwet_ac1_q2", "brennan_prediger_q2", "conger", "same_as_dropping_column"),
    "kappa_quadratic_if_alphabetical_WRONG",
}


@pytest.mark.shared
@pytest.mark.parametrize("name", CASES)
def test_reference_case(name: str, shared: Path) -> None:
    cases = json.loads((shared / "reference" / "reference_values.json").read_text())["cases"]
    case = next(case for case in cases if case["id"] == name)
    found = CASES[name](case)
    ours = {key: value for key, value in case["expected"].items() if CASES[name] is not edge or key in found}
    left = set(case["expected"]) - set(ours)
    assert ours
    assert left <= OF_MANY_RATERS, f"untested: {left - OF_MANY_RATERS}"
    for key, expected in ours.items():
        if expected is None:
            assert math.isnan(found[key]), key
        else:
            assert found[key] == pytest.approx(expected, abs=case["tol"], rel=0), key


def test_ordinal_words_follow_the_declared_order_and_never_the_alphabet() -> None:
    first = ["low", "low", "medium", "medium", "high", "high"]
    second = ["low", "medium", "medium", "high", "high", "high"]
    ratings = np.array([first, second], dtype=object).T
    declared = Coded.from_matrix(ratings, categories=["low", "medium", "high"])
    alphabetical = Coded.from_matrix(ratings, categories=["high", "low", "medium"])
    right = cohen_kappa_between(declared, weights="quadratic", by="rank").estimate.value
    wrong = cohen_kappa_between(alphabetical, weights="quadratic", by="rank").estimate.value
    assert right == pytest.approx(0.75)
    assert wrong == pytest.approx(0.444444, abs=1e-6)
    with pytest.raises(UserError, match="order"):
        cohen_kappa_between(Coded.from_matrix(ratings), weights="quadratic", by="rank")


def test_untrimmed_labels_lower_kappa_until_they_are_normalised() -> None:
    raw = Coded.from_matrix(
        np.array([["pass", "pass "], ["fail", "fail"], ["pass", "Pass"], ["fail", "fail"]], dtype=object)
    )
    clean = Coded.from_matrix(np.array([["pass", "pass"], ["fail", "fail"]] * 2, dtype=object))
    assert cohen_kappa_between(raw).estimate.value == pytest.approx(1 / 3)
    assert cohen_kappa_between(clean).estimate.value == 1


def test_a_judge_that_always_passes_has_high_accuracy_and_no_kappa() -> None:
    table = [[0, 1], [0, 9]]
    assert confusion(table).accuracy.value == 0.9
    assert cohen_kappa(table).estimate.value == 0


def test_skewed_two_by_two() -> None:
    table = [[90, 5], [4, 1]]
    assert cohen_kappa(table).estimate.value == pytest.approx(0.134615, abs=1e-6)
    assert kappa_paradox(table).pabak == pytest.approx(0.82)
