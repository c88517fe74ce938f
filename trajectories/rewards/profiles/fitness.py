"""The check that tasks can have the components for which their run's profile pays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from core.errors import GymError
from tasks_app import kinds
from tasks_app.families import registry as families
from tasks_app.families.milestones import MARK
from trajectories.models import Run
from trajectories.record.projects import Viewer
from trajectories.rewards import registry
from trajectories.rewards.profiles.store import SETTING, profile_get
from trajectories.rewards.profiles.types import Profile

CODE = "profile_unfit"
Source = tuple[str, str]
"""A benchmark's id and the kind of its tasks."""


def fitness_check(run: Run, sources: Iterable[Source], *, viewer: Viewer) -> None:
    """Refuse tasks that can never have a component for which the run's profile pays.

    Raises ``GymError`` 422 ``profile_unfit``. A run without a profile accepts all tasks.
    """
    reference = run.settings.get(SETTING)
    if not reference:
        return
    profile = profile_get(reference, viewer=viewer).profile
    problems = [problem for source in sorted(set(sources)) for problem in _problems(profile, *source)]
    if problems:
        message = f"{' '.join(problems)} Open these tasks in a run whose profile does not pay for it."
        text = f"Run {run.pk} is paid by {reference}. {message}"
        raise GymError(CODE, text, status=422, fields={"tasks": problems})


def _problems(profile: Profile, benchmark: str, kind: str) -> Iterator[str]:
    for name in dict.fromkeys(term.component for term in profile.terms):
        if problem := unfit_component(name, benchmark, kind):
            yield problem


def unfit_component(name: str, benchmark: str, kind: str) -> str | None:
    """Return the reason why no task of a benchmark and kind can have a component; None if one can.

    Raises ``GymError`` 422 ``unknown_reward_component``.
    """
    if name.startswith(MARK):
        known = list_milestones(benchmark, kind)
        if name.removeprefix(MARK) in known:
            return None
        others = f"its milestones are {', '.join(known)}" if known else "it has no milestones"
        return f"{benchmark} has no {name!r}: {others}."
    needed = registry.get_component(name).kinds
    if needed is None or kind in needed:
        return None
    labels = " and ".join(sorted(f"“{kinds.kind_label(one)}”" for one in needed))
    return f"{benchmark} has no {name!r}: only tasks of the kind {labels} do."


def list_milestones(benchmark: str, kind: str) -> list[str]:
    """Return the sorted names of the milestones that any task of a benchmark and kind has."""
    if kind == kinds.SITE:
        return sorted(
            {
                milestone.name
                for family in families.list_families(benchmark)
                for milestone in family.milestones
            }
        )
    of_questions = registry.MILESTONES.items()
    return [name for name, one in of_questions if kind in one.kinds or benchmark in one.benchmarks]
