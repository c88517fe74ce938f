"""How often alarms on training are raised, in simulated runs with and without a fault."""

from __future__ import annotations

import pytest

from validation import alarms, reward_components, training_runs


def test_healthy_runs_rarely_raise_an_alarm_and_sick_ones_mostly_do() -> None:
    """``python -m validation.alarms`` at a size that a test can afford."""
    usual, runs = training_runs.REGIMES[0], 60
    healthy = training_runs.simulate(usual, runs=runs, seed=3)

    assert healthy.any_raised / runs <= 0.1
    for mode in training_runs.FAILURE_MODES[1::2]:
        sick = training_runs.simulate(usual, mode, runs=10, seed=3)
        assert sick.raised[mode.alarm] >= 7, mode.name


def test_flat_and_learning_runs_rarely_raise_an_alarm_and_collapses_mostly_do() -> None:
    """``python -m validation.alarms`` at a size that a test can afford."""
    usual, simulate = reward_components.SHOWN[0], reward_components.simulate

    healthy = [simulate(usual, course, runs=40, seed=3) for course in reward_components.HEALTHY[:4]]
    collapse, plateau = (simulate(usual, course, runs=12, seed=3) for course in reward_components.SICK[1::2])

    assert sum(tally.any_raised for tally in healthy) / 160 <= 0.05
    collapses = {rule: count for rule, count in collapse.raised.items() if rule != "plateau"}
    assert min(collapses.values()) >= 9
    assert collapse.raised["plateau"] == 0
    assert plateau.raised["plateau"] >= 3


def test_the_command_prints_the_four_tables_of_rates(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training_runs, "REGIMES", training_runs.REGIMES[1:2])
    monkeypatch.setattr(reward_components, "SHOWN", reward_components.SHOWN[1:2])

    alarms.main(["--runs", "4", "--sick-runs", "2"])

    titles = [part.splitlines()[0] for part in capsys.readouterr().out.split("\n\n")]
    assert titles == [
        "| healthy runs | any alarm | invalid_actions | thoughts | narration | void | text |",
        "| sick runs | short |",
        "| healthy runs, alarms on components | short |",
        "| sick runs, alarms on components | short |",
    ]
