"""The verdict of an exemplary episode, in which everything was done correctly."""

from __future__ import annotations

from typing import Any

from tasks_app.families import milestones
from tasks_app.families.registry import FAMILIES
from tasks_app.families.types import SiteTask
from tasks_app.models import Gold
from tasks_app.sites.drafts import gold_make
from tests import factories
from trajectories.models import Episode, Verdict
from trajectories.rollouts.judging import services


def prepared(episode: Episode, task: SiteTask) -> Episode:
    """Give the episode's task the gold and the tags of a loaded task."""
    draft = gold_make(task)
    Gold.objects.filter(task=episode.task).update(answer=draft.answer, extra=draft.extra)
    judge = "site_state-v1"
    benchmark = factories.benchmark(
        id=FAMILIES.get(task.family).site, verifier_official=judge, verifier_training=judge
    )
    episode.task.benchmark, episode.task.tags = benchmark, [f"family:{task.family}"]
    episode.task.save()
    return episode


def verdict_of(episode: Episode) -> Verdict:
    assert services.submission_judge(episode_id=episode.pk)
    return Verdict.objects.get(episode=episode)


def unreachable(task: SiteTask) -> list[str]:
    draft = gold_make(task)
    facts = milestones.gold_facts(answer=draft.answer, extra=draft.extra)
    every = FAMILIES.get(task.family).milestones
    return [one.name for one in every if one.when(facts.given) and not one.parts(facts)]


def assert_exemplary(verdict: Verdict, task: SiteTask) -> None:
    """Assert that the verdict is correct and every milestone that can be reached was reached."""
    metrics: dict[str, Any] = verdict.metrics
    marks = {name: value for name, value in metrics.items() if name.startswith(milestones.MARK)}
    missed = [name.removeprefix(milestones.MARK) for name, value in marks.items() if value < 1]
    assert (verdict.outcome, missed) == ("correct", unreachable(task))
    assert metrics["milestones_reached"] == (len(marks) - len(missed)) / len(marks)
    faults = ("pop_up_open_at_submit", "submitted_before_evidence", "no_ui_evidence")
    assert [metrics[name] for name in faults] == [0.0, 0.0, 0.0]
