"""The export of step rewards: rewards that harnesses posted, milestones, and the verdict's reward."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from palaestra.protocol.outcomes import JUDGED
from tasks_app import kinds
from trajectories.exports.chats import EPISODE_COLUMNS, read_episode_values, read_episodes
from trajectories.exports.registry import export_kind
from trajectories.exports.types import WEIGHT, Batch, Row
from trajectories.models import Step
from trajectories.models.access import Scope
from trajectories.record.api.auth import Principal
from trajectories.rollouts.episodes.retrieval import selectors

READER = Principal(key_id=0, name="export", scopes=frozenset({Scope.READ}), splits=frozenset(), project=None)


@export_kind(
    "step_rewards",
    title="Step rewards",
    description="A row per step with the rewards that were posted with it and the milestones that were first "
    "reached in it, by name. `reward` is the reward of the whole episode, or null if its verdict is void.",
    unit="episode",
    columns={
        **EPISODE_COLUMNS,
        "step": "integer",
        "steps": "integer",
        "action_type": "text",
        "action_result": "text",
        "rewards": "json",
        WEIGHT: "number",
    },
    outcomes=JUDGED,
)
def rows(batch: Batch) -> Iterator[Row]:
    episodes = list(read_episodes(batch))
    fields = ("episode_id", "index", "action_type", "action_result", "more__rewards")
    steps: dict[int, list[dict[str, Any]]] = {episode.pk: [] for episode in episodes}
    for step in (
        Step.objects.filter(episode_id__in=list(steps)).order_by("episode_id", "index").values(*fields)
    ):
        steps[step["episode_id"]].append(step)
    milestones = _milestones(
        [episode.pk for episode in episodes if episode.task.kind == kinds.SITE and episode.has_page]
    )
    for episode in episodes:
        shared = read_episode_values(episode)
        for step in steps[episode.pk]:
            weight = batch.step_weight(episode.pk, step["index"])
            if weight is None:
                continue
            reached = milestones.get((episode.pk, step["index"]))
            yield {
                **shared,
                "step": step["index"],
                "steps": len(steps[episode.pk]),
                "action_type": step["action_type"] or None,
                "action_result": step["action_result"] or None,
                "rewards": reached or step["more__rewards"] or {},
                WEIGHT: weight,
            }


def _milestones(episodes: list[int]) -> dict[tuple[int, int], dict[str, float]]:
    """Read the step rewards of episodes on mock sites, by episode and step.

    They include milestones, which are computed whenever a trajectory is read.
    """
    rewards: dict[tuple[int, int], dict[str, float]] = {}
    for line in selectors.write_trajectory_lines(episode_ids=episodes, principal=READER):
        trajectory = msgspec.json.decode(line)
        for step in trajectory["steps"]:
            if step.get("rewards"):
                rewards[trajectory["id"], step["index"]] = step["rewards"]
    return rewards
