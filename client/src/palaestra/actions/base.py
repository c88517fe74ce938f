"""Base class of actions: their spec and fields, and how an action is performed on a page.

A new action is a spec in ``palaestra.protocol.actions`` and one file in this folder: a subclass of ``Action``
with the spec, its fields and ``perform``.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from palaestra.actions.fields import ID_FORM, ActionInvalid, Reader
from palaestra.errors import PageHung
from palaestra.pages.surface import DocumentGone, Surface
from palaestra.protocol.action_results import ActionResult
from palaestra.protocol.actions import ActionSpec, action_add
from palaestra.protocol.offers import Conditions, actions_offered

Aim = dict[str, Any]  # {"id": ...}, or {"x": ..., "y": ...} in viewport pixels, or empty for no target


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """An action's result, with a sentence for the model unless the action simply worked."""

    result: ActionResult
    message: str = ""

    @property
    def is_ok(self) -> bool:
        return self.result == "ok"


class ActionFailed(Exception):
    """An action had no effect, through the agent's fault; carries the result and a sentence for the model."""

    def __init__(self, result: ActionResult, message: str) -> None:
        super().__init__(message)
        self.outcome = Outcome(result=result, message=message)


DONE = Outcome(result="ok")
ACTIONS: dict[str, type[Action]] = {}


@dataclass(frozen=True, kw_only=True)
class Action(ABC):
    """A checked action; subclasses become frozen dataclasses and are registered in ``ACTIONS``.

    A subclass has the fields that its ``spec`` lists. If ``touches_page`` is False, it also works without a
    page.
    """

    spec: ClassVar[ActionSpec]
    type: ClassVar[str]
    touches_page: ClassVar[bool] = True

    def __init_subclass__(cls) -> None:
        cls.type = cls.spec.id
        if cls.type in ACTIONS:
            raise ValueError(f"Two actions have the type {cls.type!r}.")
        action_add(cls.spec)
        action = dataclass(frozen=True, kw_only=True)(cls)
        required = {each.name: each.default is dataclasses.MISSING for each in dataclasses.fields(action)}
        if required != {each.name: each.is_required for each in cls.spec.fields}:
            raise ValueError(f"The fields of the action {cls.type!r} are not those of its spec.")
        ACTIONS[cls.type] = action

    def __post_init__(self) -> None:
        if self.spec.aim != "none":
            self._aim_check("target", "x", "y", is_required=self.spec.aim == "required")

    @abstractmethod
    async def perform(self, page: Surface) -> str | None:
        """Carry out the action; a returned text is shown to the model.

        Raises ``ActionFailed`` for failures that the agent can cause.
        """

    async def place(self, page: Surface, function: str, *arguments: object) -> dict[str, Any]:
        """Call a page-side function on the action's target and return the place that it finds on the page.

        Raises ``ActionFailed`` with the page's reason if there is no such place.
        """
        aim = resolve_aim(page, self)
        place = await page.call(function, aim, *arguments)
        page.target_path = place.get("element", "")
        place_check(page, aim, place)
        return place

    def _aim_check(self, target: str, x: str, y: str, *, is_required: bool) -> None:
        at = [getattr(self, name) for name in (x, y)]
        if any(part is None for part in at) != all(part is None for part in at):
            raise ActionInvalid(f'A position takes both "{x}" and "{y}".')
        if is_required and at[0] is None and not getattr(self, target):
            raise ActionInvalid(
                f'"{target}" must be an element id, {ID_FORM}, or "{x}" and "{y}" a position.'
            )


def resolve_aim(page: Surface, action: Action, *, target: str = "target", x: str = "x", y: str = "y") -> Aim:
    """Return an action's target for page-side functions, with positions converted from picture pixels."""
    if id_ := getattr(action, target, ""):
        return {"id": id_}
    left, top = getattr(action, x, None), getattr(action, y, None)
    if left is None or top is None:
        return {}
    return {"x": left / page.picture_scale, "y": top / page.picture_scale}


def place_check(page: Surface, aim: Aim, place: Mapping[str, Any]) -> None:
    """Raise ``ActionFailed`` if the page returned a problem instead of a place."""
    if "problem" not in place:
        return
    name = aim.get("id") or (_position(page, aim) if aim else "The page")
    closing = ""
    if close := place.get("close"):
        closing = f"; {close['id'] or _position(page, close)} ({close['name']}) closes it"
    raise ActionFailed(place.get("result", "no_target"), f"{name}: {place['problem']}{closing}.")


def _position(page: Surface, place: Mapping[str, float]) -> str:
    """Format a position in the viewport in pixels of the picture."""
    x, y = (round(place[axis] * page.picture_scale) for axis in ("x", "y"))
    return f"({x}, {y})"


def shows_hidden(action: Action, conditions: Conditions) -> bool:
    """Return whether an action, or one in a sequence, would reveal the text of a page shown as a picture."""
    parts: tuple[Action, ...] = getattr(action, "actions", (action,))
    return "outline" not in conditions and any("outline" in part.spec.needs for part in parts)


# ---- fields
def list_fields(kind: str) -> list[str]:
    """Return the fields of an action type, in order."""
    return [field.name for field in ACTIONS[kind].spec.fields]


@cache
def list_readers(kind: str) -> Mapping[str, Reader]:
    """Return the readers of an action type's fields, by name."""
    return {field.name: field.metadata["reader"] for field in dataclasses.fields(ACTIONS[kind])}


# ---- from JSON
def action_check(declared: Mapping[str, Any], *, conditions: Conditions | None = None) -> Action:
    """Convert a JSON object to a typed action.

    Raises ``ActionInvalid`` with a sentence for the model, which lists the actions available under
    ``conditions`` (all of them by default).
    """
    kind = declared.get("type")
    if not isinstance(kind, str) or kind not in ACTIONS:
        known = ", ".join(sorted(ACTIONS) if conditions is None else actions_offered(conditions))
        if kind is None:
            raise ActionInvalid(f'The key "type" names the action. Known: {known}.')
        raise ActionInvalid(f"There is no action type {kind!r:.40}. Known: {known}.")
    _fields_check(kind, declared)
    action = ACTIONS[kind]
    return action(**{each.name: _value(each, declared) for each in dataclasses.fields(action)})


def _value(field: dataclasses.Field[Any], declared: Mapping[str, Any]) -> Any:
    value = declared.get(field.name)
    if field.default is not dataclasses.MISSING and (value is None or value == field.default):
        return field.default
    return field.metadata["reader"].read(value, field.name)


def _fields_check(kind: str, declared: Mapping[str, Any]) -> None:
    """Refuse fields that belong to another action: a click with a ``text`` would not type the text."""
    own = set(list_fields(kind))
    for name in sorted(name for name in declared.keys() - own if declared[name]):
        acting = sorted(other for other, action in ACTIONS.items() if action.touches_page)
        if others := [other for other in acting if name in list_fields(other)]:
            raise ActionInvalid(f'"{kind}" has no "{name}", which belongs to {", ".join(others)}.')


# ---- performing
async def action_perform(page: Surface, action: Action) -> Outcome:
    """Perform an action. Raises only if the page is dead or closed (``PageDead``, ``TabClosed``)."""
    try:
        return Outcome(result="ok", message=await action.perform(page) or "")
    except ActionFailed as failure:
        return failure.outcome
    except PageHung as failure:
        return Outcome(result="timeout", message=str(failure))
    except DocumentGone:
        return Outcome(result="no_target", message="The page changed before the action reached it.")
