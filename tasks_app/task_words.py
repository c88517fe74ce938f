"""Words of tasks for full-text search.

Every ASCII punctuation mark is replaced by a space, so that Postgres takes nothing for a URL; ``%`` needs no
replacement because Postgres splits there anyway.
"""

from __future__ import annotations

import re

CONFIGURATION = "simple"
# A tsvector can hold at most 1 MB.
INDEXED_CHARS = 100_000
_SIGNS = "!\"#$&'()*+,-./:;<=>?@[\\]^_`{|}~"
_QUOTED = _SIGNS.replace("'", "''")

# Postgres uses the index only for exactly this expression.
TASK_WORDS = (
    f"to_tsvector('{CONFIGURATION}'::regconfig,"
    f" translate(left(key || ' ' || prompt, {INDEXED_CHARS}), '{_QUOTED}', '{' ' * len(_SIGNS)}'))"
)
_PART = re.compile(r'(-?)"([^"]*)"?|(\S+)')
_TO_SPACES = str.maketrans(dict.fromkeys(_SIGNS, " "))
_WORD = re.compile(r"[^\W_]")


def tasks_with(query: str) -> str:
    """Return SQL for the ids of the tasks that match a search; ``query`` is the SQL placeholder."""
    search = f"websearch_to_tsquery('{CONFIGURATION}'::regconfig, {query})"
    return f"SELECT k.id FROM tasks_app_task k WHERE {TASK_WORDS} @@ {search}"  # noqa: S608 (constants)


def task_query(text: str) -> str:
    """Build the query for ``websearch_to_tsquery``, with words separated as in the indexed tasks.

    It supports words, "phrases", or, and -without. It is empty if no word is required.
    """
    parts, is_asking = [], False
    for part in _PART.finditer(text):
        bare = part.group(3) or ""
        sign = "-" if part.group(1) or bare.startswith("-") else ""
        if bare.casefold() == "or":
            parts.append("or")
            continue
        words = (part.group(2) if part.group(2) is not None else bare).translate(_TO_SPACES).strip()
        if _WORD.search(words):
            is_asking = is_asking or not sign
            parts.append(f'{sign}"{words}"')
    return " ".join(parts) if is_asking else ""
