"""Action types by id."""

from __future__ import annotations

from core.registry import Registry
from palaestra.protocol.actions import action_add
from trajectories.actions.types import ActionType

ACTIONS: Registry[ActionType] = Registry("action")


def register(kind: ActionType) -> None:
    """Add a type, and its spec where agents are not told of it yet."""
    action_add(kind.spec)
    ACTIONS.register(kind.id, kind)


def find(action_id: str) -> ActionType | None:
    """The type, None where nobody registered it: a policy may declare anything."""
    return ACTIONS.get(action_id) if action_id in ACTIONS else None


def objects() -> dict[str, str]:
    """The field of each action type that says what was typed, pressed or opened, where there is one."""
    return {id_: kind.object for id_, kind in ACTIONS.items() if kind.object}


def text_fields() -> set[str]:
    """The fields that hold words, of all types."""
    return {kind.object for _, kind in ACTIONS.items() if kind.object and not kind.unit}
