"""What strategies promise that hand out beginnings of solutions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
import numpy

from tests.rollouts.samplers.pools import pool, prefixes, row_of
from trajectories.rollouts.samplers.plans import DrawnTask, SamplerPlan, draw_make
from trajectories.rollouts.samplers.types import Pool

SEARCH = {"kind": "shortest_prefix", "rollouts": 2}


def drawn(strategy: Any, known: Pool, count: int, *, number: int = 1) -> list[DrawnTask]:
    plan = msgspec.convert({"strategy": strategy}, SamplerPlan)
    return draw_make(plan, known, seed=3, number=number, count=count)


def searched(known: Pool, success_from: Any, *, strategy: Any = SEARCH) -> dict[int, list[int | None]]:
    """Play a search to its end with tasks that succeed from a number of steps on: what each was given."""
    given: dict[int, list[int | None]] = {row: [] for row in range(len(known))}
    for number in range(1, 100):
        items = drawn(strategy, known, 3, number=number)
        if not items:
            return given
        for item in items:
            row, steps = row_of(item), item.guidance["steps"] if item.guidance else None
            given[row].append(steps)
            known.drawn[row] += 1
            if steps is None:
                known.judged[row] += item.samples_per_task
            else:
                known.prefixes.judged[row, steps] += item.samples_per_task
                known.prefixes.correct[row, steps] += steps >= success_from[row]
    raise AssertionError("the search never ended")


def test_a_search_ends_with_the_first_fraction_that_succeeds() -> None:
    known = pool(4, prefixes([8, 8, 8, 8]))

    given = searched(known, [1, 4, 6, 7])

    assert given == {0: [2], 1: [2, 4], 2: [2, 4, 6], 3: [2, 4, 6]}


def test_fractions_of_a_short_solution_that_agree_are_tried_once() -> None:
    assert searched(pool(1, prefixes([3])), [9]) == {0: [1, 2, None]}
    assert searched(pool(1, prefixes([3])), [9], strategy={**SEARCH, "fractions": [0.1, 0.2]}) == {0: [1]}


def test_a_prefix_that_leaks_is_given_to_nobody_and_the_draw_says_so() -> None:
    known = pool(3, prefixes([8, 8, 0], clean=[3, 0, 0]))

    whys = {row_of(item): item.why for item in drawn(SEARCH, known, 3)}
    given = searched(known, [9, 9, 9])

    assert whys[1] == {"reason": "no_prefix", "because": "leaks", "steps": 2, "clean": 0, "of": 8}
    assert whys[2] == {"reason": "no_prefix", "because": "no_solution"}
    assert given == {0: [2, None], 1: [None], 2: [None]}


def test_rollouts_that_were_void_are_made_up_for() -> None:
    known = pool(1, prefixes([8]))
    known.prefixes.judged[0, 2] = 3

    (item,) = drawn({**SEARCH, "rollouts": 4}, known, 1)

    assert (item.samples_per_task, item.guidance) == (1, {"kind": "prefix", "steps": 2})
    assert item.why == {"reason": "prefix", "fraction": 0.25, "steps": 2, "of": 8, "judged": 3}


def test_tasks_that_nobody_has_checked_count_as_clean_until_they_are_drawn() -> None:
    known = pool(1, prefixes([8], clean=[-1]))

    (item,) = drawn(SEARCH, known, 1)

    assert item.guidance == {"kind": "prefix", "steps": 2}


def test_a_pair_is_one_task_with_and_without_a_prefix() -> None:
    known = pool(3, prefixes([9, 9, 9], clean=[8, 8, 1], shortest=[5, 0, 0]))

    items = drawn({"kind": "paired"}, known, 3)

    by_row = {row: [item for item in items if row_of(item) == row] for row in range(3)}
    assert [[item.guidance for item in by_row[row]] for row in range(3)] == [
        [{"kind": "prefix", "steps": 5}, None],
        [{"kind": "prefix", "steps": 3}, None],
        [{"kind": "prefix", "steps": 1}, None],
    ]
    assert {item.samples_per_task for item in items} == {8}
    assert by_row[0][0].why == {"reason": "guided", "steps": 5, "of": 9, "is_searched": True, "failures": 0}


def test_a_pair_without_a_prefix_is_one_opening() -> None:
    known = pool(2, prefixes([0, 4], clean=[0, 0]), failures=[2, 2], judged=[2, 2])

    items = drawn({"kind": "paired"}, known, 2)

    assert {row_of(item): (item.guidance, item.why["because"]) for item in items} == {
        0: (None, "no_solution"),
        1: (None, "leaks"),
    }


def test_pairs_are_of_tasks_whose_last_results_had_no_success() -> None:
    known = pool(
        5, prefixes([4] * 5), judged=[20, 20, 20, 3, 0], failures=[4, 3, 20, 3, 0], drawn=[0, 0, 1, 0, 0]
    )
    strategy = {"kind": "paired", "last": 4}

    everyone, known_only, one = (
        [row_of(item) for item in drawn(use, known, count) if item.guidance]
        for use, count in ((strategy, 5), ({**strategy, "least": 4}, 5), ({**strategy, "least": 4}, 1))
    )

    assert sorted(everyone) == [0, 2, 3, 4]
    assert everyone[-1] == 2
    assert sorted(known_only) == [0, 2]
    assert one == [0]


def test_a_part_of_a_pool_has_its_prefixes() -> None:
    known = pool(3, prefixes([4, 5, 6]))
    known = replace(known, prefixes=replace(known.prefixes, shortest=numpy.array([1, 2, 3])))

    part = known.part([2, 2, 0])

    assert (part.prefixes.of.tolist(), part.prefixes.shortest.tolist()) == ([6, 6, 4], [3, 3, 1])
