"""Supervised fine-tuning on the steps of correct episodes, each with the weight of its label."""

from __future__ import annotations

from collections.abc import Iterator

from trajectories.exports.chats import EPISODE_COLUMNS, conversational, images_in, played_conversations
from trajectories.exports.registry import export_kind
from trajectories.exports.types import IMAGES, WEIGHT, Batch, Row


@export_kind(
    "sft_steps",
    title="SFT, step by step",
    description="Steps of correct episodes to imitate: prompt and completion, as TRL's SFTTrainer reads "
    "them. With a filter by labels only the steps that it keeps, with their weights.",
    unit="episode",
    columns={
        **EPISODE_COLUMNS,
        "step": "integer",
        "prompt": "messages",
        "completion": "messages",
        "exact": "truth",
        WEIGHT: "number",
        IMAGES: "images",
    },
    outcomes=("correct",),
)
def rows(batch: Batch) -> Iterator[Row]:
    for values, conversation in played_conversations(batch):
        for place, prompt in enumerate(conversation.prompts):
            weight = batch.step_weight(values["episode"], prompt.step)
            if weight is None:
                continue
            before, completion = conversation.prompt_of(place), [conversation.completion_of(place)]
            images = images_in(before)
            yield {
                **values,
                "step": prompt.step,
                "prompt": conversational(before, has_images=bool(images)),
                "completion": conversational(completion, has_images=bool(images)),
                "exact": prompt.is_exact,
                WEIGHT: weight,
                IMAGES: images,
            }
