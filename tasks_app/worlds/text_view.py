"""Worlds in words: what the arms without a page are told of a mock site.

``relevant`` is what a careful reader of the task would look at, distractors and all; ``full`` is everything.
Both are made from the world when they are needed, and stored nowhere.
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
"""The key of a payload under which stands what the task is about; a task without it is not told in words."""
SHORT_TOKENS = 8_000
"""A longer text tests memory for long texts, and not whether the site is used well."""
JOINT = "\n\n"
_TOKEN = re.compile(r"[^\W\d_]{1,8}|\d{1,3}|[^\w\s]| (?=\d)")


def tokens(text: str) -> int:
    """About how many tokens a language model reads, by a rule that needs no tokenizer.

    A token is up to eight letters of a word, up to three digits, a sign, or a blank before a digit. Byte-pair
    encodings cut so: of both sites' texts, 600 to 150,000 tokens long, ``o200k_base`` makes between 0.99 and
    1.02 times as many, ``cl100k_base`` 1.00 to 1.04. A quarter of the characters would be half of it where
    there are calendars of prices.
    """
    return len(_TOKEN.findall(text))


def told(payload: Mapping[str, Any], *, form: Form, salt: bytes) -> str:
    """The world of a task in Markdown; the payload has a scope.

    ``ValueError`` when the task was made with another salt.
    """
    site = payload["site"]
    world = worlds.get(site).open_world(**world_arguments(payload, salt=salt))
    return _told(site, world, json.dumps(payload[SCOPE] if form == "relevant" else None))


# Several tasks of a world have the same text, which may be long.
@lru_cache(maxsize=16)
def _told(site: str, world: Any, said: str) -> str:
    return JOINT.join(worlds.get(site).telling.tell(world, json.loads(said)))


def is_short(site: str, world: Any, scope: Mapping[str, Any]) -> bool:
    """Whether a scope's text has ``SHORT_TOKENS`` at most; written only where its bounds do not tell."""
    return _is_short(site, world, json.dumps(scope))


# Several tasks of a world are about the same product; a world is soon done with.
@lru_cache(maxsize=32)
def _is_short(site: str, world: Any, said: str) -> bool:
    telling, scope = worlds.get(site).telling, json.loads(said)
    for least, most in telling.bounds(world, scope):
        if least > SHORT_TOKENS or most <= SHORT_TOKENS:
            return most <= SHORT_TOKENS
    return _is_within(telling.tell(world, scope), SHORT_TOKENS)


def _is_within(parts: Iterable[str], most: int) -> bool:
    left = most
    for part in parts:
        left -= tokens(part)
        if left < 0:
            return False
    return True
