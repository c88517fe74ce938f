"""Management commands beside a browser."""

from __future__ import annotations

from typing import TextIO

from django.core.management import CommandError, call_command
from django.db import connection


def command_error(*arguments: str, stdout: TextIO) -> str:
    """Run a command to its end, and return its error, empty without one. For a thread of its own, whose
    connection it closes: the browser of other tests keeps an event loop in the main one."""
    try:
        call_command(*arguments, stdout=stdout)
    except CommandError as error:
        return str(error)
    finally:
        connection.close()
    return ""
