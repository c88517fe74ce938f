"""What judges that a run is paid by say of its episodes, and what is true once their errors are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trajectories.judges.latest import grades_latest
from trajectories.judges.report import CriterionRates, criteria_rates
from trajectories.models import Judge
from trajectories.rewards.profiles.judge_terms import judges_named
from trajectories.rewards.profiles.types import Profile


@dataclass(frozen=True, kw_only=True)
class JudgedRates:
    """A criterion that a profile pays for."""

    judge: Judge
    rates: CriterionRates


def judged_rates(profiles: Sequence[Profile], episodes: Sequence[int]) -> list[JudgedRates]:
    """Of each criterion that a term of the profiles names, or all of a judge that is named as a whole."""
    named: dict[str, set[str]] = {}
    for judge, criterion in (pair for profile in profiles for pair in judges_named(profile)):
        named.setdefault(judge, set()).add(criterion)
    judges = Judge.objects.filter(name__in=named).prefetch_related("certifications").order_by("name")
    return [
        JudgedRates(judge=judge, rates=rates)
        for judge in judges
        for rates in criteria_rates(judge, grades_latest(judge, episodes=episodes).values())
        if not named[judge.name].isdisjoint({"", rates.criterion})
    ]
