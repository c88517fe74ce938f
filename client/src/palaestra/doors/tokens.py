"""The text of sampled tokens, for frameworks that hand over tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from palaestra.grammars.native_calls import is_markup
from palaestra.thoughts import Tags, is_mark


def tokens_text(tokenizer: Any, ids: Sequence[int], *, tags: Sequence[Tags] = ()) -> str:
    """Return the text of tokens without the special ones, but for those that mark thoughts and calls.

    To some tokenizers ``[THINK]``, ``<|channel|>`` or ``[TOOL_CALLS]`` are special: without them nobody could
    tell a thought, an answer and a call apart. Special is what the tokenizer skips: its ``all_special_ids``
    leaves out tokens that have no role of their own, such as ``<|eom_id|>`` of Llama 3.
    """
    dropped = {one for one in set(ids) if _is_silent(tokenizer, one, tags)}
    return str(tokenizer.decode([one for one in ids if one not in dropped], skip_special_tokens=False))


def _is_silent(tokenizer: Any, token: int, tags: Sequence[Tags]) -> bool:
    text = tokenizer.decode([token], skip_special_tokens=False)
    is_special = text != tokenizer.decode([token], skip_special_tokens=True)
    return is_special and not is_mark(text, tags=tags) and not is_markup(text)
