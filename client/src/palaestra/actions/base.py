"""What an action is: its type, its fields, where it is offered, and how it is performed on a page.

A new action is one file in this folder: a subclass of ``Action`` with a ``type``, a ``description``, what it
``needs`` to be offered, its fields and ``perform``.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Literal

from palaestra.actions.fields import ID_FORM, ActionInvalid, FieldSpec
from palaestra.actions.offers import Condition, Conditions
from palaestra.errors import PageHung
from palaestra.protocol.action_results import ActionResult
from palaestra.surface import DocumentGone, Surface

Aim = dict[str, Any]  # {"id": ...} or {"x": ..., "y": ...} in pixels of the viewport; empty for none


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The result of an action, and a sentence for the model unless it simply worked."""

    result: ActionResult
    message: str = ""

    @property
    def is_ok(self) -> bool:
        return self.result == "ok"


class ActionFailed(Exception):
    """An action did nothing, by the agent's doing: its result and a sentence for the model."""

    def __init__(self, result: ActionResult, message: str) -> None:
        super().__init__(message)
        self.outcome = Outcome(result=result, message=message)


DONE = Outcome(result="ok")
ACTIONS: dict[str, type[Action]] = {}


@dataclass(frozen=True, kw_only=True)
class Action(ABC):
    """One checked action. Subclasses become frozen dataclasses and are registered in ``ACTIONS``.

    It is offered where all conditions that it ``needs`` hold. ``aim`` says whether it must name an element
    (``target``) or a position (``x`` and ``y``). One that does not ``touches_page`` works without a page too;
    one that ``shows_text`` of the page is refused where the observation shows none. Models are told of
    actions in the order of their ``rank``.
    """

    type: ClassVar[str]
    description: ClassVar[str]
    rank: ClassVar[int] = 99
    needs: ClassVar[tuple[Condition, ...]] = ("page",)
    aim: ClassVar[Literal["none", "optional", "required"]] = "none"
    touches_page: ClassVar[bool] = True
    shows_text: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        if cls.type in ACTIONS:
            raise ValueError(f"Two actions have the type {cls.type!r}.")
        ACTIONS[cls.type] = dataclass(frozen=True, kw_only=True)(cls)

    def __post_init__(self) -> None:
        if self.aim != "none":
            self._aim_check("target", "x", "y", is_required=self.aim == "required")

    @abstractmethod
    async def perform(self, page: Surface) -> str | None:
        """Carry the action out; a text is for the model. A failure that the agent can cause raises
        ``ActionFailed``."""

    async def place(self, page: Surface, function: str, *arguments: object) -> dict[str, Any]:
        """Call a page-side function on what the action is aimed at: a place of the page. Raises
        ``ActionFailed`` with the page's reason where there is none."""
        aim = aim_of(page, self)
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


def aim_of(page: Surface, action: Action, *, target: str = "target", x: str = "x", y: str = "y") -> Aim:
    """What an action is aimed at, for the page-side functions. A position comes in pixels of the picture."""
    if id_ := getattr(action, target, ""):
        return {"id": id_}
    left, top = getattr(action, x, None), getattr(action, y, None)
    if left is None or top is None:
        return {}
    return {"x": left / page.picture_scale, "y": top / page.picture_scale}


def place_check(page: Surface, aim: Aim, place: Mapping[str, Any]) -> None:
    """Raise ``ActionFailed`` where the page gave a reason instead of a place."""
    if "problem" not in place:
        return
    name = aim.get("id") or (_position(page, aim) if aim else "The page")
    closing = ""
    if close := place.get("close"):
        closing = f"; {close['id'] or _position(page, close)} ({close['name']}) closes it"
    raise ActionFailed(place.get("result", "no_target"), f"{name}: {place['problem']}{closing}.")


def _position(page: Surface, place: Mapping[str, float]) -> str:
    """A place of the viewport in pixels of the picture."""
    x, y = (round(place[axis] * page.picture_scale) for axis in ("x", "y"))
    return f"({x}, {y})"


