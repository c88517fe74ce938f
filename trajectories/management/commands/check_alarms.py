"""Simulates training runs, and prints how often the training view's alarms are raised."""

from __future__ import annotations

from argparse import ArgumentParser
from statistics import median
from typing import Any

from django.core.management.base import BaseCommand


class Command(BaseCommand):
    help = "Print how often alarms are raised in simulated training runs, healthy and sick."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--runs", type=int, default=1_000, help="Healthy runs per regime.")
        parser.add_argument(
            "--sick-runs", type=int, default=200, help="Sick runs per regime and failure mode."
        )
        parser.add_argument("--seed", type=int, default=1)

    def handle(self, *, runs: int, sick_runs: int, seed: int, **options: Any) -> None:
        self._behaviour(runs, sick_runs, seed)
        self.stdout.write("")
        self._components(runs, sick_runs, seed)

    def _behaviour(self, runs: int, sick_runs: int, seed: int) -> None:
        # Heavy to import, and of use here alone.
        from trajectories.reports.training import simulation

        self._row("healthy runs", "any alarm", *simulation.ALARMS)
        self._row(*["---"] * (len(simulation.ALARMS) + 2))
        for regime in simulation.REGIMES:
            tally = simulation.simulate(regime, runs=runs, seed=seed)
            shares = (f"{tally.raised[alarm] / runs:.1%}" for alarm in simulation.ALARMS)
            self._row(regime.name, f"{tally.any_raised / runs:.1%}", *shares)
        self.stdout.write("")
        self._row("sick runs", *(regime.name for regime in simulation.REGIMES))
        self._row(*["---"] * (len(simulation.REGIMES) + 1))
        for mode in simulation.FAILURE_MODES:
            self._row(
                mode.name, *(self._power(regime, mode, sick_runs, seed) for regime in simulation.REGIMES)
            )

    def _power(self, regime: Any, mode: Any, runs: int, seed: int) -> str:
        from trajectories.reports.training import simulation

        tally = simulation.simulate(regime, mode, runs=runs, seed=seed)
        share = tally.raised[mode.alarm] / runs
        return f"{share:.0%}, after {median(tally.delays):.0f}" if tally.delays else f"{share:.0%}"

    def _components(self, runs: int, sick_runs: int, seed: int) -> None:
        from trajectories.reports.training import component_simulation as simulation

        regimes = simulation.SHOWN
        self._row("healthy runs, alarms on components", *(regime.name for regime in regimes))
        self._row(*["---"] * (len(regimes) + 1))
        for course in simulation.HEALTHY:
            tallies = (simulation.simulate(regime, course, runs=runs, seed=seed) for regime in regimes)
            self._row(course.name, *(f"{tally.any_raised / runs:.1%}" for tally in tallies))
        self.stdout.write("")
        self._row("sick runs, alarms on components", *(regime.name for regime in regimes))
        self._row(*["---"] * (len(regimes) + 1))
        for course in simulation.SICK:
            tallies = (simulation.simulate(regime, course, runs=sick_runs, seed=seed) for regime in regimes)
            self._row(course.name, *(_power_of(tally, course.rules, sick_runs) for tally in tallies))

    def _row(self, *cells: str) -> None:
        self.stdout.write(f"| {' | '.join(cells)} |")


def _power_of(tally: Any, rules: Any, runs: int) -> str:
    """Return the mean share of runs in which a rule was raised, and the mean delay in versions."""
    share = sum(tally.raised[rule] for rule in rules) / len(rules) / runs
    delays = [delay for rule in rules for delay in tally.delays[rule]]
    return f"{share:.0%}, after {median(delays):.0f}" if delays else f"{share:.0%}"
