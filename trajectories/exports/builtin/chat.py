"""Whole trajectories as chat messages, byte for byte what the model was sent."""

from __future__ import annotations

from collections.abc import Iterator

from trajectories.exports.chats import EPISODE_COLUMNS, episode_values
from trajectories.exports.conversations import Conversation, conversations_of
from trajectories.exports.registry import export_kind
from trajectories.exports.types import IMAGES, Batch, Row


@export_kind(
    "chat",
    title="Chat messages",
    description="Whole conversations as the model was sent them, with the hash that proves each prompt. "
    "`prompts` says of each step how many messages its prompt has, and whether it is `exact`.",
    unit="episode",
    columns={**EPISODE_COLUMNS, "messages": "json", "prompts": "json", "exact": "truth", "images": "images"},
    outcomes=("correct", "incorrect", "void"),
)
def rows(batch: Batch) -> Iterator[Row]:
    episodes = batch.episodes.select_related("run", "group", "task", "verdict").order_by("pk")
    for episode in episodes:
        made = conversations_of(episode, solutions=batch.parameters.solutions, left_out=batch.left_out)
        for conversation in made:
            yield {**episode_values(episode), **_values(conversation)}


def _values(conversation: Conversation) -> Row:
    return {
        "messages": conversation.messages,
        "prompts": [
            {
                "step": one.step,
                "messages": one.length,
                "exact": one.is_exact,
                "check": one.check,
                "prompt_sha256": one.sha256,
            }
            for one in conversation.prompts
        ],
        "exact": all(one.is_exact for one in conversation.prompts),
        IMAGES: conversation.images,
    }
