"""The steps that an episode inherited from its ancestors. They are read from there and never copied."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import msgspec
from msgspec import Struct, structs

from core.database.integers import INT_MAX
from core.database.sql import Statement, sql_read
from core.errors import GymError
from palaestra.protocol.answers import AnswerForm
from palaestra.protocol.outline import REFERENCE
from tasks_app.worlds.evidence import PAGE_SERVED
from trajectories.models import Episode, Step
from trajectories.record.api.auth import Principal
from trajectories.rollouts.episodes import drafts, services

STEPS = Statement(__file__, "lineage", is_hot=True, columns=sql_read(__file__, "step_columns"))
TURNS = Statement(__file__, "lineage", columns=sql_read(__file__, "turn_columns"))
HASHES = Statement(__file__, "lineage", columns="s.index, s.more->>'prompt_sha256'")
PLACES = Statement(__file__, "lineage", columns="s.index, s.url, coalesce(s.more->>'element_ids', '')")
LENGTHS = Statement(__file__, "lineage", columns="length(s.observation_text) + length(s.raw)")
# A step without text showed a blob or a picture instead, and either may contain ids.
ID_SHOWN = Statement(
    __file__, "lineage", columns=f"s.observation_text = '' OR s.observation_text ~ '{REFERENCE}'"
)
AUTHORS = Statement(__file__, "lineage", columns="s.index, s.actor, s.segment")
HOLDERS = Statement(__file__, "lineage", columns="l.id, s.index")
NEEDED = ("arm", "begins_after", "parent", "status", "task__kind", "task__payload")


class PastStep(Struct, frozen=True):
    """A recorded step.

    ``url``, ``kind``, ``sha256`` and ``screenshot`` describe the observation shown to its model.
    ``element_ids`` are the keys of the element ids given out since the previous step."""

    index: int
    action: dict[str, Any] | None
    action_result: str
    result_message: str | None
    url: str
    kind: str
    sha256: str
    screenshot: str
    element_ids: str


def steps_until(episode_id: int, step: int) -> list[PastStep]:
    """Return an episode's steps 1 to ``step``, including its ancestors', without those that are missing."""
    rows = (PastStep(*row) for row in STEPS.rows(episode=episode_id, since=1, until=step))
    # Columns of type jsonb arrive as text.
    return [structs.replace(row, action=row.action and msgspec.json.decode(str(row.action))) for row in rows]


class PastPlace(Struct, frozen=True):
    """The short fields of a recorded step, with the same meaning as in ``PastStep``."""

    index: int
    url: str
    element_ids: str


def places_until(episode_id: int, step: int) -> list[PastPlace]:
    """Return the same steps as ``steps_until``, without reading their observations."""
    return [PastPlace(*row) for row in PLACES.rows(episode=episode_id, since=1, until=step)]


def shows_ids(episode_id: int, step: int) -> bool:
    """Return whether an element may have had an id in steps 1 to ``step``. Many pages have no ids."""
    return any(is_shown for (is_shown,) in ID_SHOWN.rows(episode=episode_id, since=1, until=step))


def is_complete(steps: Sequence[PastStep | PastPlace], *, last: int) -> bool:
    """Return whether these are exactly the steps 1 to ``last``."""
    return [step.index for step in steps] == list(range(1, last + 1))


class PastTurn(Struct, frozen=True):
    """The parts of a recorded step that belong to a conversation, and its thought."""

    index: int
    raw: str
    thought: str
    observation_kind: str
    observation_text: str
    screenshot: str
    action_result: str
    result_message: str | None
    actor: str


def turns_until(episode_id: int, step: int, *, since: int = 1) -> list[PastTurn]:
    """Return the steps ``since`` to ``step``, as in ``steps_until``, with their texts and observations.

    All of them are held in memory, so check ``conversations.is_too_long`` first.
    """
    return [PastTurn(*row) for row in TURNS.rows(episode=episode_id, since=since, until=step)]


def list_held_steps(episode_id: int, *, until: int = INT_MAX) -> list[tuple[int, int]]:
    """Return an episode's steps in order, each as the id of the episode that holds it and its number."""
    return HOLDERS.rows(episode=episode_id, since=1, until=until)


def chars_until(episode_id: int, step: int) -> int:
    """Count the characters of observations and completions in steps 1 to ``step``."""
    return sum(length for (length,) in LENGTHS.rows(episode=episode_id, since=1, until=step))


def authors_until(episode_id: int, step: int) -> dict[int, tuple[str, str]]:
    """Return the actor and a person's segment of each step in ``steps_until``, by index."""
    return {row[0]: (row[1], row[2]) for row in AUTHORS.rows(episode=episode_id, since=1, until=step)}


def has_person(episode_id: int, step: int) -> bool:
    """Return whether a person did any of steps 1 to ``step``, including the steps of ancestors."""
    return any(actor == Step.Actor.PERSON for actor, _ in authors_until(episode_id, step).values())


def prompt_hashes(episode_id: int, step: int) -> dict[int, str | None]:
    """Return the prompt hash posted with each of steps 1 to ``step``, by index."""
    return dict(HASHES.rows(episode=episode_id, since=1, until=step))


RESTORE = Statement(__file__, "restore", is_hot=True)
RESTORED = Statement(__file__, "restored", is_hot=True)


class Served(Struct):
    """A document that the arena served: the number of its site event, and its path below the first page."""

    seq: int
    path: str


class PastAct(Struct):
    """The action of a step, with its outcome.

    The outcome is the next observation: its address, format, screenshot, and the SHA-256 of its text. ``seq``
    is the number of the last site event up to then. Index 0 is the opening of the first page.
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
    """Instructions for bringing a fork to its parent's state.

    ``element_ids`` are the keys of the ids that elements had until then, separated by spaces, in the order of
    the ids' numbers.
    """

    start_url: str | None
    answer_form: AnswerForm
    is_site: bool
    next_index: int
    element_ids: str
    steps: list[PastAct]


def fork_restore(*, episode_id: int, principal: Principal) -> Recipe:
    """Copy the parent's site events and tool calls to a fork, and return how to restore its page.

    It may be called again as long as nothing has been done in the fork. Raises ``GymError``: 404
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
        message = f"The record of episode {episode.parent_id} or of its ancestors no longer exists."
        raise GymError("parent_gone", message, status=409)
    RESTORE.run(episode=episode_id)
    return Recipe(
        **drafts.whereabouts(episode.task, episode_id=episode_id, arm=episode.arm),
        next_index=episode.begins_after + 1,
        element_ids=" ".join(step.element_ids for step in steps if step.element_ids),
        steps=_acts(steps, _inherited(episode_id)),
    )


def _inherited(episode_id: int) -> list[dict[str, Any]]:
    """Return the site events that a fork inherited.

    Raises ``GymError`` 409 ``restored`` if the fork has gone on since it was restored.
    """
    events, is_used = RESTORED.row(episode=episode_id) or ("[]", False)
    if is_used:
        message = f"Episode {episode_id} was already restored and has gone on since."
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
