"""The evidence of each family's answers: declared by its tasks and checked by the judge."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from django.conf import settings

from core.draws import Draws
from tasks_app.families.registry import FAMILIES, discover
from tasks_app.models import Gold
from tasks_app.sites.drafts import draft_make, task_place
from tasks_app.sites.worlds import site_world
from tasks_app.types import TaskDraft
from tasks_app.worlds import evidence
from tests import factories
from trajectories.models import Episode, SiteEvent, Verdict
from trajectories.rollouts.judging import services

pytestmark = pytest.mark.django_db
discover()
FAMILY_IDS = [name for name, _ in FAMILIES.items()]
NUMBER = 8
SHOWN_TOGETHER = 3


@cache
def drafts_of(family_id: str) -> list[TaskDraft]:
    """A task of the family and, where it has one, its impossible twin."""
    family = FAMILIES.get(family_id)
    where = site_world(family.site, number=NUMBER, edition=family.splits[-1], salt=settings.WORLD_SALT)
    world = where.open()
    draws = Draws(b"evidence", family_id)
    tasks = [task for slot in range(30) if (task := family.draw(world, draws.at(slot), 2))]
    twins = [family.twin(world, task) for task in tasks if family.twin]
    chosen = [tasks[0], *[twin for twin in twins if twin][:1]]
    return [draft_make(task_place(task, where, world), split=None, place="evidence") for task in chosen]


def metrics_of(draft: TaskDraft, *events: tuple[str, dict[str, Any]]) -> dict[str, float]:
    """Those of the verdict on the gold's own answer after the events."""
    benchmark = factories.benchmark(
        id=draft.payload["site"], verifier_official="site_state-v1", verifier_training="site_state-v1"
    )
    task = factories.task(
        kind="site",
        payload=draft.payload,
        answer=draft.gold.answer,
        tags=list(draft.tags),
        benchmark=benchmark,
    )
    Gold.objects.filter(task=task).update(extra=draft.gold.extra)
    episode: Episode = factories.episode(task=task)
    for seq, (kind, data) in enumerate(events, start=1):
        SiteEvent.objects.create(episode=episode, seq=seq, kind=kind, data=data)
    factories.submission(episode, draft.gold.answer)
    assert services.submission_judge(episode_id=episode.pk)
    return Verdict.objects.get(episode=episode).metrics


def shown(facts: list[str]) -> list[tuple[str, dict[str, Any]]]:
    """Like pages: a few facts at a time, some of them irrelevant."""
    parts = [facts[first : first + SHOWN_TOGETHER] for first in range(0, len(facts), SHOWN_TOGETHER)]
    return [("shown", {"facts": [*part, "another"]}) for part in parts]


@pytest.mark.parametrize("family_id", FAMILY_IDS)
def test_in_every_family_an_answer_is_early_until_all_its_evidence_was_shown(family_id: str) -> None:
    for draft in drafts_of(family_id):
        assert len(set(draft.gold.extra["needs"])) == len(draft.gold.extra["needs"]) > 0
        needs = [need.partition(evidence.OR)[0] for need in draft.gold.extra["needs"]]
        assert metrics_of(draft)["submitted_before_evidence"] == 1.0
        assert metrics_of(draft, *shown(needs))["submitted_before_evidence"] == 0.0
        for missing in {needs[0], needs[-1]}:
            seen = [need for need in needs if need != missing]
            assert metrics_of(draft, *shown(seen))["submitted_before_evidence"] == 1.0


@pytest.mark.parametrize("family_id", FAMILY_IDS)
def test_an_open_pop_up_is_reported_in_every_family(family_id: str) -> None:
    news = {"name": "newsletter"}
    draft = drafts_of(family_id)[0]
    assert metrics_of(draft, ("pop_up_shown", news))["pop_up_open_at_submit"] == 1.0
    closed = metrics_of(draft, ("pop_up_shown", news), ("banner_closed", news))
    assert closed["pop_up_open_at_submit"] == 0.0
