"""Every metric stands in its benchmark, subarea and area, and waits outside of them until it is reviewed."""

from __future__ import annotations

from bench.made import rated
from voirdire.bench.tree import tree_of

METRICS = (
    rated("m1", area="A", subarea="S", benchmark="B"),
    rated("m2", area="A", subarea="S", benchmark="B", counts=False),
    rated("m3", area="A", subarea="T", benchmark="B"),
    rated("m4", area="Z", subarea="S", benchmark="C"),
)


def test_every_level_holds_the_metrics_below_it() -> None:
    nodes = {node.path: node for node in tree_of(METRICS)}
    assert nodes[()].metrics == (0, 2, 3)
    assert nodes["A",].metrics == (0, 2)
    assert nodes["A", "S", "B"].metrics == (0,)
    assert nodes["A", "T", "B"].metrics == (2,)
    assert nodes["Z", "S", "C", "m4"].title == "Title of m4"
    assert nodes["A", "S", "B", "m1"].parent == nodes["A", "S", "B"].id


def test_a_metric_that_does_not_count_has_only_its_own_node() -> None:
    nodes = {node.path: node for node in tree_of(METRICS)}
    assert nodes["A", "S", "B", "m2"].metrics == (1,)
    assert nodes["A", "S"].waiting == (1,)
    assert nodes[()].waiting == (1,)


def test_ids_are_those_of_paths_whatever_else_is_there() -> None:
    whole = {node.path: node.id for node in tree_of(METRICS)}
    part = {node.path: node.id for node in tree_of(METRICS[3:])}
    assert part.items() <= whole.items()
    assert len(set(whole.values())) == len(whole)
