"""The export of preference pairs within a group, in TRL's conversational form."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from trajectories.exports.chats import (
    EPISODE_COLUMNS,
    GROUP_COLUMNS,
    draw,
    hash_first_prompt,
    read_batch_conversations,
    read_episode_values,
    read_episodes,
    read_outcome,
    training_messages,
    whole_conversation,
)
from trajectories.exports.conversations import Conversation
from trajectories.exports.registry import export_kind
from trajectories.exports.types import IMAGES, WEIGHT, Batch, Row
from trajectories.models import Episode, Verdict

CORRECT, INCORRECT = Verdict.Outcome.CORRECT, Verdict.Outcome.INCORRECT


@export_kind(
    "preferences",
    title="Preference pairs",
    description="A correct and an incorrect attempt from one group at the same prompt, for TRL's DPOTrainer: "
    "prompt, chosen and rejected are messages.",
    unit="group",
    columns={
        **{name: EPISODE_COLUMNS[name] for name in GROUP_COLUMNS},
        "chosen_episode": "integer",
        "rejected_episode": "integer",
        "rejected_reason": "text",
        "prompt": "messages",
        "chosen": "messages",
        "rejected": "messages",
        "exact": "truth",
        WEIGHT: "number",
        IMAGES: "images",
    },
    outcomes=(CORRECT, INCORRECT),
    options=("pairs_max", "seed"),
)
def rows(batch: Batch) -> Iterator[Row]:
    groups: dict[int, list[Episode]] = defaultdict(list)
    for episode in read_episodes(batch, "group_id"):
        groups[episode.group_id].append(episode)
    for of_group in groups.values():
        pairs = list(_pairs(of_group, batch))
        if not pairs:
            batch.left_out["no_pair"] += 1
        yield from pairs


def pairs_choose(
    correct: Sequence[Episode], incorrect: Sequence[Episode], *, seed: int
) -> Iterator[tuple[Episode, Episode]]:
    """Yield every pair once, in an order that the seed determines.

    Episodes that are in no pair yet come first.
    """
    left, right = (sorted(side, key=lambda one: draw(one.pk, seed=seed)) for side in (correct, incorrect))
    longer = max(len(left), len(right))
    for turn in range(min(len(left), len(right))):
        for place in range(longer):
            one, other = (place, place + turn) if len(left) >= len(right) else (place + turn, place)
            yield left[one % len(left)], right[other % len(right)]


def _pairs(episodes: list[Episode], batch: Batch) -> Iterator[Row]:
    """Yield the rows of a group's pairs.

    Labels filter only the chosen episodes, and a chosen episode's weight is the weight of its pair.
    """
    count = 0
    for correct, incorrect in _same_prompt(episodes, batch):
        weights = {one: weight for one in correct if (weight := batch.episode_weight(one.pk))}
        for chosen, rejected in pairs_choose(list(weights), incorrect, seed=batch.parameters.seed):
            if count >= batch.parameters.pairs_max:
                batch.left_out["pairs_max"] += 1
                continue
            good, bad = (whole_conversation(batch, episode) for episode in (chosen, rejected))
            if good and bad:
                count += 1
                yield {**_row(chosen, rejected, good, bad), WEIGHT: weights[chosen]}


def _same_prompt(episodes: list[Episode], batch: Batch) -> Iterable[tuple[list[Episode], list[Episode]]]:
    """Group correct and incorrect episodes by their first prompt, which depends on the look of the page."""
    sides: dict[bytes, tuple[list[Episode], list[Episode]]] = defaultdict(lambda: ([], []))
    for episode in episodes:
        for conversation in read_batch_conversations(batch, episode, first_alone=True):
            side = 0 if read_outcome(episode) == CORRECT else 1
            sides[hash_first_prompt(conversation)][side].append(episode)
    return sides.values()


def _row(chosen: Episode, rejected: Episode, good: Conversation, bad: Conversation) -> Row:
    values = read_episode_values(chosen)
    length = good.prompts[0].length
    return {
        **{name: values[name] for name in GROUP_COLUMNS},
        "chosen_episode": chosen.pk,
        "rejected_episode": rejected.pk,
        "rejected_reason": rejected.verdict.reason if rejected.verdict else None,
        "exact": good.is_exact and bad.is_exact,
        **training_messages(
            prompt=good.prompt_before(0), chosen=good.messages[length:], rejected=bad.messages[length:]
        ),
    }
