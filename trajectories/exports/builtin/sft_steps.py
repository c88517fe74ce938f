"""The export for supervised fine-tuning on single steps of correct episodes, with their labels' weights."""

from __future__ import annotations

from collections.abc import Iterator

from trajectories.exports.chats import (
    EPISODE_COLUMNS,
    read_authors,
    read_episode_values,
    read_played_conversations,
    training_messages,
)
from trajectories.exports.registry import export_kind
from trajectories.exports.types import IMAGES, WEIGHT, Batch, Row


@export_kind(
    "sft_steps",
    title="SFT, step by step",
    description="Steps of correct episodes to imitate, as prompt and completion for TRL's SFTTrainer. With a "
    "filter by labels, only the steps that it keeps are exported, with their weights; with `segments`, only "
    "a person's steps.",
    unit="episode",
    columns={
        **EPISODE_COLUMNS,
        "step": "integer",
        "actor": "text",
        "segment": "text",
        "prompt": "messages",
        "completion": "messages",
        "exact": "truth",
        WEIGHT: "number",
        IMAGES: "images",
    },
    outcomes=("correct",),
    options=("segments",),
)
def rows(batch: Batch) -> Iterator[Row]:
    for episode, conversation in read_played_conversations(batch):
        authors, segments = read_authors(episode, conversation), batch.parameters.segments
        for place, prompt in enumerate(conversation.prompts):
            actor, segment = authors[prompt.step]
            if segments and segment not in segments:
                batch.left_out["other_segment"] += 1
                continue
            weight = batch.step_weight(episode.pk, prompt.step)
            if weight is None:
                continue
            completion = [conversation.messages[prompt.length]]
            yield {
                **read_episode_values(episode),
                "step": prompt.step,
                "actor": actor,
                "segment": segment or None,
                **training_messages(prompt=conversation.prompt_before(place), completion=completion),
                "exact": prompt.is_exact,
                WEIGHT: weight,
            }
