"""The export for supervised fine-tuning on correct episodes, in TRL's conversational form."""

from __future__ import annotations

from collections.abc import Iterator

from trajectories.exports.chats import (
    EPISODE_COLUMNS,
    read_authors,
    read_episode_values,
    read_weighted_conversations,
    training_messages,
)
from trajectories.exports.conversations import Conversation
from trajectories.exports.registry import export_kind
from trajectories.exports.types import IMAGES, WEIGHT, Batch, Row
from trajectories.models import Episode, Step


@export_kind(
    "sft",
    title="SFT, whole conversations",
    description="Correct episodes to imitate, as messages for TRL's SFTTrainer. Episodes whose history "
    "changes from turn to turn have a row for each step. `person_steps` lists the messages that a person "
    "wrote.",
    unit="episode",
    columns={
        **EPISODE_COLUMNS,
        "step": "integer",
        "messages": "messages",
        "person_steps": "json",
        "exact": "truth",
        WEIGHT: "number",
        IMAGES: "images",
    },
    outcomes=("correct",),
)
def rows(batch: Batch) -> Iterator[Row]:
    for episode, conversation, weight in read_weighted_conversations(batch):
        yield {
            **read_episode_values(episode),
            "step": conversation.prompts[-1].step,
            **training_messages(messages=conversation.messages),
            "person_steps": _person_steps(episode, conversation) if episode.is_taken_over else [],
            "exact": conversation.is_exact,
            WEIGHT: weight,
        }


def _person_steps(episode: Episode, conversation: Conversation) -> list[dict[str, object]]:
    """List the steps that a person took, each with the position of its completion among the messages."""
    authors = read_authors(episode, conversation)
    return [
        {"step": prompt.step, "segment": authors[prompt.step][1], "message": prompt.length}
        for prompt in conversation.prompts
        if authors[prompt.step][0] == Step.Actor.PERSON
    ]
