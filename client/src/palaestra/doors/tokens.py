"""The text of sampled tokens, for frameworks that hand over tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from palaestra.thoughts import Tags, is_mark


def tokens_text(tokenizer: Any, ids: Sequence[int], *, tags: Sequence[Tags] = ()) -> str:
    """Return the text of tokens without the special ones, but for those that mark thoughts.

    To some tokenizers ``[THINK]`` or ``<|channel|>`` are special: without them a thought and the answer
    could not be told apart.
    """
    special = set(tokenizer.all_special_ids).intersection(ids)
    dropped = {one for one in special if not is_mark(tokenizer.decode([one]), tags=tags)}
    return str(tokenizer.decode([one for one in ids if one not in dropped], skip_special_tokens=False))
