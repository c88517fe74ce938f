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
    """Return the type, None if it is not registered: a policy may declare anything."""
    return ACTIONS.get(action_id) if action_id in ACTIONS else None


def objects() -> dict[str, str]:
    """Return for each action type the field that holds what was typed, pressed or opened, if any."""
    return {id_: kind.object for id_, kind in ACTIONS.items() if kind.object}


def text_fields() -> set[str]:
    """Return the fields of all types that hold words."""
    return {kind.object for _, kind in ACTIONS.items() if kind.object and not kind.unit}
