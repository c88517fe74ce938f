"""What strategies and schedules promise, on simulated policies."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy
import pytest
from scipy import integrate, stats

from tests.rollouts.samplers.pools import Simulation, pool, row_of
from trajectories.rollouts.samplers.plans import PARTS, DifficultySchedule, SamplerPlan, draw_make
from trajectories.rollouts.samplers.types import STRATEGIES, Strategy

UNIFORM = {"kind": "uniform"}
EPOCHS = {"kind": "without_replacement"}
BAND = {"kind": "success_band", "low": 0.2, "high": 0.8}


def _plan(strategy: Any = UNIFORM, **fields: Any) -> SamplerPlan:
    return msgspec.convert({"strategy": strategy, **fields}, SamplerPlan)


def _hard_pool(size: int = 400) -> numpy.ndarray[Any, Any]:
    """Success that most tasks of a hard benchmark have: never, nearly always, and a fifth between."""
    return numpy.random.default_rng(0).permutation(
        numpy.concatenate(
            [
                numpy.full(size * 6 // 10, 0.005),
                numpy.full(size * 2 // 10, 0.98),
                numpy.linspace(0.25, 0.75, size * 2 // 10),
            ]
        )
    )


@pytest.mark.parametrize("kind", sorted(STRATEGIES))
def test_the_same_seed_gives_the_same_draws_and_another_gives_others(kind: str) -> None:
    runs = [Simulation(_plan({"kind": kind}), _hard_pool(), seed=seed) for seed in (5, 5, 6)]
    for run in runs:
        run.train(4, 16)

    same, again, other = ([item.task for item in run.draw(16)] for run in runs)

    assert same == again
    assert same != other


@pytest.mark.parametrize("kind", sorted(STRATEGIES))
def test_a_draw_has_as_many_different_tasks_as_it_should(kind: str) -> None:
    run = Simulation(_plan({"kind": kind}), numpy.linspace(0, 1, 50), seed=1)

    for count in (1, 7, 49, 50):
        items = run.draw(count)
        run.play(items)
        assert len({item.task for item in items}) == len(items) == count


def test_draws_are_what_they_were_when_this_was_written() -> None:
    """Another version of numpy or of this code may not change what a stored seed stands for."""
    drawn = {
        kind: [item.task for item in draw_make(_plan({"kind": kind}), pool(1_000), seed=1, number=2, count=5)]
        for kind in sorted(STRATEGIES)
    }

    assert drawn == {
        "paired": [694, 570, 525, 675, 657],
        "shortest_prefix": [203, 187, 324, 708, 174],
        "stages": [195, 36, 705, 832, 187],
        "success_band": [401, 550, 661, 100, 83],
        "uniform": [751, 417, 175, 382, 1],
        "without_replacement": [811, 175, 270, 760, 987],
    }


def test_uniform_draws_every_task_equally_often() -> None:
    run = Simulation(_plan(), numpy.zeros(20), seed=3)
    for _ in range(2_000):
        run.draw(4)

    assert run.pool.drawn.sum() == 8_000
    assert stats.chisquare(run.pool.drawn).pvalue > 0.01


def test_no_task_comes_again_before_every_other_one_has() -> None:
    run = Simulation(_plan(EPOCHS), numpy.zeros(10), seed=3)

    drawn = [item.task for _ in range(15) for item in run.draw(4)]

    epochs = [drawn[start : start + 10] for start in range(0, 60, 10)]
    assert all(sorted(epoch) == list(range(1, 11)) for epoch in epochs)
    assert len({tuple(epoch) for epoch in epochs}) == 6


def test_the_band_teaches_more_than_uniform_draws() -> None:
    """Simulated: the share of groups whose rewards differ, over three seeds."""
    shares = {
        strategy["kind"]: [
            Simulation(_plan(strategy), _hard_pool(), seed=seed).train(60, 16) for seed in range(3)
        ]
        for strategy in (UNIFORM, EPOCHS, BAND)
    }

    assert min(shares["success_band"]) > 2 * max(shares["uniform"] + shares["without_replacement"])


def test_the_band_follows_tasks_that_are_learned() -> None:
    """Simulated: what was in the band is mastered, and what was too hard comes into it."""
    success = numpy.repeat([0.5, 0.01], 50)
    run = Simulation(_plan(BAND), success, seed=2)
    run.train(40, 8)
    run.success = numpy.repeat([0.99, 0.5], 50)
    run.train(40, 8)

    late = [row_of(item) >= 50 for _ in range(10) for item in run.draw(8) if item.why["reason"] == "band"]

    assert numpy.mean(late) > 0.8


@pytest.mark.parametrize("exploration", [0.0, 0.1, 0.5, 1.0])
def test_the_floor_of_exploration_holds_whatever_the_results(exploration: float) -> None:
    success = numpy.repeat([0.5, 0.0], [10, 190])
    run = Simulation(_plan({**BAND, "exploration": exploration}), success, seed=4)
    run.train(30, 10)
    before = run.pool.drawn.copy()

    reasons = [item.why["reason"] for _ in range(400) for item in run.draw(10)]

    assert reasons.count("exploration") == 400 * round(10 * exploration)
    if exploration:
        # Each task has the floor's share; 3 standard deviations of a Poisson number below it.
        expected = 400 * 10 * exploration / 200
        assert numpy.mean((run.pool.drawn - before)[10:]) > expected - 3 * (expected / 190) ** 0.5


def test_the_probability_of_the_band_is_that_of_the_beta_posterior() -> None:
    known = pool(3, correct=[0.0, 3.5, 40.0], incorrect=[0.0, 1.25, 2.0])
    strategy = msgspec.convert(
        {**BAND, "prior": {"correct": 2, "incorrect": 0.5}}, STRATEGIES.get("success_band")
    )

    inside = strategy.in_band(known)  # type: ignore[attr-defined]

    for row, probability in enumerate(inside):
        density = stats.beta(2 + known.correct[row], 0.5 + known.incorrect[row]).pdf
        assert probability == pytest.approx(integrate.quad(density, 0.2, 0.8)[0], abs=1e-6)


def test_the_band_is_filled_even_where_no_task_is_in_it() -> None:
    known = pool(30, incorrect=numpy.full(30, 5_000.0))

    items = draw_make(_plan({**BAND, "exploration": 0}), known, seed=1, number=1, count=30)

    assert {item.task for item in items} == set(range(1, 31))


def test_every_reason_has_its_numbers() -> None:
    (item,) = draw_make(_plan(BAND), pool(1, correct=[1.0], incorrect=[2.0]), seed=1, number=1, count=1)

    assert item.why["reason"] == "exploration"
    assert item.why["posterior"] == [2.0, 3.0]
    assert (item.why["mean"], item.why["share"]) == (0.4, 1.0)
    assert item.why["in_band"] == pytest.approx(
        stats.beta(2, 3).cdf(0.8) - stats.beta(2, 3).cdf(0.2), abs=1e-4
    )


def test_tasks_that_seldom_succeed_get_more_samples() -> None:
    known = pool(4, correct=[0.0, 0.0, 4.0, 50.0], incorrect=[100.0, 2.0, 4.0, 0.0])
    plan = _plan(rollouts={"kind": "by_need", "least": 2, "most": 24, "chance": 0.9})

    items = draw_make(plan, known, seed=1, number=1, count=4)
    samples = [item.samples_per_task for item in sorted(items, key=row_of)]

    assert samples[0] == 24
    assert samples[3] == 2
    assert samples == sorted(samples, reverse=True)
    # The least number that suffices, by simulation of the third task.
    rates = numpy.random.default_rng(0).beta(5, 5, size=200_000)
    chance = {n: 1 - numpy.mean((1 - rates) ** n) for n in (samples[2] - 1, samples[2])}
    assert chance[samples[2] - 1] < 0.9 <= chance[samples[2]]


@pytest.mark.parametrize(
    ("horizon", "budgets"),
    [
        ({"kind": "task"}, [None] * 6),
        ({"kind": "additive", "start": 4, "end": 8, "step": 2, "every": 2}, [4, 4, 6, 6, 8, 8]),
        ({"kind": "additive", "start": 4, "end": 6}, [4, 5, 6, 6, 6, 6]),
        ({"kind": "multiplicative", "start": 5, "end": 13}, [5, 10, 13, 13, 13, 13]),
        ({"kind": "multiplicative", "start": 5, "end": 13, "every": 3}, [5, 5, 5, 10, 10, 10]),
        ({"kind": "stepwise", "steps": [8, 12, 15], "after": [2, 4]}, [8, 8, 12, 12, 15, 15]),
        ({"kind": "stepwise", "steps": [8], "after": []}, [8] * 6),
        ({"kind": "stepwise", "steps": [8, 12], "after": [20], "by": "policy_versions"}, [8, 12] * 3),
        ({"kind": "relative", "start": 0.5, "end": 1.5, "draws": 4}, [5, 8, 10, 12, 15, 15]),
    ],
)
def test_step_budgets_grow_with_the_draws(horizon: Any, budgets: list[int | None]) -> None:
    draws = [
        draw_make(_plan(horizon=horizon), pool(3), seed=1, number=n, count=2, version=19 + (n - 1) % 2)
        for n in range(1, 7)
    ]

    assert [[item.max_steps for item in items] for items in draws] == [[budget] * 2 for budget in budgets]


def test_a_relative_budget_follows_each_task() -> None:
    plan = _plan(horizon={"kind": "relative", "start": 2, "end": 2})

    items = draw_make(plan, pool(2, steps=[6, 20]), seed=1, number=1, count=2)

    assert {item.task: item.max_steps for item in items} == {1: 12, 2: 40}


def test_a_cap_follows_the_longest_success_of_each_task() -> None:
    known = pool(4, longest=[0, 3, 22, 90])

    items = draw_make(_plan(horizon={"kind": "longest_success"}), known, seed=1, number=1, count=4)

    assert {item.task: item.max_steps for item in items} == {1: 50, 2: 10, 3: 22, 4: 50}


def test_the_easiest_tasks_come_first() -> None:
    difficulty = numpy.array([0.9, 0.1, numpy.nan, 0.5, 0.3, 0.7])
    plan = _plan(difficulty={"start": 0.3, "draws": 10})
    run = Simulation(plan, numpy.zeros(6), seed=1, difficulty=difficulty)

    drawn = [{item.task for item in run.draw(2)} for _ in range(40)]

    assert drawn[0] == {2, 5}
    assert set().union(*drawn[:4]) <= {2, 5, 4, 6}
    assert set().union(*drawn[10:]) == set(range(1, 7))
    assert DifficultySchedule(start=0.2, end=0.6, draws=4).share(3) == pytest.approx(0.4)


def test_a_draw_that_needs_more_tasks_than_the_schedule_has_takes_more() -> None:
    plan = _plan(difficulty={"start": 0.1, "draws": 10})

    items = draw_make(plan, pool(10, difficulty=numpy.linspace(0, 1, 10)), seed=1, number=1, count=4)

    assert {item.task for item in items} == {1, 2, 3, 4}


def test_every_plug_in_says_what_it_does() -> None:
    for registered in PARTS.values():
        for kind, plugin in registered.items():
            assert len((plugin.__doc__ or "").strip()) > 20, kind
            assert not issubclass(plugin, Strategy) or plugin.choose is not Strategy.choose
