"""Parsing of the arena's forms within limits, with error messages for the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from django.conf import settings
from django.http import HttpRequest, HttpResponseRedirect, QueryDict
from django.http.request import UnreadablePostError

from core.errors import GymError

ANSWER_FIELD = "answer"
# Name of the button that adds a field on pages without JavaScript.
MORE_FIELD = "add"
# Sent by forms that take several values: then a single value is a list of one, and a "|" in it is literal.
SEVERAL = "several"
# Sent by forms whose fields have different meanings: values keep their positions, including empty ones.
PLACED = "placed"
# Sent as "2" with the second answer, after the request to check the first one.
NUMBER = "number"
ANSWERS_MAX = 100
# Percent-encoding triples each byte, and a character has at most four bytes.
FORM_BYTES_PER_CHAR = 12
FORM_SPARE_BYTES = 4096
REFUSALS: Mapping[str, tuple[str, int]] = {
    "no_answer": ("Give an answer first.", 422),
    "answer_too_long": ("An answer can have at most {chars} characters.", 413),
    "too_many_answers": ("You can give at most {answers} answers.", 413),
    "nul_in_answer": ("An answer cannot hold NUL characters.", 400),
}
"""Message and status of refused answers, by code."""
UNREADABLE: Mapping[str, tuple[str, int]] = {
    "too_large": ("This form takes at most {bytes} bytes.", 413),
    "not_a_form": ("Send the answer with the form on this page.", 400),
    "cut_off": ("The request ended before its body did.", 400),
}
"""Message and status of unreadable forms, by code."""


class SeeOther(HttpResponseRedirect):
    """Redirect to the page that follows a form, so that a reload does not send the form again."""

    status_code = 303


def refusal(code: str) -> GymError:
    """Build the error for a code. Raises ``KeyError`` if neither table has the code."""
    message, status = {**REFUSALS, **UNREADABLE}[code]
    text = message.format(chars=settings.ANSWER_MAX_CHARS, answers=ANSWERS_MAX, bytes=form_bytes_max())
    return GymError(code, text, status=status)


def form_bytes_max() -> int:
    """Return the maximum size of a form's body, in bytes."""
    return settings.ANSWER_MAX_CHARS * FORM_BYTES_PER_CHAR + FORM_SPARE_BYTES


def body_read(request: HttpRequest, *, limit: int) -> bytes:
    """Read the body. If the announced size exceeds the limit, raise ``GymError`` without reading it."""
    length = request.META.get("CONTENT_LENGTH") or "0"
    if not length.isdecimal() or int(length) > limit:
        raise GymError("too_large", f"This form takes at most {limit} bytes.", status=413)
    try:
        return request.body
    except UnreadablePostError as error:
        raise refusal("cut_off") from error


def read_answer_form(request: HttpRequest) -> QueryDict:
    """Parse the request's form and check its length. Raises as ``form_read`` and ``length_check`` do."""
    form = form_read(request)
    length_check(form)
    return form


def form_read(request: HttpRequest) -> QueryDict:
    """Parse the request's form. Raises ``GymError`` ``not_a_form``, or as ``body_read`` does."""
    body = body_read(request, limit=form_bytes_max())
    if body and request.content_type != "application/x-www-form-urlencoded":
        raise refusal("not_a_form")
    return QueryDict(body, encoding="utf-8")


def length_check(form: QueryDict) -> None:
    """Raise ``GymError`` ``answer_too_long`` if the answers exceed ``ANSWER_MAX_CHARS`` characters."""
    limit = settings.ANSWER_MAX_CHARS
    if sum(map(len, form.getlist(ANSWER_FIELD))) > limit:
        raise refusal("answer_too_long")


def number_read(form: QueryDict) -> Literal[1, 2]:
    """Return 2 if the form holds the second answer, given after a check, and otherwise 1."""
    return 2 if form.get(NUMBER) == "2" else 1


def answer_read(form: QueryDict) -> str | list[str]:
    """Return the submitted text, or the list of filled-in fields. Raises ``GymError`` for a refused answer.

    Forms send line breaks as CRLF. These are converted back, so that page and API submit the same text.
    """
    given = [answer.replace("\r\n", "\n") for answer in form.getlist(ANSWER_FIELD)]
    answers = [answer for answer in given if answer.strip()]
    if PLACED in form:
        answers = given if answers else []
    if not answers:
        raise refusal("no_answer")
    if len(answers) > ANSWERS_MAX:
        raise refusal("too_many_answers")
    if any("\0" in answer for answer in answers):
        raise refusal("nul_in_answer")
    return answers[0] if len(answers) == 1 and not {SEVERAL, PLACED} & form.keys() else answers
