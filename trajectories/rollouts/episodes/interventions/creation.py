"""Opening of interventions: forks that continue within a message of their parent's policy, from another's
text.
"""

from __future__ import annotations

import hashlib
from typing import Any

from django.conf import settings
from django.db import transaction

from core.errors import GymError
from tasks_app.leaks import detection
from tasks_app.models import Task
from trajectories.behaviour.thoughts.substeps import substep_spans
from trajectories.models import Episode, Intervention
from trajectories.models.access import Scope
from trajectories.record.api.auth import Principal
from trajectories.rollouts.episodes import services
from trajectories.rollouts.episodes.forks import creation as forks
from trajectories.rollouts.episodes.forks.body import Fork
from trajectories.rollouts.episodes.forks.lineage import turns_until
from trajectories.rollouts.episodes.interventions.body import InterventionIn
from trajectories.rollouts.episodes.interventions.messages import content_of, problem_of
from trajectories.rollouts.episodes.interventions.selectors import intervention_records

# Continuations keep their parent's guidance, and have none of their own.
FORK_SETTINGS = set(Fork.__struct_fields__) - {"episode", "step", "guidance"}
QUOTED_CHARS = 80


def intervention_open(*, episode_id: int, body: InterventionIn, principal: Principal) -> dict[str, Any]:
    """Store an intervention and open its continuations, both or neither; with a count of 0 none is opened.

    Returns the API's ``{"intervention", "episodes", "messages"}``. Raises ``GymError`` as ``forks_open``
    does, and 403 ``missing_scope``, as refusals tell the answer; 413 ``intervention_too_long``; 422
    ``intervention_empty``, ``intervention_leaks``, ``cannot_go_on``, ``no_such_step``, ``no_such_substep``,
    and what the leak check raises.
    """
    principal.require(Scope.GUIDANCE, Scope.GOLDS)
    services.episode_get(episode_id=episode_id, principal=principal)
    parent = Episode.objects.select_related("run", "task").get(pk=episode_id)
    text = body.text.strip()
    if not text:
        message = "An intervention is a text of at least one word."
        raise GymError("intervention_empty", message, status=422, fields={"text": [message]})
    copied = _copied(parent, step=body.step, substep=body.substep)
    _check_length(len(copied), len(text))
    _check_leaks(parent.task, text, copied=copied)
    fork = Fork(
        episode=episode_id, step=body.step - 1, **{name: getattr(body, name) for name in FORK_SETTINGS}
    )
    with transaction.atomic():
        groups, opened = forks.groups_open(forks=[fork], principal=principal)
        intervention = Intervention.objects.create(
            group_id=groups[0],
            episode=parent,
            step=body.step,
            substep=body.substep,
            copied=copied,
            text=text,
            sha256=hashlib.sha256(text.encode()).hexdigest(),
            author_kind=body.author_kind,
            author=body.author,
        )
        intervention.refresh_from_db()
    return {"intervention": intervention_records([intervention])[0], **opened}


def _copied(parent: Episode, *, step: int, substep: int) -> str:
    """Return the policy's text in a step before a substep.

    Raises ``GymError`` 422 ``no_such_step``, ``cannot_go_on``, ``no_such_substep``.
    """
    turns = turns_until(parent.pk, step, since=step)
    if not turns:
        message = f"Episode {parent.pk} has no step {step}."
        raise GymError("no_such_step", message, status=422, fields={"step": [message]})
    if problem := problem_of(turns[-1].raw, turns[-1].thought, parent):
        message = f"No model can go on within step {step} of episode {parent.pk}. {problem}"
        raise GymError("cannot_go_on", message, status=422, fields={"step": [message]})
    content = content_of(turns[-1].raw, parent)
    spans = substep_spans(content)
    if substep > len(spans):
        message = f"Step {step} of episode {parent.pk} has {len(spans)} substeps: blocks between blank lines."
        raise GymError("no_such_substep", message, status=422, fields={"substep": [message]})
    return content[: spans[substep - 1][0]]


def _check_leaks(task: Task, text: str, *, copied: str) -> None:
    if leaks := detection.leaks_behind(task, text, before=copied):
        places = ", ".join(
            f"“{text[leak.start : leak.end][:QUOTED_CHARS]}” (characters {leak.start} to {leak.end})"
            for leak in leaks[: detection.NAMED_MAX]
        )
        message = f"The text gives away the answer: {places}. An intervention may guide, but not state it."
        raise GymError("intervention_leaks", message, status=422, fields={"text": [message]})


def _check_length(copied: int, text: int) -> None:
    """Check the full message, which the model continues: it is stored as a completion is."""
    maximum = settings.THOUGHT_MAX_CHARS
    if copied + text >= maximum:
        message = (
            f"With the {copied:,} characters before it the intervention has {copied + text:,}: a completion "
            f"has at most {maximum:,} (setting THOUGHT_MAX_CHARS), and some must be left to go on."
        )
        raise GymError("intervention_too_long", message, status=413, fields={"text": [message]})
