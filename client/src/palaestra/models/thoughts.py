"""Thoughts that a model writes into its answer, between ``<think>`` and ``</think>``."""

from __future__ import annotations

OPENED, CLOSED = "<think>", "</think>"


def thoughts_split(text: str) -> tuple[str | None, str]:
    """The thoughts that ``text`` begins with, None without any, and the rest.

    Some chat templates open the block themselves, so that only its end is in the text; a block without an end
    reaches to the end of the text.
    """
    start = text.lstrip()
    if start.startswith(OPENED):
        thoughts, _, rest = start.removeprefix(OPENED).partition(CLOSED)
    elif CLOSED in text and OPENED not in text:
        thoughts, _, rest = text.partition(CLOSED)
    else:
        return None, text
    return thoughts.strip(), rest.lstrip("\r\n")
