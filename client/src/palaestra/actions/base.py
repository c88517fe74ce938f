"""What an action is: its type, its fields and how each is read, and how it is performed on a page.

A new action is one file in this folder: a subclass of ``Action`` with a ``type``, its fields and ``perform``.
"""

from __future__ import annotations

import dataclasses
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from palaestra.errors import PageHung
from palaestra.pages import DocumentGone, WarmPage
from palaestra.records import ActionResult

TEXT_MAX_CHARS = 100_000
TARGET_MAX_CHARS = 40
_NUMERAL = re.compile(r"[+-]?[0-9]{1,20}(?:\.[0-9]{0,20})?(?:px)?")


class ActionInvalid(ValueError):
    """A field is missing, of the wrong type or out of range."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The result of an action, and a sentence for the model unless it simply worked."""

    result: ActionResult
    message: str = ""


class ActionFailed(Exception):
    """An action did nothing, by the agent's doing: its result and a sentence for the model."""

    def __init__(self, result: ActionResult, message: str) -> None:
        super().__init__(message)
        self.outcome = Outcome(result=result, message=message)


DONE = Outcome(result="ok")
ACTIONS: dict[str, type[Action]] = {}


@dataclass(frozen=True, kw_only=True)
class Action(ABC):
    """One checked action. Subclasses become frozen dataclasses and are registered in ``ACTIONS``."""

    type: ClassVar[str]

    def __init_subclass__(cls) -> None:
        if cls.type in ACTIONS:
            raise ValueError(f"Two actions have the type {cls.type!r}.")
        ACTIONS[cls.type] = dataclass(frozen=True, kw_only=True)(cls)

    @abstractmethod
    async def perform(self, page: WarmPage) -> None:
        """Carry the action out. A failure that the agent can cause raises ``ActionFailed``."""

    async def place(self, page: WarmPage, function: str, *arguments: object) -> dict[str, Any]:
        """Call a page-side function, which returns a place of the page or says why there is none."""
        place = await page.call(function, *arguments)
        page.target_path = place.get("element", "")
        if "problem" in place:
            target = getattr(self, "target", "") or "The page"
            raise ActionFailed("no_target", f"{target}: {place['problem']}.")
        return place


def action_check(declared: Mapping[str, Any]) -> Action:
    """The typed action of a JSON object. Raises ``ActionInvalid`` with a sentence for the model."""
    kind = declared.get("type")
    known = ", ".join(sorted(ACTIONS))
    if kind is None:
        raise ActionInvalid(f'The key "type" names the action. Known: {known}.')
    if not isinstance(kind, str) or kind not in ACTIONS:
        raise ActionInvalid(f"There is no action type {kind!r:.40}. Known: {known}.")
    _fields_check(kind, declared)
    fields = {
        spec.name: spec.metadata["read"](declared.get(spec.name, spec.metadata["default"]), spec.name)
        for spec in dataclasses.fields(ACTIONS[kind])
    }
    return ACTIONS[kind](**fields)


def _fields_check(kind: str, declared: Mapping[str, Any]) -> None:
    """Refuse what only another action could do: a click with a text would not type it."""
    own = [spec.name for spec in dataclasses.fields(ACTIONS[kind])]
    known = {spec.name for action in ACTIONS.values() for spec in dataclasses.fields(action)}
    for name in known.difference(own).intersection(declared):
        if declared[name]:
            others = sorted(other for other, action in ACTIONS.items() if name in action.__dataclass_fields__)
            raise ActionInvalid(f'"{kind}" has no "{name}", which belongs to {", ".join(others)}.')


async def action_perform(page: WarmPage, action: Action) -> Outcome:
    """Perform ``action``. Raises only for a page that is dead or closed (``PageDead``, ``TabClosed``)."""
    try:
        await action.perform(page)
    except ActionFailed as failure:
        return failure.outcome
    except PageHung as failure:
        return Outcome(result="timeout", message=str(failure))
    except DocumentGone:
        return Outcome(result="no_target", message="The page changed before the action reached it.")
    return DONE


# ---- fields: how each is read from JSON
def field(read: Callable[[Any, str], Any], *, default: Any = None) -> Any:
    """A dataclass field that ``read(value, name)`` checks. Without a default the field is required."""
    has_default = {} if default is None else {"default": default}
    made: Any = dataclasses.field(metadata={"read": read, "default": default}, **has_default)
    return made


def as_text(value: Any, name: str) -> str:
    """A string; a number is taken as it prints."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise ActionInvalid(f'"{name}" must be a string.')
    if len(str(value)) > TEXT_MAX_CHARS:
        raise ActionInvalid(f'"{name}" is longer than {TEXT_MAX_CHARS} characters.')
    return str(value)


def as_element(value: Any, name: str) -> str:
    """An element id; the brackets that an observation puts around it are dropped."""
    if not isinstance(value, str):
        raise ActionInvalid(f'"{name}" must be an element id such as "e12".')
    return value.strip().strip("[]")[:TARGET_MAX_CHARS]


def as_flag(value: Any, name: str) -> bool:
    if not isinstance(value, bool):
        raise ActionInvalid(f'"{name}" must be true or false.')
    return value


def as_number(limit: int) -> Callable[[Any, str], int]:
    """A reader of numbers between ``-limit`` and ``limit``, also as text, cut to whole ones."""

    def read(value: Any, name: str) -> int:
        if isinstance(value, str) and _NUMERAL.fullmatch(value):
            value = float(value.removesuffix("px"))
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not -limit <= value <= limit:
            raise ActionInvalid(f'"{name}" must be a number between {-limit} and {limit}.')
        return int(value)

    return read
