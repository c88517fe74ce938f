"""Mock sites in prompts: the form that a call asks for, and a question with its site's text before it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, get_args

from django.conf import settings

from gymsite.core.errors import GymError, did_you_mean
from tasks_app.worlds import telling

TEXT_AXIS = "text"
RELEVANT: telling.Form = "relevant"


def form_read(axis: object) -> telling.Form:
    """What ``presentation`` says of the text, ``relevant`` if nothing.

    Raises ``GymError`` ``unknown_text_form`` (422).
    """
    forms: tuple[telling.Form, ...] = get_args(telling.Form)
    for form in forms:
        if axis == form:
            return form
    if axis is None:
        return RELEVANT
    message = f"There is no form {axis!r} of a site's text. {did_you_mean(str(axis), forms)}"
    raise GymError("unknown_text_form", message, status=422, fields={"presentation": [message]})


def text_arranged(payload: Mapping[str, Any], form: telling.Form) -> dict[str, telling.Form]:
    """What an arrangement says of a site's text: nothing for a task that has none."""
    return {TEXT_AXIS: form} if telling.SCOPE in payload else {}


def question_told(payload: Mapping[str, Any], form: telling.Form) -> str:
    """The site's text, the wording, and what its pages call the fields of the answer.

    Raises ``GymError`` ``other_world_salt`` (422) for a task that another installation made.
    """
    try:
        told = telling.told(payload, form=form, salt=settings.WORLD_SALT)
    except ValueError as error:
        raise GymError("other_world_salt", str(error), status=422) from error
    return f"{told}\n\n# Problem\n\n{payload['text']}\n\n{fields_told(payload['fields'])}"


def fields_told(fields: Iterable[str]) -> str:
    """What the pages of a site call the values of the answer."""
    return f"The values of the answer, in this order: {' | '.join(fields)}"