def shows_hidden(action: Action, conditions: Conditions) -> bool:
    """Whether an action, or one of its sequence, would show text of a page that is shown as a picture."""
    parts: tuple[Action, ...] = getattr(action, "actions", (action,))
    return "outline" not in conditions and any(part.shows_text for part in parts)


# ---- what is offered
@cache
def specs_of(kind: str) -> tuple[FieldSpec, ...]:
    """The fields of an action type, in order."""
    return tuple(FieldSpec(name=one.name, **one.metadata) for one in dataclasses.fields(ACTIONS[kind]))


def actions_offered(conditions: Conditions) -> list[str]:
    """The action types that an episode offers, by rank. Others are carried out where they can be."""
    offered = [kind for kind, action in ACTIONS.items() if conditions.issuperset(action.needs)]
    return sorted(offered, key=lambda kind: (ACTIONS[kind].rank, kind))


def fields_offered(kind: str, conditions: Conditions) -> list[FieldSpec]:
    """The fields of an action type that an episode offers. With one way to aim, its fields are required."""
    offered = [spec for spec in specs_of(kind) if spec.needs is None or spec.needs in conditions]
    is_aimed = ACTIONS[kind].aim == "required" and not conditions.issuperset(("ids", "positions"))
    return [
        dataclasses.replace(spec, is_required=spec.is_required or (is_aimed and spec.needs is not None))
        for spec in offered
    ]


def example_of(kind: str, conditions: Conditions) -> dict[str, Any]:
    """An example of an action as a JSON object; with ids it names an element and no position."""
    shown = conditions - {"positions"} if "ids" in conditions else conditions
    fields = {spec.name: spec.example for spec in fields_offered(kind, shown) if spec.example is not None}
    return {"type": kind, **fields}


# ---- from JSON
def action_check(declared: Mapping[str, Any], *, conditions: Conditions | None = None) -> Action:
    """The typed action of a JSON object. Raises ``ActionInvalid`` with a sentence for the model, which
    names the actions that ``conditions`` offer (all of them by default)."""
    kind = declared.get("type")
    if not isinstance(kind, str) or kind not in ACTIONS:
        known = ", ".join(sorted(ACTIONS) if conditions is None else actions_offered(conditions))
        if kind is None:
            raise ActionInvalid(f'The key "type" names the action. Known: {known}.')
        raise ActionInvalid(f"There is no action type {kind!r:.40}. Known: {known}.")
    _fields_check(kind, declared)
    return ACTIONS[kind](**{spec.name: _value(spec, declared) for spec in specs_of(kind)})


def _value(spec: FieldSpec, declared: Mapping[str, Any]) -> Any:
    value = declared.get(spec.name)
    if not spec.is_required and (value is None or value == spec.default):
        return spec.default
    return spec.reader.read(value, spec.name)


def _fields_check(kind: str, declared: Mapping[str, Any]) -> None:
    """Refuse what only another action could do: a click with a text would not type it."""
    own = {spec.name for spec in specs_of(kind)}
    for name in sorted(name for name in declared.keys() - own if declared[name]):
        acting = sorted(other for other, action in ACTIONS.items() if action.touches_page)
        if others := [other for other in acting if name in (spec.name for spec in specs_of(other))]:
            raise ActionInvalid(f'"{kind}" has no "{name}", which belongs to {", ".join(others)}.')


# ---- performing
async def action_perform(page: Surface, action: Action) -> Outcome:
    """Perform ``action``. Raises only for a page that is dead or closed (``PageDead``, ``TabClosed``)."""
    try:
        return Outcome(result="ok", message=await action.perform(page) or "")
    except ActionFailed as failure:
        return failure.outcome
    except PageHung as failure:
        return Outcome(result="timeout", message=str(failure))
    except DocumentGone:
        return Outcome(result="no_target", message="The page changed before the action reached it.")
