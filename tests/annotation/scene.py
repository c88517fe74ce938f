"""Annotation projects for tests: steps with thoughts, and people who label them."""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib.auth.models import User

from tests import factories
from trajectories.annotation.labels.answers import Answers
from trajectories.annotation.labels.services import Saving
from trajectories.annotation.projects.services import Plan, project_create
from trajectories.annotation.queues import services
from trajectories.annotation.queues.tickets import build_ticket
from trajectories.models import AnnotationProject, AnnotationSlot, Annotator, Episode, Group, Label
from trajectories.models.annotation import View
from trajectories.shell import roles

COMPLETE = {"type": "reasoning", "target": "problem", "behaviours": ["plan"], "contradiction": "none"}


def labeller(name: str) -> User:
    """Create a person who may label but not see anything else."""
    user = User.objects.create_user(name, password="battery staple")
    roles.annotator_make(user)
    return user


def episodes(count: int = 2, *, steps: int = 5, thought: str = "", **fields: Any) -> list[Episode]:
    made = [factories.episode(**fields) for _ in range(count)]
    for one in made:
        for index in range(1, steps + 1):
            text = thought or f"Thought {index} of {one.pk}. It counts {index} rooms."
            factories.step(one, index, thought=text)
    return made


def attempts(count: int, *, steps: int = 2, group: Group | None = None, **fields: Any) -> list[Episode]:
    """Create ended attempts at one task, in one group."""
    group = group or factories.group()
    made = [factories.episode(group=group, **fields) for _ in range(count)]
    for one in made:
        for index in range(1, steps + 1):
            factories.step(
                one,
                index,
                thought=f"Thought {index} of {one.pk}.",
                raw=f"Completion {index} of {one.pk}.",
                observation_kind="axtree-v1",
                observation_text=f"page {index}",
                action={"type": "click", "element": f"e{one.sample_index}"},
                action_type="click",
            )
        factories.verdict(one, outcome="incorrect")
    return made


def project(*people: User, of: list[Episode] | None = None, **plan: Any) -> AnnotationProject:
    views = len(plan.get("views", [View.FULL]))
    values = {
        "name": "Reasoning",
        "source": "/search",
        "episodes": [one.pk for one in (of or episodes())],
        "steps": 100,
        "seed": 1,
        "overlap_people": max(len(people) // views, 1),
        **plan,
    }
    return project_create(Plan(**values), people=people, creator=None)


def annotator(of: AnnotationProject, user: User) -> Annotator:
    return Annotator.objects.get(project=of, user=user)


def saving(**fields: Any) -> Saving:
    answers = Answers(values=fields.pop("values", COMPLETE), **fields.pop("answers", {}))
    return Saving(**{"key": uuid.uuid4(), "version": 0, "answers": answers, **fields})


def label(slot_id: int, **fields: Any) -> Label:
    """Save the label of a slot as the annotator who holds the slot."""
    slot = AnnotationSlot.objects.select_related("unit__project__codebook", "annotator").get(pk=slot_id)
    assert slot.annotator is not None
    ticket = build_ticket(slot, annotator_id=slot.annotator.pk)
    made = saving(**fields)
    return services.label_save(made, ticket=ticket, unit=slot.unit, annotator=slot.annotator)
