"""The id of the request, chore or job at hand, on each line that is logged because of it."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

HEADER = b"x-request-id"
JOB_HEADER = "request_id"
NONE = "-"
WELL_FORMED = re.compile(r"[A-Za-z0-9._-]{1,64}")

current: ContextVar[str] = ContextVar("request_id", default=NONE)


def new() -> str:
    return secrets.token_hex(8)


@contextmanager
def named(request_id: str) -> Iterator[None]:
    """What is logged in the block has the id."""
    token = current.set(request_id)
    try:
        yield
    finally:
        current.reset(token)


def accepted(headers: Iterable[tuple[bytes, bytes]]) -> str:
    """The id in the headers of a request, or a new one where it is missing, long, or could upset a log."""
    for name, value in headers:
        if name == HEADER:
            given = value.decode("latin-1")
            return given if WELL_FORMED.fullmatch(given) else new()
    return new()
