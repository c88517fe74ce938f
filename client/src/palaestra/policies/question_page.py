"""The controls of a question page, as found in an ``axtree-v2`` observation."""

from __future__ import annotations

import re
from dataclasses import dataclass

from palaestra.observation import Observation

_FIELD = re.compile(r'\[(e\d+)\] textbox ".*" value="')
_RADIO = re.compile(r'\[(e\d+)\] radio "(.*)" (checked|unchecked)')
_BUTTON = re.compile(r'\[(e\d+)\] button "(.*)"')
_DIALOG = re.compile(r"(?:alert)?dialog(?: |$)")
_PANEL = re.compile(r'region "Tools"')
_ADD_FIELD = "another"


@dataclass(frozen=True, kw_only=True)
class Radio:
    id: str
    name: str
    is_checked: bool


@dataclass(frozen=True, kw_only=True)
class QuestionPage:
    """The ids of a question page's controls.

    ``submit`` submits the form, ``add_field`` adds a text field to it, and ``close`` closes the first dialog
    over the page.
    """

    fields: list[str]
    radios: list[Radio]
    submit: str | None = None
    add_field: str | None = None
    close: str | None = None

    @property
    def has_form(self) -> bool:
        return bool(self.fields or self.radios)


def page_read(observation: Observation) -> QuestionPage:
    """Find the controls of a page.

    If there is no form outside the dialogs, the first dialog with a form counts.
    """
    body, dialogs = _split_dialogs(observation.text.split("\n"))
    if not any(map(_is_input, body)):
        with_form = next((dialog for dialog in dialogs if any(map(_is_input, dialog))), [])
        body = [*body, *with_form]
        dialogs = [dialog for dialog in dialogs if dialog is not with_form]
    buttons = _find_buttons(body)
    return QuestionPage(
        fields=[match[1] for line in body if (match := _FIELD.match(line))],
        radios=[
            Radio(id=match[1], name=match[2], is_checked=match[3] == "checked")
            for line in body
            if (match := _RADIO.match(line))
        ],
        submit=_find_submit(body),
        add_field=next((id for id, name in buttons if _ADD_FIELD in name.lower()), None),
        close=next((inside[-1][0] for dialog in dialogs if (inside := _find_buttons(dialog))), None),
    )


def _split_dialogs(lines: list[str]) -> tuple[list[str], list[list[str]]]:
    """Return the lines outside all dialogs, and the lines of each dialog, without indentation.

    The tool panel is left out, because none of its forms accepts the answer.
    """
    body: list[str] = []
    dialogs: list[list[str]] = []
    inside: list[str] = []
    depth: int | None = None
    for line in lines:
        content = line.lstrip()
        indent = len(line) - len(content)
        if depth is not None and indent > depth:
            inside.append(content)
            continue
        is_dialog, is_panel = bool(_DIALOG.match(content)), bool(_PANEL.match(content))
        depth = indent if is_dialog or is_panel else None
        if depth is None:
            body.append(content)
            continue
        inside = []
        if is_dialog:
            dialogs.append(inside)
    return body, dialogs


def _is_input(line: str) -> bool:
    return bool(_FIELD.match(line) or _RADIO.match(line))


def _find_buttons(lines: list[str]) -> list[tuple[str, str]]:
    return [(match[1], match[2]) for line in lines if (match := _BUTTON.match(line))]


def _find_submit(lines: list[str]) -> str | None:
    """Return the last button in the group right after the first inputs; without inputs, the last button."""
    first = next((index for index, line in enumerate(lines) if _is_input(line)), None)
    if first is None:
        return next((id for id, _ in reversed(_find_buttons(lines))), None)
    submit = None
    for line in lines[first:]:
        if match := _BUTTON.match(line):
            submit = match[1]
        elif submit:
            break
    return submit
