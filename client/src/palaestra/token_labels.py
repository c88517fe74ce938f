"""Tokens of a conversation and their labels, in the format of TRL's ``SFTTrainer``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

NO_LOSS = -100  # PyTorch's ignore_index


def label_tokens(text: str, tokenizer: Any, *, trained: Iterable[tuple[int, int]]) -> dict[str, list[int]]:
    """Return ``input_ids``, and ``labels``, which are -100 except for tokens that end in ``trained`` spans.

    Spans are (begin, end) in characters. ``tokenizer`` is a fast one of ``transformers``.
    """
    encoded = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
    spans = list(trained)
    labels = [
        token if any(begin < end <= last for begin, last in spans) else NO_LOSS
        for token, (_, end) in zip(encoded["input_ids"], encoded["offset_mapping"], strict=True)
    ]
    return {"input_ids": list(encoded["input_ids"]), "labels": labels}
