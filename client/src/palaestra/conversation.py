"""The conversation of an episode, rebuilt from its record as the model met it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import msgspec

from palaestra.api import Client
from palaestra.arms import arm_of
from palaestra.element_ids import keys_read
from palaestra.grammars import Grammar, grammar_of
from palaestra.histories import Past, Turn, messages_send
from palaestra.observation import Observation, has_picture
from palaestra.records import Message, Run, Usage
from palaestra.setups import history_read
from palaestra.stored_steps import is_answer


async def conversation_rebuild(
    client: Client, episode: int, *, history: str | None = None
) -> list[list[Message]]:
    """For each recorded step the messages that the model was sent before it, byte for byte.

    Grammar and history policy are those of the run; with another ``history``, what would have been sent
    under it. Pictures are data URLs, as ``observation_message`` makes them; those of the opening messages
    are addresses of the lab, as they were sent (``Client.messages_inline``). Raises ``ApiError`` without a
    screenshot.
    """
    opening = await client.episode_messages(episode)
    trajectory = await client.trajectory(episode)
    run = await client.run(trajectory["run"])
    turns = await turns_read(trajectory, picture=client.blob_get)
    grammar = grammar_recorded(run, arm=trajectory["arm"])
    return prompts_rebuild(history=history or run.history, grammar=grammar, opening=opening, turns=turns)


def prompts_rebuild(
    *, history: str, grammar: Grammar, opening: Sequence[Message], turns: Sequence[Turn]
) -> list[list[Message]]:
    """The messages before each of the recorded ``turns``, under a history policy."""
    policy = history_read(history)
    return [
        messages_send(history=policy, grammar=grammar, opening=opening, turns=turns[:place], shown=turn.shown)
        for place, turn in enumerate(turns)
    ]


def grammar_recorded(run: Run, *, arm: str) -> Grammar:
    """The grammar in which an episode of the run was played."""
    return grammar_of("json" if arm_of(arm).is_free_text else run.grammar)


async def past_read(client: Client, episode: int) -> Past:
    """What an interrupted episode goes on from."""
    return await past_of(await client.trajectory(episode), picture=client.blob_get)


async def past_of(trajectory: dict[str, Any], *, picture: Callable[[str], Awaitable[bytes]]) -> Past:
    """The recorded past of a trajectory; ``picture`` gives the content of a screenshot by its SHA-256."""
    steps: Sequence[dict[str, Any]] = trajectory["steps"]
    last = steps[-1] if steps else {}
    return Past(
        turns=await turns_read(trajectory, picture=picture),
        steps=last.get("index", 0),
        used=[
            (msgspec.convert(step["usage"], Usage) if step.get("usage") else None, not step["parse_error"])
            for step in steps
        ],
        element_ids=keys_read(steps),
        is_answered=any(is_answer(step["action"], step["action_result"]) for step in steps),
        result=last.get("action_result"),
        result_message=last.get("result_message") or "",
    )


async def turns_read(trajectory: dict[str, Any], *, picture: Callable[[str], Awaitable[bytes]]) -> list[Turn]:
    """The recorded turns; ``picture`` gives the content of a screenshot by its SHA-256."""
    steps: Sequence[dict[str, Any]] = trajectory["steps"]
    has_page = arm_of(trajectory["arm"]).has_page
    return [
        Turn(
            shown=await _shown(step, picture, after=steps[place - 1 : place]) if has_page or place else None,
            raw=step["raw"],
        )
        for place, step in enumerate(steps)
    ]


async def _shown(
    step: dict[str, Any], picture: Callable[[str], Awaitable[bytes]], *, after: Sequence[dict[str, Any]]
) -> Observation:
    """What was shown before a step: the result of the one before, and the page."""
    observation = step["observation"] or {"kind": "text", "text": None}
    is_seen = has_picture(observation["kind"]) and step["screenshot"] is not None
    before = after[0] if after else {}
    return Observation(
        kind=observation["kind"],
        text=observation["text"] or "",
        screenshot=await picture(step["screenshot"]) if is_seen else None,
        result=before.get("action_result"),
        result_message=before.get("result_message") or "",
    )
