"""The conversation of an episode, rebuilt from its record as the model saw it."""

from __future__ import annotations

from collections.abc import Sequence

from palaestra.api import Client
from palaestra.grammars import Grammar, get_grammar
from palaestra.protocol.arms import arm_of
from palaestra.protocol.histories import history_read
from palaestra.records import Message, Run
from palaestra.recovery.lineage import line_read
from palaestra.turn.histories import PastTurn, messages_send


async def conversation_rebuild(
    client: Client, episode: int, *, history: str | None = None
) -> list[list[Message]]:
    """Return for each recorded step the messages that the model was sent before it, byte for byte.

    Grammar and history policy are those of the run; another ``history`` gives what would have been sent under
    it. Pictures are data URLs, as ``observation_message`` makes them; those of the opening messages are
    addresses of the lab, as they were sent (``Client.messages_inline``). Raises ``ApiError`` if a screenshot
    is missing.
    """
    messages = await client.opening_messages(episode)
    opening = [message for message in messages if not message.get("prefill")]
    trajectory = await client.trajectory(episode)
    run = await client.run(trajectory["run"])
    line = await line_read(client, trajectory)
    grammar = find_grammar(run, arm=trajectory["arm"])
    prompts = prompts_rebuild(
        history=history or run.history, grammar=grammar, opening=opening, turns=line.turns
    )
    return prompts[len(prompts) - len(trajectory["steps"]) :]


def prompts_rebuild(
    *, history: str, grammar: Grammar, opening: Sequence[Message], turns: Sequence[PastTurn]
) -> list[list[Message]]:
    """Return the messages before each of the recorded ``turns``, under a history policy."""
    policy = history_read(history)
    return [
        messages_send(history=policy, grammar=grammar, opening=opening, turns=turns[:index], shown=turn.shown)
        for index, turn in enumerate(turns)
    ]


def find_grammar(run: Run, *, arm: str) -> Grammar:
    """Return the grammar in which an episode of the run was played."""
    return get_grammar("json" if arm_of(arm).is_free_text else run.grammar)
