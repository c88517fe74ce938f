"""Alarm rates in simulated training runs, healthy and sick: ``python -m validation.alarms``."""

from __future__ import annotations

import os
from argparse import ArgumentParser
from collections.abc import Sequence
from statistics import median

import django


def main(arguments: Sequence[str] | None = None) -> None:
    """Simulate training runs and print how often the training view raises its alarms."""
    parser = ArgumentParser(prog="python -m validation.alarms", description=__doc__)
    parser.add_argument("--runs", type=int, default=1_000, help="Healthy runs per regime.")
    parser.add_argument("--sick-runs", type=int, default=200, help="Sick runs per regime and failure mode.")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    _behaviour_print(options.runs, options.sick_runs, options.seed)
    print()
    _components_print(options.runs, options.sick_runs, options.seed)


def _behaviour_print(runs: int, sick_runs: int, seed: int) -> None:
    from validation.training_runs import ALARMS, FAILURE_MODES, REGIMES, simulate

    _head_print("healthy runs", "any alarm", *ALARMS)
    for regime in REGIMES:
        tally = simulate(regime, runs=runs, seed=seed)
        shares = (f"{tally.raised[alarm] / runs:.1%}" for alarm in ALARMS)
        _row_print(regime.name, f"{tally.any_raised / runs:.1%}", *shares)
    print()
    _head_print("sick runs", *(regime.name for regime in REGIMES))
    for mode in FAILURE_MODES:
        tallies = [simulate(regime, mode, runs=sick_runs, seed=seed) for regime in REGIMES]
        powers = [_power(tally.raised[mode.alarm] / sick_runs, tally.delays) for tally in tallies]
        _row_print(mode.name, *powers)


def _components_print(runs: int, sick_runs: int, seed: int) -> None:
    from validation.reward_components import HEALTHY, SHOWN, SICK, simulate

    names = [regime.name for regime in SHOWN]
    _head_print("healthy runs, alarms on components", *names)
    for course in HEALTHY:
        tallies = [simulate(regime, course, runs=runs, seed=seed) for regime in SHOWN]
        _row_print(course.name, *(f"{tally.any_raised / runs:.1%}" for tally in tallies))
    print()
    _head_print("sick runs, alarms on components", *names)
    for course in SICK:
        tallies = [simulate(regime, course, runs=sick_runs, seed=seed) for regime in SHOWN]
        # The mean number of runs with an alarm, over the rules that should raise one.
        powers = [
            _power(
                sum(tally.raised[rule] for rule in course.rules) / len(course.rules) / sick_runs,
                [delay for rule in course.rules for delay in tally.delays[rule]],
            )
            for tally in tallies
        ]
        _row_print(course.name, *powers)


def _power(share: float, delays: Sequence[int]) -> str:
    """Return the share of runs in which an alarm was raised, and the median delay in versions."""
    return f"{share:.0%}, after {median(delays):.0f}" if delays else f"{share:.0%}"


def _head_print(*titles: str) -> None:
    _row_print(*titles)
    _row_print(*["---"] * len(titles))


def _row_print(*cells: str) -> None:
    print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gymsite.settings")
    django.setup()
    main()
