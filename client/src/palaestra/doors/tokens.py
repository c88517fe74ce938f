"""Decoding of sampled tokens, for frameworks that work on tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from palaestra.grammars.native_calls import is_markup
from palaestra.thoughts import Tags, is_mark


def tokens_text(tokenizer: Any, ids: Sequence[int], *, tags: Sequence[Tags] = ()) -> str:
    """Decode tokens to text without special tokens, except for those that mark thoughts and calls.

    Some tokenizers treat ``[THINK]``, ``<|channel|>`` or ``[TOOL_CALLS]`` as special, but without them a
    thought, an answer and a call could not be distinguished. A token counts as special if the tokenizer skips
    it, because ``all_special_ids`` does not include tokens without a predefined role, such as ``<|eom_id|>``
    in Llama 3.
    """
    dropped = {token for token in set(ids) if _is_silent(tokenizer, token, tags)}
    return str(tokenizer.decode([token for token in ids if token not in dropped], skip_special_tokens=False))


def _is_silent(tokenizer: Any, token: int, tags: Sequence[Tags]) -> bool:
    text = tokenizer.decode([token], skip_special_tokens=False)
    is_special = text != tokenizer.decode([token], skip_special_tokens=True)
    return is_special and not is_mark(text, tags=tags) and not is_markup(text)
