"""Rows of the export ``splices`` as tokens, with a loss on what is to be learnt alone."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from palaestra.token_labels import labelled

# What templates of models that think put before a message that has no thought.
UNTHOUGHT = re.compile(r"\s*(<think>\s*</think>)?\s*")


def tokens_of(row: Mapping[str, Any], tokenizer: Any) -> dict[str, list[int]]:
    """A row as TRL's ``SFTTrainer`` takes it: ``input_ids`` of the whole conversation, and ``labels``, which
    are -100 but for the messages with a ``loss``, each with the token that ends its turn.

    ``tokenizer`` is a fast one of ``transformers`` with a chat template. Raises ``ValueError`` where the
    template changes a message that has a loss or what stands before it, and for rows with pictures.
    """
    messages = [*row["prompt"], *row["completion"]]
    if not all(isinstance(message["content"], str) for message in messages):
        raise ValueError(
            "Rows with pictures are no text alone: make their tokens with the model's processor."
        )
    has_loss = json.loads(row["loss"]) if isinstance(row["loss"], str) else row["loss"]
    text = tokenizer.apply_chat_template(messages, tokenize=False)
    places = [place for place, is_trained in enumerate(has_loss) if is_trained]
    return labelled(text, tokenizer, trained=[_turn(text, messages, place, tokenizer) for place in places])


def _turn(text: str, messages: list[Any], place: int, tokenizer: Any) -> tuple[int, int]:
    """The places where the model begins to write a message and where its turn ends, in characters."""
    before = tokenizer.apply_chat_template(messages[:place], tokenize=False, add_generation_prompt=True)
    content = messages[place]["content"].strip()
    begin = text.find(content, len(before))
    if not text.startswith(before) or begin < 0 or not UNTHOUGHT.fullmatch(text[len(before) : begin]):
        raise ValueError(f"The chat template changes message {place + 1}, so that its place is not known.")
    end = begin + len(content)
    special = "|".join(re.escape(str(one)) for one in tokenizer.added_tokens_decoder.values() if one.special)
    closing = re.compile(rf"\s*(?:{special})").match(text, end)
    return len(before), closing.end() if closing else end
