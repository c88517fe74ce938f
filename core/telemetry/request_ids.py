"""The id of the current request, chore or job, which appears on each line that it logs."""

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


def generate() -> str:
    """Generate a request id."""
    return secrets.token_hex(8)


@contextmanager
def bind(request_id: str) -> Iterator[None]:
    """Put the id on everything logged in the block."""
    token = current.set(request_id)
    try:
        yield
    finally:
        current.reset(token)


def read_or_generate(headers: Iterable[tuple[bytes, bytes]]) -> str:
    """Return the id in a request's headers, or a new one if that is missing, too long or unsafe to log."""
    for name, value in headers:
        if name == HEADER:
            given = value.decode("latin-1")
            return given if WELL_FORMED.fullmatch(given) else generate()
    return generate()
