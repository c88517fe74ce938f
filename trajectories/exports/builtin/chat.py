"""The export of whole trajectories as chat messages, byte for byte as they were sent to the model."""

from __future__ import annotations

from collections.abc import Iterator

from trajectories.exports.chats import EPISODE_COLUMNS, read_episode_values, read_weighted_conversations
from trajectories.exports.registry import export_kind
from trajectories.exports.types import IMAGES, WEIGHT, Batch, Row


@export_kind(
    "chat",
    title="Chat messages",
    description="Whole conversations as the model was sent them, with a hash that verifies each prompt. "
    "`prompts` gives the number of messages in each step's prompt, and whether they are verified.",
    unit="episode",
    columns={
        **EPISODE_COLUMNS,
        "messages": "json",
        "prompts": "json",
        "exact": "truth",
        IMAGES: "images",
        WEIGHT: "number",
    },
    outcomes=("correct", "incorrect", "void"),
)
def rows(batch: Batch) -> Iterator[Row]:
    for episode, conversation, weight in read_weighted_conversations(batch):
        prompts = [
            {
                "step": prompt.step,
                "messages": prompt.length,
                "exact": prompt.is_exact,
                "check": prompt.check,
                "prompt_sha256": prompt.sha256,
            }
            for prompt in conversation.prompts
        ]
        yield {
            **read_episode_values(episode),
            "messages": conversation.messages,
            "prompts": prompts,
            "exact": conversation.is_exact,
            IMAGES: conversation.images,
            WEIGHT: weight,
        }
