"""The conversation of an episode, rebuilt from its record as the model met it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from palaestra.api import Client
from palaestra.arms import arm_of
from palaestra.observation import Observation, has_picture, observation_message
from palaestra.records import Message


async def conversation_rebuild(client: Client, episode: int) -> list[list[Message]]:
    """For each recorded step the messages that the model was sent before it, byte for byte.

    Pictures are data URLs, as ``observation_message`` makes them; those of the opening messages are addresses
    of the lab, as they were sent (``Client.messages_inline``). Raises ``ApiError`` without a screenshot.
    """
    messages = await client.episode_messages(episode)
    trajectory = await client.trajectory(episode)
    steps: Sequence[dict[str, Any]] = trajectory["steps"]
    has_page, sent = arm_of(trajectory["arm"]).has_page, []
    for place, step in enumerate(steps):
        if has_page or place:
            messages.append(observation_message(await _shown(client, step, after=steps[place - 1 : place])))
        sent.append(list(messages))
        messages.append({"role": "assistant", "content": step["raw"]})
    return sent


async def _shown(client: Client, step: dict[str, Any], *, after: Sequence[dict[str, Any]]) -> Observation:
    """What was shown before a step: the result of the one before, and the page."""
    observation = step["observation"] or {"kind": "text", "text": None}
    is_seen = has_picture(observation["kind"]) and step["screenshot"] is not None
    before = after[0] if after else {}
    return Observation(
        kind=observation["kind"],
        text=observation["text"] or "",
        screenshot=await client.blob_get(step["screenshot"]) if is_seen else None,
        result=before.get("action_result"),
        result_message=before.get("result_message") or "",
    )
