"""Mock sites in prompts: the form of the site's text, and a question preceded by that text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, get_args

from django.conf import settings

from core.errors import GymError
from palaestra.protocol.suggestions import did_you_mean
from tasks_app.worlds import text_view

TEXT_AXIS = "text"
RELEVANT: text_view.Form = "relevant"


def form_read(axis: object) -> text_view.Form:
    """Return the form that ``presentation`` names; ``relevant`` by default.

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


def text_variation(payload: Mapping[str, Any], form: text_view.Form) -> dict[str, text_view.Form]:
    """The entry in an episode's variation; empty for a task without a site's text."""
    return {TEXT_AXIS: form} if text_view.SCOPE in payload else {}


def question_with_site(payload: Mapping[str, Any], form: text_view.Form) -> str:
    """The site's text, the wording of the task, and the names of the answer's fields.

    Raises ``GymError`` ``other_world_salt`` (422) for a task that another installation made.
    """
    try:
        site = text_view.world_text(payload, form=form, salt=settings.WORLD_SALT)
    except ValueError as error:
        raise GymError("other_world_salt", str(error), status=422) from error
    return f"{site}\n\n# Problem\n\n{payload['text']}\n\n{fields_line(payload['fields'])}"


def fields_line(fields: Iterable[str]) -> str:
    """The names of the answer's values, as the site's pages have them."""
    return f"The values of the answer, in this order: {' | '.join(fields)}"
