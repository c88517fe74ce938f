"""Stores values of steps."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Max

from core.errors import GymError
from core.sql import Statement
from trajectories.models import Step
from trajectories.record.api.auth import Principal
from trajectories.rollouts.episodes.services import episode_get
from trajectories.rollouts.episodes.trees.selectors import NodeValue

STORE = Statement(__file__, "values_store")


def step_values_store(*, episode_id: int, values: Sequence[NodeValue], principal: Principal) -> int:
    """Store values of an episode's steps, replacing older ones; return the number of steps.

    The step where a fork begins is its own too. Of a step named twice the last value counts. Raises
    ``GymError``: 404 ``unknown_episode``; 422 ``no_such_step``, and then stores none.
    """
    episode = episode_get(episode_id=episode_id, principal=principal)
    last = Step.objects.filter(episode_id=episode_id).aggregate(last=Max("index"))["last"]
    first, last = episode.begins_after, last or episode.begins_after
    by_step = {value.step: value for value in values}
    if others := [step for step in by_step if not first <= step <= last]:
        message = f"Episode {episode_id} has the steps {first} to {last}, and no {min(others)}."
        raise GymError("no_such_step", message, status=422, fields={"values": [message]})
    rows = by_step.values()
    return STORE.run(
        episode=episode_id,
        steps=[row.step for row in rows],
        values=[row.value for row in rows],
        visits=[row.visits for row in rows],
    )
