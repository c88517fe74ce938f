"""Preference pairs within a group, in TRL's conversational form."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from trajectories.exports.chats import (
    EPISODE_COLUMNS,
    conversational,
    conversations_in,
    draw,
    episode_values,
    images_in,
)
from trajectories.exports.conversations import Conversation
from trajectories.exports.registry import export_kind
from trajectories.exports.types import IMAGES, WEIGHT, Batch, Row
from trajectories.models import Episode, Verdict

CORRECT, INCORRECT = Verdict.Outcome.CORRECT, Verdict.Outcome.INCORRECT
SHARED = (
    "run",
    "group",
    "task",
    "benchmark",
    "split",
    "key",
    "arm",
    "model",
    "simulated",
    "policy_version",
    "guidance",
)


@export_kind(
    "preferences",
    title="Preference pairs",
    description="A correct and an incorrect attempt of one group at the same prompt, as TRL's DPOTrainer "
    "reads them: prompt, chosen and rejected are messages.",
    unit="group",
    columns={
        **{name: EPISODE_COLUMNS[name] for name in SHARED},
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
    episodes = batch.episodes.select_related("run", "group", "task", "verdict", "first_answer").order_by(
        "group_id", "pk"
    )
    groups: dict[int, list[Episode]] = defaultdict(list)
    for episode in episodes:
        groups[episode.group_id].append(episode)
    for of_group in groups.values():
        made = list(_pairs(of_group, batch))
        if not made:
            batch.left_out["no_pair"] += 1
        yield from made


def pairs_choose(
    correct: Sequence[Episode], incorrect: Sequence[Episode], *, seed: int
) -> Iterator[tuple[Episode, Episode]]:
    """Choose every pair once, episodes without a pair first; the same for the same seed."""
    left, right = (sorted(side, key=lambda one: draw(one.pk, seed=seed)) for side in (correct, incorrect))
    longer = max(len(left), len(right))
    for turn in range(min(len(left), len(right))):
        for place in range(longer):
            one, other = (place, place + turn) if len(left) >= len(right) else (place + turn, place)
            yield left[one % len(left)], right[other % len(right)]


def _pairs(episodes: list[Episode], batch: Batch) -> Iterator[Row]:
    """Labels filter what is chosen alone, and their weight is that of the pair."""
    made = 0
    for correct, incorrect in _same_prompt(episodes, batch):
        weights = {one: weight for one in correct if (weight := batch.episode_weight(one.pk))}
        for chosen, rejected in pairs_choose(list(weights), incorrect, seed=batch.parameters.seed):
            if made >= batch.parameters.pairs_max:
                batch.left_out["pairs_max"] += 1
                continue
            one, other = (_conversation(episode, batch) for episode in (chosen, rejected))
            if one and other:
                made += 1
                yield {**_row(chosen, rejected, one, other), WEIGHT: weights[chosen]}


def _same_prompt(episodes: list[Episode], batch: Batch) -> Iterable[tuple[list[Episode], list[Episode]]]:
    """Correct and incorrect ones by their first prompt, which other looks change. Only its hash is kept."""
    sides: dict[bytes, tuple[list[Episode], list[Episode]]] = defaultdict(lambda: ([], []))
    for episode in episodes:
        for conversation in conversations_in(batch, episode, first_alone=True):
            digest = hashlib.sha256(msgspec.json.encode(conversation.prompt_of(0))).digest()
            is_correct = episode.verdict is not None and episode.verdict.outcome == CORRECT
            sides[digest][0 if is_correct else 1].append(episode)
    return sides.values()


def _conversation(episode: Episode, batch: Batch) -> Conversation | None:
    """Return the conversation; None, counted, if earlier messages change."""
    made = conversations_in(batch, episode)
    if len(made) > 1:
        batch.left_out["changing_history"] += 1
    return made[0] if len(made) == 1 else None


def _row(chosen: Episode, rejected: Episode, one: Conversation, other: Conversation) -> Row:
    values = episode_values(chosen)
    length = one.prompts[0].length
    prompt, good, bad = one.prompt_of(0), one.messages[length:], other.messages[length:]
    images = images_in([*prompt, *good, *bad])
    return {
        **{name: values[name] for name in SHARED},
        "chosen_episode": chosen.pk,
        "rejected_episode": rejected.pk,
        "rejected_reason": rejected.verdict.reason if rejected.verdict else None,
        "prompt": conversational(prompt, has_images=bool(images)),
        "chosen": conversational(good, has_images=bool(images)),
        "rejected": conversational(bad, has_images=bool(images)),
        "exact": one.is_exact and other.is_exact,
        IMAGES: images,
    }
