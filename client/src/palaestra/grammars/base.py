"""The base of grammars: reading a completion as an action, and writing an action as a completion.

A new grammar is a record in ``palaestra.protocol.grammars`` and one file in this folder: a subclass of
``Grammar`` with the ``id`` of the record, ``parse`` and ``render``.
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

    ``declared`` is the action as a JSON object with its ``type`` (recorded whatever it holds), ``action`` the
    checked one; None when ``parse_error`` says why there is none.
    """

    thought: str
    declared: dict[str, Any] | None = None
    action: Action | None = None
    parse_error: str | None = None


class Grammar(ABC):
    """One way to write actions. Subclasses are registered in ``GRAMMARS``; ``facts`` is their record."""

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
        """Read a completion. Never raises: an unreadable one comes back with ``parse_error``, which names
        what ``conditions`` offer and, in its example, what the observation ``shown`` before it has."""

    @abstractmethod
    def render(self, declared: Mapping[str, Any], *, thought: str = "") -> list[Completion]:
        """Return the completions that declare an action, in turn. Raises ``ValueError`` if none does."""

    def tools(self, conditions: Conditions) -> list[dict[str, Any]] | None:
        """Return the ``tools`` that an endpoint is sent; None if it is sent none."""
        return None

    def response_format(self, conditions: Conditions) -> dict[str, Any] | None:
        """Return the ``response_format`` that an endpoint is sent; None if a completion is free text."""
        return None

    # ---- the conversation, which is made of what is recorded alone
    def raw(self, completion: Completion) -> str:
        """Return a completion as it is recorded: all that its message needs."""
        return completion.text

    def completion_message(self, raw: str) -> Message:
        """Return the message that shows a model a completion of its own, from its record."""
        return {"role": "assistant", "content": raw}

    def result_messages(self, raw: str, message: Message) -> list[Message]:
        """Return the messages after a completion: ``message``, which holds the result and the page."""
        return [message]


def get_grammar(id_: str) -> Grammar:
    """Return a grammar by its id. Raises ``ValueError``, which names the others."""
    if id_ not in GRAMMARS:
        raise ValueError(f"There is no grammar {id_!r}. Known: {', '.join(sorted(GRAMMARS))}.")
    return GRAMMARS[id_]


def check_turn(thought: str, declared: Sequence[dict[str, Any]], conditions: Conditions) -> Turn:
    """Return the turn that declares some actions, at least one, or says what is wrong with them."""
    if len(declared) > 1 and "sequence" not in conditions:
        return Turn(thought=thought, parse_error=ONE_ACTION)
    action = declared[0] if len(declared) == 1 else {"type": "sequence", "actions": list(declared)}
    try:
        return Turn(thought=thought, declared=action, action=action_check(action, conditions=conditions))
    except ActionInvalid as failure:
        return Turn(thought=thought, declared=action, parse_error=str(failure))


def split_singles(declared: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the actions of a sequence, or the one action."""
    return list(declared["actions"]) if declared["type"] == "sequence" else [dict(declared)]


def list_singles(conditions: Conditions) -> list[str]:
    """Return the actions that are offered, without the sequence: several in one turn stand side by side."""
    return [kind for kind in actions_offered(conditions) if kind != "sequence"]
