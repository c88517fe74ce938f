"""Management commands that run alongside a browser."""

from __future__ import annotations

from typing import TextIO

from django.core.management import CommandError, call_command
from django.db import connection


def command_error(*arguments: str, stdout: TextIO) -> str:
    """Run a command and return its error message, empty if there is none.

    Call this in a separate thread, because other tests' browsers keep an event loop in the main one. The
    thread's database connection is closed.
    """
    try:
        call_command(*arguments, stdout=stdout)
    except CommandError as error:
        return str(error)
    finally:
        connection.close()
    return ""
