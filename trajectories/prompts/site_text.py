"""Mock sites in prompts: the form that a call asks for, and a question with its site's text before it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, get_args

from django.conf import settings

from core.errors import GymError, did_you_mean
from tasks_app.worlds import text_view

TEXT_AXIS = "text"
RELEVANT: text_view.Form = "relevant"


def form_read(axis: object) -> text_view.Form:
    """What ``presentation`` says of the text, ``relevant`` if nothing.

    Raises ``GymError`` ``unknown_text_form`` (422).
    """
    forms: tuple[text_view.Form, ...] = get_args(text_view.Form)
    for form in forms:
        if axis == form:
            return form
    if axis is None:
        return RELEVANT
    message = f"There is no form {axis!r} of a site's text. {did_you_mean(str(axis), forms)}"
    raise GymError("unknown_text_form", message, status=422, fields={"presentation": [message]})


def text_arranged(payload: Mapping[str, Any], form: text_view.Form) -> dict[str, text_view.Form]:
    """What an arrangement says of a site's text: nothing for a task that has none."""
    return {TEXT_AXIS: form} if text_view.SCOPE in payload else {}


def question_told(payload: Mapping[str, Any], form: text_view.Form) -> str:
    """The site's text, the wording, and what its pages call the fields of the answer.

    Raises ``GymError`` ``other_world_salt`` (422) for a task that another installation made.
    """
    try:
        told = text_view.told(payload, form=form, salt=settings.WORLD_SALT)
    except ValueError as error:
        raise GymError("other_world_salt", str(error), status=422) from error
    return f"{told}\n\n# Problem\n\n{payload['text']}\n\n{fields_told(payload['fields'])}"


def fields_told(fields: Iterable[str]) -> str:
    """What the pages of a site call the values of the answer."""
    return f"The values of the answer, in this order: {' | '.join(fields)}"
