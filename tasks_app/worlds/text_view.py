"""Text views of worlds, for the prompts of arms without pages.

``relevant`` is what a careful reader of the task would look at, including distractors; ``full`` is
everything. Both are rendered on demand and never stored.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Literal

from tasks_app.worlds.keys import world_arguments
from tasks_app.worlds.registry import worlds

Form = Literal["relevant", "full"]
SCOPE = "scope"
"""Payload key for what a task is about. A task without it has no text."""
SHORT_TOKENS = 8_000
"""Maximum length of a short text in tokens; a longer one would test memory rather than use of the site."""
JOINT = "\n\n"
_TOKEN = re.compile(r"[^\W\d_]{1,8}|\d{1,3}|[^\w\s]| (?=\d)")


def estimate_tokens(text: str) -> int:
    """Estimate a text's number of tokens without a tokenizer.

    A token is up to eight letters of a word, up to three digits, a sign, or a blank before a digit. For texts
    of both sites with 600 to 150,000 tokens, ``o200k_base`` gives 0.99 to 1.02 times and ``cl100k_base`` 1.00
    to 1.04 times this estimate. The usual estimate, a quarter of the characters, would be only half of that
    for price calendars.
    """
    return len(_TOKEN.findall(text))


def world_text(payload: Mapping[str, Any], *, form: Form, salt: bytes) -> str:
    """Write a task's world in Markdown. The payload must have a scope.

    Raises ``ValueError`` if the task was made with another salt.
    """
    site = payload["site"]
    world = worlds.get(site).open_world(**world_arguments(payload, salt=salt))
    return _text(site, world, json.dumps(payload[SCOPE] if form == "relevant" else None))


# Cached because several tasks of a world share one text, which may be long.
@lru_cache(maxsize=16)
def _text(site: str, world: Any, scope: str) -> str:
    return JOINT.join(worlds.get(site).text_view.render(world, json.loads(scope)))


def is_short(site: str, world: Any, scope: Mapping[str, Any]) -> bool:
    """Return whether a scope's text has at most ``SHORT_TOKENS``; render it only if bounds do not decide."""
    return _is_short(site, world, json.dumps(scope))


# Several tasks of a world are about the same product, and worlds are processed one after another.
@lru_cache(maxsize=32)
def _is_short(site: str, world: Any, encoded: str) -> bool:
    view, scope = worlds.get(site).text_view, json.loads(encoded)
    for least, most in view.bounds(world, scope):
        if least > SHORT_TOKENS or most <= SHORT_TOKENS:
            return most <= SHORT_TOKENS
    return _is_within(view.render(world, scope), SHORT_TOKENS)


def _is_within(parts: Iterable[str], most: int) -> bool:
    left = most
    for part in parts:
        left -= estimate_tokens(part)
        if left < 0:
            return False
    return True
