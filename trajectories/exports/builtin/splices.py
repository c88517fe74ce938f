"""The export of splices (Agent-R): a failed attempt, a revision thought, and a relative's way to success.

Relatives are episodes of one tree of forks, which share their steps up to the point where they diverge.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from trajectories.exports.chats import (
    EPISODE_COLUMNS,
    draw,
    read_episode_values,
    read_episodes,
    read_outcome,
    training_messages,
    whole_conversation,
)
from trajectories.exports.conversations import ASSISTANT, Conversation, read_page_before
from trajectories.exports.parameters import Revision
from trajectories.exports.registry import export_kind
from trajectories.exports.types import IMAGES, WEIGHT, Batch, Row
from trajectories.models import Episode, Step, Verdict
from trajectories.record.prompts.conversation import Message

CORRECT, INCORRECT = Verdict.Outcome.CORRECT, Verdict.Outcome.INCORRECT
SHARED = ("run", "task", "benchmark", "split", "key", "arm", "model", "simulated", "policy_version")


@export_kind(
    "splices",
    title="Splices of failure and success",
    description="An incorrect attempt up to a bad step, a revision thought, and what a correct relative did "
    "after the last step that both share, as prompt and completion for TRL's SFTTrainer. `loss` marks the "
    "messages to train on.",
    unit="task",
    columns={
        **{name: EPISODE_COLUMNS[name] for name in SHARED},
        "good_episode": "integer",
        "bad_episode": "integer",
        "bad_reason": "text",
        "guidance": "json",
        "good_guidance": "json",
        "common_step": "integer",
        "bad_step": "integer",
        "prompt": "messages",
        "completion": "messages",
        "loss": "json",
        "exact": "truth",
        WEIGHT: "number",
        IMAGES: "images",
    },
    outcomes=(CORRECT, INCORRECT),
    origins=("plain", "forked"),
    options=("pairs_max", "revisions", "seed"),
)
def rows(batch: Batch) -> Iterator[Row]:
    episodes = read_episodes(batch)
    for task_id in batch.ids:
        lines = Lines(task_id)
        trees = group_by_root(list(episodes.filter(task=task_id)), lines)
        pairs = [pair for tree in trees.values() for pair in _pairs(tree, lines, batch)]
        if not pairs:
            batch.left_out["no_relative"] += 1
        pairs.sort(key=lambda pair: (pair.turn, draw(pair.bad.pk, seed=batch.parameters.seed)))
        count = 0
        for pair in pairs:
            if count >= batch.parameters.pairs_max:
                batch.left_out["pairs_max"] += 1
            elif row := _row(pair, batch):
                count += 1
                yield row


class Pair(NamedTuple):
    """An incorrect and a correct episode to splice.

    ``common`` is the last step that both share, and ``bad_step`` the last step taken from the incorrect
    episode. ``turn`` numbers the pairs of that episode from 0.
    """

    bad: Episode
    good: Episode
    common: int
    bad_step: int
    revision: Revision
    turn: int


def _pairs(tree: Sequence[Episode], lines: Lines, batch: Batch) -> Iterator[Pair]:
    """Pair each incorrect episode with the correct ones that diverge from it latest, before its bad step."""
    good, bad = ([one for one in tree if read_outcome(one) == outcome] for outcome in (CORRECT, INCORRECT))
    for episode in bad if good else []:
        revision = _revision(episode, batch)
        if revision is None:
            batch.left_out["no_revision"] += 1
            continue
        last = Step.objects.filter(episode=episode).order_by("-index").values_list("index", flat=True).first()
        # Nothing was shown after the last step, so a revision thought cannot follow it.
        bad_step = min(revision.step or (last or 1) - 1, (last or 1) - 1)
        shared = [(lines.common(episode.pk, one.pk), one) for one in good]
        apart = [(common, one) for common, one in shared if common is not None and common < bad_step]
        if not apart:
            batch.left_out["no_bad_step"] += 1
        closest = heapq.nsmallest(
            batch.parameters.pairs_max,
            apart,
            key=lambda pair: (-pair[0], draw(pair[1].pk, seed=batch.parameters.seed)),
        )
        for turn, (common, one) in enumerate(closest):
            yield Pair(episode, one, common, bad_step, revision, turn)


def _revision(bad: Episode, batch: Batch) -> Revision | None:
    """Return the revision thought that names the episode, else one drawn from those that name no episode."""
    revisions = batch.parameters.revisions
    if own := [revision for revision in revisions if revision.episode == bad.pk]:
        return own[0]
    free = [revision for revision in revisions if revision.episode is None]
    place = int.from_bytes(draw(bad.pk, seed=batch.parameters.seed)[:8])
    return free[place % len(free)] if free else None


def _row(pair: Pair, batch: Batch) -> Row | None:
    """Return a pair's row.

    Returns None and counts the reason if the page, a weight or a conversation is missing.
    """
    weight = batch.episode_weight(pair.good.pk)
    bad, good = (whole_conversation(batch, episode) for episode in (pair.bad, pair.good))
    page = read_page_before(pair.good, pair.common + 1)
    if page is None:
        batch.left_out["no_page"] += 1
    if weight is None or bad is None or good is None or page is None:
        return None
    failed, first = _place(bad, pair.bad_step + 1), _place(good, pair.common + 1)
    prompt = bad.prompt_before(failed)
    revised: list[Message] = [{"role": ASSISTANT, "content": pair.revision.text}, page]
    completion = [*revised, *good.messages[good.prompts[first].length :]]
    values = read_episode_values(pair.good)
    return {
        **{name: values[name] for name in SHARED},
        "good_episode": pair.good.pk,
        "bad_episode": pair.bad.pk,
        "bad_reason": pair.bad.verdict.reason if pair.bad.verdict else None,
        "guidance": pair.bad.guidance,  # because the prompt is the incorrect episode's
        "good_guidance": pair.good.guidance,
        "common_step": pair.common,
        "bad_step": pair.bad_step,
        **training_messages(prompt=prompt, completion=completion),
        "loss": [False] * len(prompt) + [message["role"] == ASSISTANT for message in completion],
        "exact": bad.prompts[failed].is_exact and all(prompt.is_exact for prompt in good.prompts[first:]),
        WEIGHT: weight,
    }


def _place(conversation: Conversation, step: int) -> int:
    return next(place for place, prompt in enumerate(conversation.prompts) if prompt.step == step)


ENDLESS = 2**31  # an episode holds all of its own steps, whatever their number


class Lines:
    """The lines of ancestors of a task's episodes, each from a fork up to its root."""

    def __init__(self, task_id: int) -> None:
        forks = Episode.objects.filter(task=task_id, parent__isnull=False)
        rows = forks.values_list("pk", "parent_id", "begins_after")
        self._parents = {fork: (parent, after) for fork, parent, after in rows}
        self._known: dict[int, dict[int, int]] = {}

    def of(self, episode_id: int) -> dict[int, int]:
        """Return the episodes that hold an episode's steps, each with the last step that it contributes.

        The episode itself comes first, and its root last. A deleted parent ends the line.
        """
        if (known := self._known.get(episode_id)) is not None:
            return known
        line = self._known[episode_id] = {episode_id: ENDLESS}
        last = ENDLESS
        while episode_id in self._parents:
            episode_id, after = self._parents[episode_id]
            last = min(last, after)
            line[episode_id] = last
        return line

    def root(self, episode_id: int) -> int:
        """Return the root of an episode's line, which is the earliest ancestor that exists."""
        return next(reversed(self.of(episode_id)))

    def common(self, one: int, other: int) -> int | None:
        """Return the last step that two episodes share, or None if they belong to different trees."""
        line, others = self.of(one), self.of(other)
        for episode_id, last in line.items():
            if episode_id in others:
                return min(last, others[episode_id])
        return None


def group_by_root(episodes: Sequence[Episode], lines: Lines) -> dict[int, list[Episode]]:
    """Group episodes by the root of their tree, keeping their order."""
    trees: dict[int, list[Episode]] = {}
    for episode in episodes:
        trees.setdefault(lines.root(episode.pk), []).append(episode)
    return trees
