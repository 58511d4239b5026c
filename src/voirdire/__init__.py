"""voirdire examines an LLM judge against every human label before its verdicts are trusted.

>>> import voirdire
>>> "audit" in dir(voirdire)
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from voirdire.align.aligner import Aligner, align
    from voirdire.align.evaluation import Evaluation
    from voirdire.align.options import AlignOptions
    from voirdire.align.predictions import Predictions
    from voirdire.bench.checking import Checked, check_bench
    from voirdire.bench.starting import start_bench
    from voirdire.bench.suite import Bench, load_bench
    from voirdire.checks.audit import Audit, StandIn, audit
    from voirdire.checks.finding import Finding
    from voirdire.checks.options import AuditOptions
    from voirdire.decide.change import compare
    from voirdire.decide.change_options import CompareOptions
    from voirdire.decide.change_result import Change
    from voirdire.decide.drift import Drift, DriftOptions, drift
    from voirdire.decide.plan import plan
    from voirdire.decide.plan_options import PlanOptions
    from voirdire.decide.plan_result import LabelPlan
    from voirdire.decide.rates import rates
    from voirdire.decide.rates_options import RatesOptions
    from voirdire.decide.rates_result import Rates
    from voirdire.decide.replacement import replacement_tests
    from voirdire.decide.replacement_options import ReplacementOptions
    from voirdire.decide.replacement_result import ReplacementTests
    from voirdire.decide.select_options import SelectOptions
    from voirdire.decide.select_result import Selection
    from voirdire.decide.selection import select
    from voirdire.decide.self_preference import self_preference
    from voirdire.decide.self_preference_result import SelfPreference
    from voirdire.decide.systems import judged_systems
    from voirdire.decide.systems_options import SystemsOptions
    from voirdire.decide.systems_result import Systems
    from voirdire.errors import UserError, UserErrors
    from voirdire.gate.gate import Gate, gate
    from voirdire.gate.policy import GatePolicy, load_policy
    from voirdire.opening import open
    from voirdire.stats.estimate import Estimate
    from voirdire.study.metric import Metric
    from voirdire.study.policy import Policy
    from voirdire.study.rater import Rater
    from voirdire.study.scale import Scale
    from voirdire.study.study import Study
    from voirdire.writers.coded import ToolOptions
    from voirdire.writers.exporting import ExportOptions, export

    __version__: str

__all__ = [
    "AlignOptions",
    "Aligner",
    "Audit",
    "AuditOptions",
    "Bench",
    "Change",
    "Checked",
    "CompareOptions",
    "Drift",
    "DriftOptions",
    "Estimate",
    "Evaluation",
    "ExportOptions",
    "Finding",
    "Gate",
    "GatePolicy",
    "LabelPlan",
    "Metric",
    "PlanOptions",
    "Policy",
    "Predictions",
    "Rater",
    "Rates",
    "RatesOptions",
    "ReplacementOptions",
    "ReplacementTests",
    "Scale",
    "SelectOptions",
    "Selection",
    "SelfPreference",
    "StandIn",
    "Study",
    "Systems",
    "SystemsOptions",
    "ToolOptions",
    "UserError",
    "UserErrors",
    "__version__",
    "align",
    "audit",
    "check_bench",
    "compare",
    "drift",
    "export",
    "gate",
    "judged_systems",
    "load_bench",
    "load_policy",
    "open",
    "plan",
    "rates",
    "replacement_tests",
    "select",
    "self_preference",
    "start_bench",
]

_HOME = {
    "AlignOptions": "voirdire.align.options",
    "Aligner": "voirdire.align.aligner",
    "Audit": "voirdire.checks.audit",
    "AuditOptions": "voirdire.checks.options",
    "Bench": "voirdire.bench.suite",
    "Change": "voirdire.decide.change_result",
    "Checked": "voirdire.bench.checking",
    "CompareOptions": "voirdire.decide.change_options",
    "Drift": "voirdire.decide.drift",
    "DriftOptions": "voirdire.decide.drift",
    "Estimate": "voirdire.stats.estimate",
    "Evaluation": "voirdire.align.evaluation",
    "ExportOptions": "voirdire.writers.exporting",
    "Finding": "voirdire.checks.finding",
    "Gate": "voirdire.gate.gate",
    "GatePolicy": "voirdire.gate.policy",
    "LabelPlan": "voirdire.decide.plan_result",
    "Metric": "voirdire.study.metric",
    "PlanOptions": "voirdire.decide.plan_options",
    "Policy": "voirdire.study.policy",
    "Predictions": "voirdire.align.predictions",
    "Rater": "voirdire.study.rater",
    "Rates": "voirdire.decide.rates_result",
    "RatesOptions": "voirdire.decide.rates_options",
    "ReplacementOptions": "voirdire.decide.replacement_options",
    "ReplacementTests": "voirdire.decide.replacement_result",
    "Scale": "voirdire.study.scale",
    "SelectOptions": "voirdire.decide.select_options",
    "Selection": "voirdire.decide.select_result",
    "SelfPreference": "voirdire.decide.self_preference_result",
    "StandIn": "voirdire.checks.audit",
    "Study": "voirdire.study.study",
    "Systems": "voirdire.decide.systems_result",
    "SystemsOptions": "voirdire.decide.systems_options",
    "ToolOptions": "voirdire.writers.coded",
    "UserError": "voirdire.errors",
    "UserErrors": "voirdire.errors",
    "align": "voirdire.align.aligner",
    "audit": "voirdire.checks.audit",
    "check_bench": "voirdire.bench.checking",
    "compare": "voirdire.decide.change",
    "drift": "voirdire.decide.drift",
    "export": "voirdire.writers.exporting",
    "gate": "voirdire.gate.gate",
    "judged_systems": "voirdire.decide.systems",
    "load_bench": "voirdire.bench.suite",
    "load_policy": "voirdire.gate.policy",
    "open": "voirdire.opening",
    "plan": "voirdire.decide.plan",
    "rates": "voirdire.decide.rates",
    "replacement_tests": "voirdire.decide.replacement",
    "select": "voirdire.decide.selection",
    "self_preference": "voirdire.decide.self_preference",
    "start_bench": "voirdire.bench.starting",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that ``voirdire --help`` stays quick (PEP 562)."""
    import importlib

    if name == "__version__":
        from importlib.metadata import version

        return version("voirdire")
    if name not in _HOME:
        raise AttributeError(f"module 'voirdire' has no attribute '{name}'")
    return getattr(importlib.import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
