"""Action that fills several fields of a form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from palaestra.actions import fields
from palaestra.actions.base import Action, ActionFailed, action_check
from palaestra.actions.fields import ActionInvalid, Reader, as_element, as_flag, as_text, field
from palaestra.errors import PageHung
from palaestra.pages.surface import Surface
from palaestra.protocol.actions import ACTION_SPECS

FIELDS_MAX = 50
CONTENTS = ("text", "value", "checked")


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A field and its new value: a text or an option (``content``), or whether it is ``checked``."""

    target: str
    content: str = ""
    checked: bool | None = None


def as_entries(value: Any, name: str) -> tuple[Entry, ...]:
    """Return the entries of a list of objects. Raises ``ActionInvalid``."""
    if not isinstance(value, list) or not 0 < len(value) <= FIELDS_MAX:
        raise ActionInvalid(f'"{name}" must be a list of 1 to {FIELDS_MAX} objects.')
    return tuple(_entry(item, name) for item in value)


def _entry(item: Any, name: str) -> Entry:
    if not isinstance(item, Mapping):
        raise ActionInvalid(f'Each item of "{name}" must be an object with a "target" and its "text".')
    target = as_element(item.get("target"), "target")
    given = [key for key in CONTENTS if item.get(key) is not None]
    if len(given) != 1:
        raise ActionInvalid(f'For {target}, give one of "text", "value" (of a list) and "checked".')
    if given == ["checked"]:
        return Entry(target=target, checked=as_flag(item["checked"], "checked"))
    return Entry(target=target, content=as_text(item[given[0]], given[0]))


ENTRIES = Reader(
    read=as_entries,
    schema={
        "type": "array",
        "minItems": 1,
        "maxItems": FIELDS_MAX,
        "items": {
            "type": "object",
            "properties": {
                "target": fields.ELEMENT.schema,
                "text": fields.TEXT.schema,
                "value": fields.TEXT.schema,
                "checked": fields.FLAG.schema,
            },
            "required": ["target"],
            "additionalProperties": False,
        },
    },
)


class Fill(Action):
    spec = ACTION_SPECS["fill"]
    fields: tuple[Entry, ...] = field(ENTRIES)

    async def perform(self, page: Surface) -> None:
        for number, entry in enumerate(self.fields):
            try:
                await _entry_fill(page, entry)
            except ActionFailed as failure:
                message = f"{self._filled(number)}{failure.outcome.message}"
                raise ActionFailed(failure.outcome.result, message) from failure
            except PageHung as failure:
                raise PageHung(f"{self._filled(number)}{entry.target}: {failure}") from failure
        page.target_path = ""

    def _filled(self, number: int) -> str:
        return f"{number} of {len(self.fields)} fields were filled. " if number else ""


async def _entry_fill(page: Surface, entry: Entry) -> None:
    click = action_check({"type": "click", "target": entry.target})
    control = await click.place(page, "control")
    if entry.checked is not None and "checked" not in control:
        raise ActionFailed("no_target", f"{entry.target}: it cannot be checked.")
    if entry.checked is None and "checked" in control:
        raise ActionFailed("no_target", f'{entry.target}: it takes "checked": true or false.')
    if entry.checked is not None:
        if control["checked"] != entry.checked:
            await click.perform(page)
    elif control["isList"]:
        await action_check({"type": "select", "target": entry.target, "value": entry.content}).perform(page)
    else:
        typing = {"type": "type", "target": entry.target, "text": entry.content, "clear": True}
        await action_check(typing).perform(page)
