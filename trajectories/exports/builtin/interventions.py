"""The export of interventions (InT): a failed attempt up to a substep, and a text that led to success."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trajectories.exports.chats import (
    EPISODE_COLUMNS,
    GROUP_COLUMNS,
    read_batch_conversations,
    read_episode_values,
    read_episodes,
    read_outcome,
    training_messages,
)
from trajectories.exports.conversations import ASSISTANT
from trajectories.exports.registry import export_kind
from trajectories.exports.types import IMAGES, WEIGHT, Batch, Row
from trajectories.models import Episode, Intervention, Verdict
from trajectories.record.prompts.conversation import Message
from trajectories.rollouts.episodes.interventions.messages import begins_with, prefill_message

CORRECT, INCORRECT = Verdict.Outcome.CORRECT, Verdict.Outcome.INCORRECT


@export_kind(
    "interventions",
    title="Interventions",
    description="What the policy wrote before a substep, followed by the words put in the substep's place, "
    "as prompt and completion for TRL's SFTTrainer. Only interventions with at least one correct "
    "continuation are taken. `spans` give which characters of the completion are copied and which are the "
    "intervention; the continuation itself is left out.",
    unit="group",
    columns={
        **{name: EPISODE_COLUMNS[name] for name in GROUP_COLUMNS},
        "intervention": "integer",
        "parent_episode": "integer",
        "step": "integer",
        "substep": "integer",
        "author_kind": "text",
        "author": "text",
        "judged": "integer",
        "correct": "integer",
        "success_rate": "number",
        "prompt": "messages",
        "completion": "messages",
        "spans": "json",
        "exact": "truth",
        WEIGHT: "number",
        IMAGES: "images",
    },
    outcomes=(CORRECT, INCORRECT),
    origins=("forked",),
)
def rows(batch: Batch) -> Iterator[Row]:
    """Yield a row per intervention.

    The success rate is over the episodes that the filters keep, without void ones.
    """
    episodes = read_episodes(batch)
    interventions = {one.group_id: one for one in Intervention.objects.filter(group__in=batch.ids)}
    for group in batch.ids:
        if group not in interventions:
            batch.left_out["no_intervention"] += 1
        elif row := _row(interventions[group], list(episodes.filter(group=group)), batch):
            yield row


def _row(intervention: Intervention, episodes: Sequence[Episode], batch: Batch) -> Row | None:
    """Return an intervention's row.

    Returns None and counts the reason if no continuation is correct or the prompt cannot be rebuilt.
    """
    begun = begins_with(intervention, episodes)
    batch.left_out["other_beginning"] += len(episodes) - len(begun)
    judged = [episode for episode in begun if read_outcome(episode) in (CORRECT, INCORRECT)]
    correct = [episode for episode in judged if read_outcome(episode) == CORRECT]
    if not correct:
        batch.left_out["no_success"] += 1
        return None
    weight = batch.episode_weight(correct[0].pk)
    sample = _sample(intervention, correct[0], batch)
    if weight is None or sample is None:
        return None
    values = read_episode_values(correct[0])
    return {
        **{name: values[name] for name in GROUP_COLUMNS},
        "intervention": intervention.pk,
        "parent_episode": intervention.episode_id,
        **{name: getattr(intervention, name) for name in ("step", "substep", "author_kind", "author")},
        "judged": len(judged),
        "correct": len(correct),
        "success_rate": len(correct) / len(judged),
        **sample,
        WEIGHT: weight,
    }


def _sample(intervention: Intervention, continuation: Episode, batch: Batch) -> Row | None:
    """Return the prompt and completion; the prompt is what the continuation's policy was sent."""
    for conversation in read_batch_conversations(batch, continuation):
        for place, prompt in enumerate(conversation.prompts):
            if prompt.step != intervention.step:
                continue
            completion: list[Message] = [{"role": ASSISTANT, "content": intervention.prefill}]
            return {
                **training_messages(prompt=conversation.prompt_before(place), completion=completion),
                "spans": prefill_message(intervention)["spans"],
                "exact": prompt.is_exact,
            }
    return None
