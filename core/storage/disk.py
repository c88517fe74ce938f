"""Failures caused by a full disk, and the error that every service returns for them."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Iterator

import psycopg
from django.conf import settings
from django.db import InterfaceError, OperationalError
from psycopg.errors import DiskFull

from core.errors import GymError

# The connection broke or was refused, or a statement was cancelled. All of these are temporary.
DATABASE_LOST = (OperationalError, InterfaceError)
RETRY_AFTER_S = 10
# If Postgres has no room for its log, it stops without giving the reason. The log consists of 16 MB files.
FULL_BYTES = 16 * 1024 * 1024
MESSAGE = "The server's disk is full: nothing was stored. Make room there (`manage.py prune`), then go on."


def disk_full_error() -> GymError:
    """Build the 507 error, which tells clients when to try again."""
    return GymError("disk_full", MESSAGE, status=507, retry_after_s=RETRY_AFTER_S)


def is_disk_full_error(error: BaseException | None) -> bool:
    """Return whether an exception, or one of its causes, was a write to a full disk.

    Losing the database while the disk of ``VAR_DIR`` is full counts too.
    """
    for cause in _causes(error):
        if isinstance(cause, DiskFull):
            return True
        if isinstance(cause, OSError) and cause.errno in (errno.ENOSPC, errno.EDQUOT):
            return True
    return isinstance(error, (*DATABASE_LOST, psycopg.OperationalError)) and _is_full()


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _is_full() -> bool:
    try:
        return shutil.disk_usage(settings.VAR_DIR).free < FULL_BYTES
    except OSError:
        return False
