"""Supervised fine-tuning on correct episodes, in TRL's conversational form."""

from __future__ import annotations

from collections.abc import Iterator

from trajectories.exports.chats import EPISODE_COLUMNS, conversational, images_in, weighted_conversations
from trajectories.exports.registry import export_kind
from trajectories.exports.types import IMAGES, WEIGHT, Batch, Row


@export_kind(
    "sft",
    title="SFT, whole conversations",
    description="Correct episodes to imitate: messages, as TRL's SFTTrainer reads them. Where the history "
    "changes from turn to turn, a row for each step.",
    unit="episode",
    columns={
        **EPISODE_COLUMNS,
        "step": "integer",
        "messages": "messages",
        "exact": "truth",
        WEIGHT: "number",
        IMAGES: "images",
    },
    outcomes=("correct",),
)
def rows(batch: Batch) -> Iterator[Row]:
    for values, conversation, weight in weighted_conversations(batch):
        messages = conversation.messages
        yield {
            **values,
            "step": conversation.prompts[-1].step,
            "messages": conversational(messages, has_images=bool(conversation.images)),
            "exact": conversation.is_exact,
            WEIGHT: weight,
            IMAGES: images_in(messages),
        }
