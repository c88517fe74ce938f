"""The conversation of an episode, rebuilt from its record as the model met it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from palaestra.api import Client
from palaestra.arms import arm_of
from palaestra.grammars import grammar_of
from palaestra.histories import Turn, messages_send
from palaestra.observation import Observation, has_picture
from palaestra.records import Message
from palaestra.setups import history_read


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
    run, arm = await client.run(trajectory["run"]), arm_of(trajectory["arm"])
    grammar = grammar_of("json" if arm.is_free_text else run.grammar)
    policy = history_read(history or run.history)
    turns, sent = list[Turn](), list[list[Message]]()
    steps: Sequence[dict[str, Any]] = trajectory["steps"]
    for place, step in enumerate(steps):
        is_shown = arm.has_page or place > 0
        shown = await _shown(client, step, after=steps[place - 1 : place]) if is_shown else None
        sent.append(messages_send(history=policy, grammar=grammar, opening=opening, turns=turns, shown=shown))
        turns.append(Turn(shown=shown, raw=step["raw"]))
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
