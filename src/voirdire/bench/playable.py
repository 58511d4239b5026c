"""What cannot be played is refused before anything is: nothing that is scripted may fail to be delivered."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase

from voirdire.bench.scripts import Script, lasts, rule_of
from voirdire.bench.suite import Bench
from voirdire.study.faults import Faults

__all__ = ["check_playable"]


def check_playable(bench: Bench, scripts: Mapping[str, Script], *, scripted_user: bool) -> None:
    """Refuse, all at once, what a user and the systems' ``scripts`` by name could not say.

    That is a variant's person whom nobody would mention, a move after the last turn, a rule that fits no
    metric or variant, and behaviour that is planted after the conversation has ended.
    """
    faults = Faults()
    if scripted_user:
        _check_persons(bench, faults)
    _check_moves(bench, faults)
    for system, script in scripts.items():
        _check_rules(script, system, bench, faults)
        _check_turns(script, system, bench, faults, scripted_user=scripted_user)
    faults.check()


def _check_persons(bench: Bench, faults: Faults) -> None:
    for axis, values in bench.config.axes.items():
        for name, value in values.items():
            if value.who and not value.says:
                faults.add(
                    f"{axis}={name} only says who the user is, which a scripted user cannot play",
                    where="bench.yaml",
                    fix="write what the user says of it under says, or let a model play",
                )


def _check_moves(bench: Bench, faults: Faults) -> None:
    for metric in bench.metrics:
        for scenario in metric.scenarios:
            for late in (move.turn for move in scenario.moves if move.turn > bench.config.turns):
                faults.add(
                    f"a move at turn {late} of {bench.config.turns}",
                    where=f"metric {metric.metric}, scenario {scenario.id}",
                    fix="raise turns in bench.yaml, or make the move earlier",
                )


def _check_rules(script: Script, system: str, bench: Bench, faults: Faults) -> None:
    metrics = [metric.metric for metric in bench.metrics]
    variants = [variant.name for variant in bench.variants]
    for rule in script.planted:
        for what, pattern, known in (("metric", rule.metric, metrics), ("variant", rule.variant, variants)):
            if not any(fnmatchcase(name, pattern) for name in known):
                faults.add(
                    f"the script of '{system}' plants something in {what} '{pattern}'",
                    expected=f"one of {', '.join(known)}, or a pattern",
                )
        if rule.off_topic_rate and not rule.off_topic:
            faults.add(f"the script of '{system}' says nothing off topic", fix="write off_topic")


def _check_turns(script: Script, system: str, bench: Bench, faults: Faults, *, scripted_user: bool) -> None:
    """What is planted after the end would not be said, and a planted rate must be exact."""
    for case in bench.cases(unreviewed=True):
        rule = rule_of(script, case)
        last = min(bench.config.turns, lasts(case)) if scripted_user else bench.config.turns
        if rule is not None and rule.turn > last:
            faults.add(
                f"the script of '{system}' says something at turn {rule.turn}",
                where=f"metric {case.metric.metric}, scenario {case.scenario.id}",
                expected=f"a turn up to {last}, the last that is held",
            )
