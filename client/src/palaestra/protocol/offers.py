"""The actions and fields that an episode offers, and examples of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from palaestra.protocol.actions import ACTION_SPECS, Condition, FieldSpec

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
    """Return the conditions that an episode meets.

    Without a page, none of the page's conditions is met. With a page, ``tools`` is not met, because the page
    shows its tools as forms.
    """
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
    """Return the action types that an episode offers, by rank. Other actions are carried out if possible."""
    offered = [spec for spec in ACTION_SPECS.values() if conditions.issuperset(spec.needs)]
    return [spec.id for spec in sorted(offered, key=lambda spec: (spec.rank, spec.id))]


def fields_offered(action_id: str, conditions: Conditions) -> list[FieldSpec]:
    """Return the fields of an action type that an episode offers.

    If there is only one way to aim, its fields are required.
    """
    spec = ACTION_SPECS[action_id]
    is_aimed = spec.aim == "required" and not conditions.issuperset(("ids", "positions"))
    return [
        replace(field, is_required=field.is_required or (is_aimed and field.needs is not None))
        for field in spec.fields
        if field.needs is None or field.needs in conditions
    ]


def example_of(action_id: str, conditions: Conditions) -> dict[str, Any]:
    """Return an example of an action as a JSON object.

    If there are ids, it names an element, not a position.
    """
    shown = conditions - {"positions"} if "ids" in conditions else conditions
    fields = fields_offered(action_id, shown)
    return {"type": action_id, **{field.name: field.example for field in fields if field.example is not None}}
