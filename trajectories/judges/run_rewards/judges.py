"""Grades by the judges that pay a run, and the true rates once their errors are taken into account."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from palaestra.protocol.outcomes import JUDGED
from trajectories.judges.latest import grades_latest
from trajectories.judges.report import CriterionRates, criteria_rates
from trajectories.judges.run_rewards.episodes import Paid
from trajectories.models import Judge
from trajectories.rewards.profiles.judge_terms import judges_named
from trajectories.rewards.profiles.types import Profile


@dataclass(frozen=True, kw_only=True)
class JudgedRates:
    """A criterion that a profile pays for; ``waiting`` of the episodes with a right or wrong answer have not
    been graded yet."""

    judge: Judge
    rates: CriterionRates
    waiting: int


def judged_rates(profiles: Sequence[Profile], paid: Sequence[Paid]) -> list[JudgedRates]:
    """The rates of each criterion that a term names; of all of a judge that is named as a whole."""
    named: dict[str, set[str]] = {}
    for judge, criterion in (pair for profile in profiles for pair in judges_named(profile)):
        named.setdefault(judge, set()).add(criterion)
    judges = Judge.objects.filter(name__in=named).prefetch_related("certifications").order_by("name")
    episodes = [one.episode for one in paid if one.outcome in JUDGED]
    grades = {judge: grades_latest(judge, episodes=episodes) for judge in judges}
    return [
        JudgedRates(judge=judge, rates=rates, waiting=len(episodes) - len(given))
        for judge, given in grades.items()
        for rates in criteria_rates(judge, given.values())
        if not named[judge.name].isdisjoint({"", rates.criterion})
    ]
