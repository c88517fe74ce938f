"""Which actions and fields an episode offers. The client has the same rule (``palaestra.actions``)."""

from __future__ import annotations

import dataclasses
from typing import Any

from trajectories.actions.registry import ACTIONS
from trajectories.actions.types import Condition, Field

Conditions = frozenset[Condition]


def conditions_of(
    *,
    has_page: bool,
    has_ids: bool = False,
    has_positions: bool = False,
    has_outline: bool = False,
    is_site: bool = False,
    answer_channel: str = "page",
    actions_per_turn: int = 1,
    has_tools: bool = False,
) -> Conditions:
    """What an episode has, as far as it decides what is offered. What is said of a page needs one; tools that
    a page shows are no matter of actions."""
    of_page: dict[Condition, bool] = {
        "page": True,
        "ids": has_ids,
        "positions": has_positions,
        "outline": has_outline,
        "site": is_site,
        "sequence": actions_per_turn > 1,
    }
    conditions = {condition for condition, holds in of_page.items() if has_page and holds}
    if not has_page or answer_channel == "api":
        conditions.add("answer")
    if has_tools and not has_page:
        conditions.add("tools")
    return frozenset(conditions)


def actions_offered(conditions: Conditions) -> list[str]:
    """The action types that an episode offers, by rank. Others are carried out where they can be."""
    offered = [id_ for id_, kind in ACTIONS.items() if conditions.issuperset(kind.needs)]
    return sorted(offered, key=lambda id_: (ACTIONS.get(id_).rank, id_))


def fields_offered(action_id: str, conditions: Conditions) -> list[Field]:
    """The fields of an action type that an episode offers. With one way to aim, its fields are required."""
    kind = ACTIONS.get(action_id)
    is_aimed = kind.aim == "required" and not conditions.issuperset(("ids", "positions"))
    return [
        dataclasses.replace(one, is_required=one.is_required or (is_aimed and one.needs is not None))
        for one in kind.fields
        if one.needs is None or one.needs in conditions
    ]


def example_of(action_id: str, conditions: Conditions) -> dict[str, Any]:
    """An example of an action as a JSON object; with ids it names an element and no position."""
    shown = conditions - {"positions"} if "ids" in conditions else conditions
    fields = fields_offered(action_id, shown)
    return {"type": action_id, **{one.name: one.example for one in fields if one.example is not None}}
