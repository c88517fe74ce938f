"""``Idempotency-Key``: a call repeated within 24 hours gets the first answer again and changes nothing.

The key's row is written in the same transaction as the call itself, so a crash leaves either both or neither
and nothing needs cleaning up. A duplicate that arrives in the meantime waits for that transaction.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
from collections.abc import Callable
from typing import Any

import msgspec
from django.db import OperationalError, connection, transaction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter
from psycopg.errors import LockNotAvailable
from rest_framework.request import Request
from rest_framework.response import Response

from core.api.responses import DECODE_ERRORS, check_body_size, check_body_values, read_content_length
from core.database.sql import Statement
from core.errors import GymError
from trajectories.record.api.auth import Principal, caller

STORED_HOURS = 24
KEY_MAX_CHARS = 200
DUPLICATE_WAIT_MS = 2_000  # Short, because a waiting duplicate occupies one of few threads.
HEADER = OpenApiParameter(
    "Idempotency-Key",
    {"type": "string", "pattern": f"^[ -~]{{1,{KEY_MAX_CHARS}}}$"},
    OpenApiParameter.HEADER,
    description=f"A repeated call with the same body gets the same answer for {STORED_HOURS} h.",
)

ERRORS = (400, 409, 422)

CLAIM = Statement(__file__, "claim", hours=str(STORED_HOURS))
STORED = Statement(__file__, "stored")
STORE = Statement(__file__, "store")
SWEEP = Statement(__file__, "sweep", hours=str(STORED_HOURS))

Handler = Callable[..., HttpResponseBase]


class _Refused(Exception):
    """A refusal on its way out of a transaction that must be rolled back."""

    def __init__(self, response: HttpResponseBase) -> None:
        super().__init__("a refusal is not stored")
        self.response = response


def idempotent(handler: Handler) -> Handler:
    """Honour the ``Idempotency-Key`` header on a view's method. Calls without the header are unaffected.

    Works on DRF methods ``(self, request, ...)`` and on hot views ``(self, request, principal, ...)``. Only
    answers with a status below 400 are stored. Raises ``GymError`` 422 ``idempotency_mismatch`` if the key
    was used with another body, and 409 ``in_progress`` if the first call is still running after two seconds.
    """

    @functools.wraps(handler)
    def method(view: Any, request: Any, *args: Any, **kwargs: Any) -> HttpResponseBase:
        key = request.headers.get("Idempotency-Key")
        if key is None:
            return handler(view, request, *args, **kwargs)
        _check_key(key)
        principal = args[0] if args and isinstance(args[0], Principal) else caller(request)
        call = {"api_key": principal.key_id, "key": key, "hash": _request_hash(request)}
        try:
            with transaction.atomic():
                return _answer(call, lambda: handler(view, request, *args, **kwargs))
        except _Refused as refused:
            return refused.response

    method.parameters = [HEADER]  # type: ignore[attr-defined]
    method.errors = ERRORS  # type: ignore[attr-defined]
    return method


def sweep_idempotent_calls() -> int:
    """Delete answers that are older than 24 hours, and return how many."""
    return SWEEP.run()


def _answer(call: dict[str, Any], work: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    row_id = _claim(call)
    if row_id is None:
        return _stored_answer(call)
    response = work()
    if response.status_code >= 400:
        raise _Refused(response)
    body = _body(response)
    STORE.run(status=response.status_code, body=body, id=row_id)
    return _json(body, response.status_code)


def _claim(call: dict[str, Any]) -> int | None:
    """Return the new row's id, or None if an answer is already stored. Waits for a duplicate in progress."""
    with connection.cursor() as cursor:
        try:
            cursor.execute(f"SET LOCAL lock_timeout = {DUPLICATE_WAIT_MS}")
            row = CLAIM.row(**call)
        except OperationalError as error:
            if isinstance(error.__cause__, LockNotAvailable):
                raise _in_progress() from None
            raise
        cursor.execute("SET LOCAL lock_timeout = DEFAULT")
    return None if row is None else int(row[0])


def _stored_answer(call: dict[str, Any]) -> HttpResponse:
    row = STORED.row(**call)
    if row is None:  # The stored answer was swept just now.
        raise _in_progress()
    request_hash, status, body = row
    if request_hash != call["hash"]:
        raise GymError(
            "idempotency_mismatch",
            "This Idempotency-Key was used for another request: use a new key for a new request.",
            status=422,
        )
    response = _json(bytes(body), status)
    response.headers["Idempotent-Replay"] = "true"
    return response


def _in_progress() -> GymError:
    return GymError(
        "in_progress",
        "The first call with this Idempotency-Key is still running; try again in a moment.",
        status=409,
        retry_after_s=1,
    )


def _check_key(key: str) -> None:
    if not 0 < len(key) <= KEY_MAX_CHARS or not (key.isascii() and key.isprintable()):
        raise GymError(
            "bad_idempotency_key", f"An Idempotency-Key has 1 to {KEY_MAX_CHARS} printable ASCII characters."
        )


def _request_hash(request: HttpRequest | Request) -> str:
    """Hash method, path and body; the formatting of the JSON makes no difference."""
    check_body_size(read_content_length(request.META))
    body: Any = request.body
    check_body_values(body)
    # If the body cannot be decoded, its raw bytes are hashed; the view will report what is wrong with them.
    with contextlib.suppress(*DECODE_ERRORS):
        body = msgspec.json.decode(body)
    return hashlib.sha256(
        msgspec.json.encode([request.method, request.path, body], order="sorted")
    ).hexdigest()


def _body(response: HttpResponseBase) -> bytes:
    if isinstance(response, Response):
        return b"" if response.data is None else msgspec.json.encode(response.data)
    if isinstance(response, HttpResponse):
        return response.content
    raise TypeError("a streamed answer cannot be stored for a retry")


def _json(body: bytes, status: int) -> HttpResponse:
    return HttpResponse(body, status=status, content_type="application/json")
