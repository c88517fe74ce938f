"""Messages in TRL's conversational form, and the columns that rows of all kinds share."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from django.db.models import QuerySet

from trajectories.exports.conversations import Conversation, read_conversations
from trajectories.exports.types import IMAGES, Batch, ColumnType, Row
from trajectories.models import Episode
from trajectories.record.prompts.conversation import Message
from trajectories.rollouts.episodes.forks.lineage import authors_until

EPISODE_COLUMNS: dict[str, ColumnType] = {
    "episode": "integer",
    "run": "integer",
    "group": "integer",
    "task": "integer",
    "benchmark": "text",
    "split": "text",
    "key": "text",
    "arm": "text",
    "model": "text",
    "simulated": "truth",
    "policy_version": "integer",
    "outcome": "text",
    "reward": "number",
    "reason": "text",
    "guidance": "json",
    "first_answer": "json",
    "first_answer_correct": "truth",
}
# Columns with the same value for all episodes of a group.
GROUP_COLUMNS = (
    *("run", "group", "task", "benchmark", "split", "key", "arm", "model", "simulated", "policy_version"),
    "guidance",
)


def read_episode_values(episode: Episode) -> Row:
    """Return the values of ``EPISODE_COLUMNS`` for an episode. A void episode's reward is null, never 0."""
    verdict, first = episode.verdict, getattr(episode, "first_answer", None)
    first_correct = verdict.metrics.get("first_answer_correct") if verdict else None
    return {
        "episode": episode.pk,
        "run": episode.run_id,
        "group": episode.group_id,
        "task": episode.task_id,
        "benchmark": episode.task.benchmark_id,
        "split": episode.task.split,
        "key": episode.task.key,
        "arm": episode.arm,
        "model": episode.run.model,
        "simulated": episode.run.simulated,
        "policy_version": episode.policy_version,
        "outcome": verdict.outcome if verdict else None,
        "reward": verdict.reward if verdict else None,
        "reason": verdict.reason if verdict else None,
        "guidance": episode.guidance,
        "first_answer": first.answer if first else None,
        "first_answer_correct": None if first_correct is None else first_correct == 1,
    }


def read_episodes(batch: Batch, *order: str) -> QuerySet[Episode]:
    """Return the episodes of a batch, with the related rows that ``read_episode_values`` needs."""
    related = batch.episodes.select_related("run", "group", "task", "verdict", "first_answer")
    return related.order_by(*order, "pk")


def read_outcome(episode: Episode) -> str:
    """Return the outcome of the episode's verdict, or an empty string if it has none."""
    return episode.verdict.outcome if episode.verdict else ""


def read_played_conversations(batch: Batch) -> Iterator[tuple[Episode, Conversation]]:
    """Yield each conversation of a batch with its episode, in the order of episode ids."""
    for episode in read_episodes(batch):
        for conversation in read_batch_conversations(batch, episode):
            yield episode, conversation


def read_weighted_conversations(batch: Batch) -> Iterator[tuple[Episode, Conversation, float]]:
    """Yield the conversations of the episodes that the label filter keeps, with the episode's weight."""
    for episode in read_episodes(batch):
        weight = batch.episode_weight(episode.pk)
        if weight is not None:
            for conversation in read_batch_conversations(batch, episode):
                yield episode, conversation, weight


def read_authors(episode: Episode, conversation: Conversation) -> dict[int, tuple[str, str]]:
    """Return the actor and the segment of each step of a conversation, by step number."""
    return authors_until(episode.pk, conversation.prompts[-1].step)


def read_batch_conversations(
    batch: Batch, episode: Episode, *, first_alone: bool = False
) -> list[Conversation]:
    """Read an episode's conversations by ``read_conversations``, with the batch's parameters and counts."""
    solutions, left_out = batch.parameters.solutions, batch.left_out
    return read_conversations(episode, solutions=solutions, left_out=left_out, first_alone=first_alone)


def whole_conversation(batch: Batch, episode: Episode) -> Conversation | None:
    """Return the single conversation of an episode.

    Returns None and counts the reason if there is none, or if earlier messages change from turn to turn.
    """
    conversations = read_batch_conversations(batch, episode)
    if len(conversations) > 1:
        batch.left_out["changing_history"] += 1
    return conversations[0] if len(conversations) == 1 else None


def hash_first_prompt(conversation: Conversation) -> bytes:
    """Return a hash of the first prompt, which differs between looks of the same page."""
    return hashlib.sha256(msgspec.json.encode(conversation.prompt_before(0))).digest()


def draw(episode: int, *, seed: int) -> bytes:
    """Return a sort key that puts episodes into a random order, which the seed determines."""
    return hashlib.sha256(msgspec.json.encode([seed, episode])).digest()


def format_messages(messages: Sequence[Message], *, has_images: bool) -> list[Message]:
    """Convert messages to the form that TRL reads.

    With ``has_images``, the content of every message is a list of parts, and picture parts have no address.
    """
    if not has_images:
        return list(messages)
    return [{**message, "content": _parts(message["content"])} for message in messages]


def training_messages(**parts: Sequence[Message]) -> Row:
    """Return columns with messages in the form that TRL reads, and a column with their picture files."""
    images = list_images([message for part in parts.values() for message in part])
    columns: Row = {name: format_messages(part, has_images=bool(images)) for name, part in parts.items()}
    return {**columns, IMAGES: images}


def list_images(messages: Sequence[Message]) -> list[str]:
    """List the picture files in the order in which the messages show them."""
    return [
        part["image_url"]["url"]
        for message in messages
        if not isinstance(message["content"], str)
        for part in message["content"]
        if part["type"] == "image_url"
    ]


def _parts(content: str | list[dict[str, Any]]) -> list[dict[str, Any]]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [{"type": "image"} if part["type"] == "image_url" else part for part in content]
