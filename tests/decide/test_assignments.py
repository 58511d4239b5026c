"""Who labels what: nobody twice, nobody beyond their load, loads and pairs even."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.decide.assignments import Task, assign, even_targets


@st.composite
def jobs(draw: st.DrawFn) -> tuple[list[Task], list[int]]:
    n_raters = draw(st.integers(1, 6))
    tasks = []
    for row in range(draw(st.integers(1, 25))):
        known = draw(st.sets(st.integers(0, n_raters - 1)))
        eligible = tuple(sorted(set(range(n_raters)) - known))
        tasks.append(Task(row, draw(st.integers(1, 4)), eligible, tuple(sorted(known))))
    return tasks, draw(st.lists(st.integers(0, 30), min_size=n_raters, max_size=n_raters))


@given(jobs(), st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_rules_hold_for_every_plan(job: tuple[list[Task], list[int]], seed: int) -> None:
    tasks, capacity = job
    done = assign(tasks, capacity, rng=np.random.default_rng(seed))
    pairs = list(zip(done.task.tolist(), done.rater.tolist(), strict=True))
    assert len(set(pairs)) == len(pairs)
    assert all(rater in tasks[task].eligible for task, rater in pairs)
    assert (done.load <= capacity).all()
    assert done.load.sum() == len(pairs)
    assert len(pairs) + done.missing == sum(task.wanted for task in tasks)
    each = np.bincount(done.task, minlength=len(tasks))
    assert all(each[k] <= task.wanted for k, task in enumerate(tasks))


def test_loads_and_pairs_are_even() -> None:
    tasks = [Task(k, 2 + k % 2, (0, 1, 2, 3, 4)) for k in range(100)]
    done = assign(tasks, [10**6] * 5, rng=np.random.default_rng(1))
    assert done.missing == 0
    assert np.ptp(done.load) <= 1
    pairs = done.pairs[np.triu_indices(5, 1)]
    assert pairs.sum() == 50 * 1 + 50 * 3
    assert pairs.max() - pairs.min() <= 3


def test_a_small_load_is_used_up_and_the_others_share_the_rest() -> None:
    done = assign([Task(k, 1, (0, 1, 2)) for k in range(110)], [10, 100, 100], rng=np.random.default_rng(1))
    assert done.load.tolist() == [10, 50, 50]
    assert even_targets(np.array([5, 5]), 100).tolist() == [5, 5]


def test_rows_that_few_can_take_come_first() -> None:
    tasks = [Task(0, 1, (0, 1)), Task(1, 1, (0,))]
    for seed in range(10):
        assert assign(tasks, [1, 1], rng=np.random.default_rng(seed)).missing == 0


def test_the_same_seed_gives_the_same_plan() -> None:
    tasks = [Task(k, 2, (0, 1, 2, 3)) for k in range(40)]
    one, two = (assign(tasks, [50] * 4, rng=np.random.default_rng(7)) for _ in range(2))
    assert one.rater.tolist() == two.rater.tolist()
    assert one.rater.tolist() != assign(tasks, [50] * 4, rng=np.random.default_rng(8)).rater.tolist()


def test_raters_who_share_rows_already_meet_others() -> None:
    """Rows that rater 0 has labelled are spread over the three others."""
    done = assign([Task(k, 1, (1, 2, 3), (0,)) for k in range(30)], [99] * 4, rng=np.random.default_rng(1))
    assert done.pairs[0].tolist() == [0, 10, 10, 10]
