"""The messages that are sent to a model: what it was shown and wrote before, under a history policy.

They depend only on the opening messages and the turns so far, so a conversation can be rebuilt from its
record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from palaestra.grammars import Grammar
from palaestra.observation import Observation, extract_shown
from palaestra.protocol.action_results import ActionResult
from palaestra.protocol.conversation import observation_message, pages_send
from palaestra.protocol.histories import History
from palaestra.records import Message, Usage


@dataclass(frozen=True, kw_only=True)
class PastTurn:
    """One past turn: the observation and the completion as recorded.

    ``shown`` is None in the first turn of arms without a page.
    """

    shown: Observation | None
    raw: str


@dataclass(frozen=True, kw_only=True)
class Past:
    """The state from which an interrupted episode continues.

    It consists of the recorded ``turns``, the number of the last one (``steps``), the result of the last
    action, each turn's usage and whether its action was readable (``used``), the keys of the element ids, and
    whether a first answer was given.
    """

    turns: Sequence[PastTurn]
    steps: int
    used: Sequence[tuple[Usage | None, bool]]
    element_ids: Sequence[str] = ()
    is_answered: bool = False
    result: ActionResult | None = None
    result_message: str = ""


def messages_send(
    *,
    history: History,
    grammar: Grammar,
    opening: Sequence[Message],
    turns: Sequence[PastTurn],
    shown: Observation | None,
) -> list[Message]:
    """Return the messages to send now.

    They are the ``opening`` messages, the past ``turns``, and the observation ``shown`` now, if there is one.
    """
    observations = [turn.shown for turn in turns] + [shown]
    seen = iter(
        pages_send([extract_shown(each) for each in observations if each is not None], history=history)
    )
    messages = list(opening)
    for place, observation in enumerate(observations):
        if place:
            messages.append(grammar.completion_message(turns[place - 1].raw))
        if observation is None:
            continue
        message = observation_message(next(seen))
        messages += grammar.result_messages(turns[place - 1].raw, message) if place else [message]
    return messages
