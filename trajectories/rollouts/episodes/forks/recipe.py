"""Restoring a fork to its parent's state: the server's part is copied, the pages' part is listed."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import Any

import msgspec
from msgspec import Struct

from core.errors import GymError
from core.sql import Statement
from palaestra.protocol.answers import AnswerForm
from tasks_app.worlds.evidence import PAGE_SERVED
from trajectories.models import Episode
from trajectories.record.api.auth import Principal
from trajectories.rollouts.episodes import drafts, services
from trajectories.rollouts.episodes.forks.lineage import PastStep, is_complete, steps_until

RESTORE = Statement(__file__, "restore", is_hot=True)
RESTORED = Statement(__file__, "restored", is_hot=True)
NEEDED = ("arm", "begins_after", "parent", "status", "task__kind", "task__payload")


class Served(Struct):
    """A document that the arena served: the number of its site event, and its path below the first page."""

    seq: int
    path: str


class PastAct(Struct):
    """Action of a step, with its outcome.

    The outcome is the address, observation format, screenshot and SHA-256 of the text of the next
    observation. ``seq`` is the number of the last site event by then. Index 0 stands for the opening of the
    first page.
    """

    index: int
    action: dict[str, Any] | None
    action_result: str | None
    result_message: str | None
    url: str
    kind: str
    sha256: str
    screenshot: str | None
    served: list[Served]
    seq: int


class Recipe(Struct):
    """Instructions for bringing a fork to where its parent stood.

    ``element_ids`` are the keys of the ids that elements had until then, in the order of their numbers,
    separated by blanks.
    """

    start_url: str | None
    answer_form: AnswerForm
    is_site: bool
    next_index: int
    element_ids: str
    steps: list[PastAct]


def fork_restore(*, episode_id: int, principal: Principal) -> Recipe:
    """Give a fork the site events and tool calls of its parent, and return how its page is restored.

    It may be called again for as long as nothing was done in the fork. Raises ``GymError``: 404
    ``unknown_episode``; 409 ``not_a_fork``, ``no_page``, ``episode_final``, ``restored``, ``parent_gone``.
    """
    episode = services.episode_get(episode_id=episode_id, principal=principal, only=NEEDED)
    if episode.parent_id is None:
        raise GymError("not_a_fork", f"Episode {episode_id} is not a fork.", status=409)
    if not episode.has_page:
        raise GymError("no_page", f"Episode {episode_id} has no page to restore.", status=409)
    if episode.status != Episode.Status.OPEN:
        raise GymError("episode_final", "The episode has ended; open a new one.", status=409)
    _inherited(episode_id)
    steps = steps_until(episode.parent_id, episode.begins_after + 1)
    if not is_complete(steps, last=episode.begins_after + 1):
        message = f"The record of episode {episode.parent_id}, or of its ancestors, is not there any more."
        raise GymError("parent_gone", message, status=409)
    RESTORE.run(episode=episode_id)
    return Recipe(
        **drafts.whereabouts(episode.task, episode_id=episode_id, arm=episode.arm),
        next_index=episode.begins_after + 1,
        element_ids=" ".join(step.element_ids for step in steps if step.element_ids),
        steps=_acts(steps, _inherited(episode_id)),
    )


def _inherited(episode_id: int) -> list[dict[str, Any]]:
    """The site events that a fork has inherited. Raises ``GymError`` ``restored`` once it has gone on."""
    events, is_used = RESTORED.row(episode=episode_id) or ("[]", False)
    if is_used:
        message = f"Episode {episode_id} was restored, and has gone on since."
        raise GymError("restored", message, status=409)
    inherited: list[dict[str, Any]] = msgspec.json.decode(events)
    return inherited


def _acts(steps: list[PastStep], events: list[dict[str, Any]]) -> list[PastAct]:
    opened = PastStep(0, None, "", None, "", "", "", "", "")
    by_step = defaultdict[int, list[dict[str, Any]]](list)
    for event in events:
        by_step[event["step"]].append(event)
    acts, seq = [], 0
    for index, (act, shown) in enumerate(pairwise([opened, *steps])):
        own = by_step[index]
        seq = max([seq, *(event["seq"] for event in own)])
        served = [event for event in own if event["kind"] == PAGE_SERVED and event["path"] is not None]
        acts.append(
            PastAct(
                index=index,
                action=act.action,
                action_result=act.action_result or None,
                result_message=act.result_message,
                url=shown.url,
                kind=shown.kind,
                sha256=shown.sha256,
                screenshot=shown.screenshot or None,
                served=[Served(seq=event["seq"], path=event["path"]) for event in served],
                seq=seq,
            )
        )
    return acts
