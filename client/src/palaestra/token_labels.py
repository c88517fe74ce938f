"""Tokens of a conversation and which of them have a loss, as TRL's ``SFTTrainer`` takes rows of tokens."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

NO_LOSS = -100  # PyTorch's


def labelled(text: str, tokenizer: Any, *, trained: Iterable[tuple[int, int]]) -> dict[str, list[int]]:
    """``input_ids``, and ``labels``, which are -100 but for tokens that end in the ``trained`` characters
    (begin, end). ``tokenizer`` is a fast one of ``transformers``."""
    places = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
    spans = list(trained)
    labels = [
        token if any(begin < end <= last for begin, last in spans) else NO_LOSS
        for token, (_, end) in zip(places["input_ids"], places["offset_mapping"], strict=True)
    ]
    return {"input_ids": list(places["input_ids"]), "labels": labels}
