"""Decoding of sampled tokens, for frameworks that work on tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from palaestra.grammars.native_calls import is_markup
from palaestra.thoughts import Tags, is_mark


def tokens_text(tokenizer: Any, ids: Sequence[int], *, tags: Sequence[Tags] = ()) -> str:
    """Return the text of tokens without special ones, except those that mark thoughts and calls.

    Some tokenizers treat ``[THINK]``, ``<|channel|>`` or ``[TOOL_CALLS]`` as special: without them a thought,
    an answer and a call could not be told apart. A token counts as special if the tokenizer skips it, because
    ``all_special_ids`` lacks tokens without a role of their own, such as ``<|eom_id|>`` of Llama 3.
    """
    dropped = {token for token in set(ids) if _is_silent(tokenizer, token, tags)}
    return str(tokenizer.decode([token for token in ids if token not in dropped], skip_special_tokens=False))


def _is_silent(tokenizer: Any, token: int, tags: Sequence[Tags]) -> bool:
    text = tokenizer.decode([token], skip_special_tokens=False)
    is_special = text != tokenizer.decode([token], skip_special_tokens=True)
    return is_special and not is_mark(text, tags=tags) and not is_markup(text)
