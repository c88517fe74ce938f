"""Tokenization of rows of the export ``splices``, with a loss only on the messages to be learnt."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

NO_LOSS = -100  # PyTorch's ignore_index
# The prefix that reasoning models' chat templates put before a message without a thought.
UNTHOUGHT = re.compile(r"\s*(<think>\s*</think>)?\s*")


def tokens_of(row: Mapping[str, Any], tokenizer: Any) -> dict[str, list[int]]:
    """Tokenize a row for TRL's ``SFTTrainer``.

    ``input_ids`` are the whole conversation. ``labels`` are -100 except for messages with a ``loss``,
    including the token that ends each one's turn. ``tokenizer`` must be a fast tokenizer of ``transformers``
    with a chat template. Raises ``ValueError`` if the template changes a message with a loss or the text
    before it, and for rows with pictures.
    """
    messages = [*row["prompt"], *row["completion"]]
    if not all(isinstance(message["content"], str) for message in messages):
        raise ValueError(
            "Rows with pictures are no text alone: make their tokens with the model's processor."
        )
    has_loss = json.loads(row["loss"]) if isinstance(row["loss"], str) else row["loss"]
    text = tokenizer.apply_chat_template(messages, tokenize=False)
    numbers = [number for number, is_trained in enumerate(has_loss) if is_trained]
    spans = [_find_turn(text, messages, number, tokenizer) for number in numbers]
    return label_tokens(text, tokenizer, trained=spans)


def _find_turn(text: str, messages: list[Any], number: int, tokenizer: Any) -> tuple[int, int]:
    """Return the character positions at which the model begins a message and at which its turn ends."""
    before = tokenizer.apply_chat_template(messages[:number], tokenize=False, add_generation_prompt=True)
    content = messages[number]["content"].strip()
    begin = text.find(content, len(before))
    if not text.startswith(before) or begin < 0 or not UNTHOUGHT.fullmatch(text[len(before) : begin]):
        raise ValueError(f"The chat template changes message {number + 1}, so it cannot be located.")
    end = begin + len(content)
    special = "|".join(
        re.escape(str(token)) for token in tokenizer.added_tokens_decoder.values() if token.special
    )
    closing = re.compile(rf"\s*(?:{special})").match(text, end)
    return len(before), closing.end() if closing else end


def label_tokens(text: str, tokenizer: Any, *, trained: Iterable[tuple[int, int]]) -> dict[str, list[int]]:
    """Return ``input_ids``, and ``labels``, which are -100 except for tokens that end in ``trained`` spans.

    Spans are (begin, end) in characters. ``tokenizer`` must be a fast tokenizer of ``transformers``.
    """
    encoded = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
    spans = list(trained)
    labels = [
        token if any(begin < end <= last for begin, last in spans) else NO_LOSS
        for token, (_, end) in zip(encoded["input_ids"], encoded["offset_mapping"], strict=True)
    ]
    return {"input_ids": list(encoded["input_ids"]), "labels": labels}
