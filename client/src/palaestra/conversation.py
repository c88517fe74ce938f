"""An episode's conversation as the model saw it, rebuilt from the record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from palaestra.api import Client
from palaestra.grammars import Grammar, get_grammar
from palaestra.protocol.arms import arm_of
from palaestra.protocol.histories import history_read
from palaestra.records import Message, Run
from palaestra.recovery.lineage import Picture, line_read
from palaestra.turn.histories import PastTurn, messages_send


async def conversation_rebuild(
    client: Client, episode: int, *, history: str | None = None
) -> list[list[Message]]:
    """Return, for each recorded step, the messages that the model was sent before it, byte for byte.

    The run determines the grammar and the history policy. With another ``history``, the messages are those
    that would have been sent under that policy. Pictures are data URLs, as ``observation_message`` makes
    them, except in the opening messages: there they are URLs of the lab (see ``Client.messages_inline``).
    Raises ``ApiError`` if a screenshot is missing.
    """
    trajectory = await client.trajectory(episode)
    run = await client.run(trajectory["run"])
    policy = history or run.history
    return (await prompts_read(client, episode, trajectory, run, histories=[policy]))[policy]


async def prompts_read(
    client: Client,
    episode: int,
    trajectory: Mapping[str, Any],
    run: Run,
    *,
    histories: Iterable[str],
    picture: Picture | None = None,
) -> dict[str, list[list[Message]]]:
    """Return the messages before each step of a trajectory, by history policy.

    ``run`` determines the grammar; ``picture`` has the same meaning as in ``line_read``.
    """
    messages = await client.opening_messages(episode)
    opening = [message for message in messages if not message.get("prefill")]
    line = await line_read(client, trajectory, picture=picture)
    inherited = len(line.steps) - len(trajectory["steps"])
    grammar = get_grammar("json" if arm_of(trajectory["arm"]).is_free_text else run.grammar)
    return {
        name: prompts_rebuild(history=name, grammar=grammar, opening=opening, turns=line.turns)[inherited:]
        for name in histories
    }


def prompts_rebuild(
    *, history: str, grammar: Grammar, opening: Sequence[Message], turns: Sequence[PastTurn]
) -> list[list[Message]]:
    """Return the messages before each of the recorded ``turns``, under a history policy."""
    policy = history_read(history)
    return [
        messages_send(history=policy, grammar=grammar, opening=opening, turns=turns[:index], shown=turn.shown)
        for index, turn in enumerate(turns)
    ]
