"""The base class of grammars, which read a completion as an action and write an action as a completion.

A new grammar needs a record in ``palaestra.protocol.grammars`` and one file in this folder with a subclass of
``Grammar``, which has the record's ``id`` and defines ``parse`` and ``render``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from palaestra.actions import Action, ActionInvalid, action_check
from palaestra.completion import Completion
from palaestra.protocol import grammars
from palaestra.protocol.grammars import Grammar as GrammarFacts
from palaestra.protocol.offers import Conditions, actions_offered
from palaestra.records import Message

GRAMMARS: dict[str, Grammar] = {}
ONE_ACTION = "There is more than one action, and nothing was done. Write one per turn."


@dataclass(frozen=True, kw_only=True)
class Turn:
    """A parsed completion.

    ``declared`` is the action as a JSON object with a ``type``, recorded whatever it contains. ``action`` is
    the same action after validation, or None if ``parse_error`` gives the reason why there is none.
    """

    thought: str
    declared: dict[str, Any] | None = None
    action: Action | None = None
    parse_error: str | None = None


class Grammar(ABC):
    """One way to write actions.

    Subclasses are registered in ``GRAMMARS``; ``facts`` is a subclass's record.
    """

    id: ClassVar[str]
    facts: ClassVar[GrammarFacts]

    def __init_subclass__(cls) -> None:
        if "id" not in cls.__dict__:
            return
        if cls.id in GRAMMARS:
            raise ValueError(f"Two grammars have the id {cls.id!r}.")
        cls.facts = grammars.GRAMMARS[cls.id]
        GRAMMARS[cls.id] = cls()

    @abstractmethod
    def parse(self, completion: Completion, conditions: Conditions, *, shown: str = "") -> Turn:
        """Parse a completion. Never raises.

        If the completion is unreadable, the turn has a ``parse_error``, which names the actions that
        ``conditions`` offer and gives an example with an element from ``shown``, the observation before it.
        """

    @abstractmethod
    def render(self, declared: Mapping[str, Any], *, thought: str = "") -> list[Completion]:
        """Return the completions, one per turn, that declare an action. Raises ``ValueError`` if none can."""

    def tools(self, conditions: Conditions) -> list[dict[str, Any]] | None:
        """Return the ``tools`` to send to an endpoint, or None."""
        return None

    def response_format(self, conditions: Conditions) -> dict[str, Any] | None:
        """Return the ``response_format`` to send to an endpoint; None if completions are free text."""
        return None

    # ---- the conversation, built only from what is recorded
    def raw(self, completion: Completion) -> str:
        """Return the text to record for a completion, from which its message can be rebuilt."""
        return completion.text

    def completion_message(self, raw: str) -> Message:
        """Return the message that shows a model its own earlier completion, given the recorded text."""
        return {"role": "assistant", "content": raw}

    def result_messages(self, raw: str, message: Message) -> list[Message]:
        """Return the messages that follow a completion; ``message`` has the action's result and the page."""
        return [message]


def get_grammar(id_: str) -> Grammar:
    """Return a grammar by its id. Raises ``ValueError``, which lists the known ids, if there is none."""
    if id_ not in GRAMMARS:
        raise ValueError(f"There is no grammar {id_!r}. Known: {', '.join(sorted(GRAMMARS))}.")
    return GRAMMARS[id_]


def check_turn(thought: str, declared: Sequence[dict[str, Any]], conditions: Conditions) -> Turn:
    """Return the turn for one or more declared actions, or a turn with the error if they are invalid."""
    if len(declared) > 1 and "sequence" not in conditions:
        return Turn(thought=thought, parse_error=ONE_ACTION)
    action = declared[0] if len(declared) == 1 else {"type": "sequence", "actions": list(declared)}
    try:
        return Turn(thought=thought, declared=action, action=action_check(action, conditions=conditions))
    except ActionInvalid as failure:
        return Turn(thought=thought, declared=action, parse_error=str(failure))


def split_singles(declared: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the actions of a sequence, or a list with the single action."""
    return list(declared["actions"]) if declared["type"] == "sequence" else [dict(declared)]


def list_singles(conditions: Conditions) -> list[str]:
    """Return the offered actions except ``sequence``: here, a turn with several actions simply lists them."""
    return [kind for kind in actions_offered(conditions) if kind != "sequence"]
