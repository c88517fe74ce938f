"""The export of transitions (s, a, r, s', done) with the hashes of the observations."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from palaestra.protocol.outcomes import JUDGED
from trajectories.exports.chats import EPISODE_COLUMNS, read_episode_values, read_episodes
from trajectories.exports.registry import export_kind
from trajectories.exports.types import WEIGHT, Batch, Row
from trajectories.models import Episode, Step

FIELDS = (
    "episode_id",
    "index",
    "observation_kind",
    "observation_text",
    "observation_sha256",
    "screenshot",
    "action",
    "action_result",
    "actor",
    "policy_version",
)


@export_kind(
    "transitions",
    title="Transitions",
    description="A row per step with its observation, action, reward, next observation and whether the "
    "episode is done. Observations have the SHA-256 of their text and of their screenshot. All rewards of a "
    "void episode are null.",
    unit="episode",
    columns={
        **EPISODE_COLUMNS,
        "step": "integer",
        "observation_kind": "text",
        "observation": "text",
        "observation_sha256": "text",
        "screenshot_sha256": "text",
        "action": "json",
        "action_result": "text",
        "actor": "text",
        "next_observation_sha256": "text",
        "next_screenshot_sha256": "text",
        "done": "truth",
        "terminated": "truth",
        "truncated": "truth",
        "return": "number",
        WEIGHT: "number",
    },
    outcomes=JUDGED,
)
def rows(batch: Batch) -> Iterator[Row]:
    episodes = {episode.pk: episode for episode in read_episodes(batch)}
    steps = Step.objects.filter(episode_id__in=list(episodes)).order_by("episode_id", "index")
    for episode_id, of_episode in groupby(steps.values(*FIELDS), key=lambda step: step["episode_id"]):
        yield from _transitions(episodes[episode_id], list(of_episode), batch)


def _transitions(episode: Episode, steps: list[dict[str, Any]], batch: Batch) -> Iterator[Row]:
    """Yield an episode's transitions. The last step gets the verdict's reward, and the others get 0."""
    shared = read_episode_values(episode)
    verdict = episode.verdict
    final = shared.pop("reward")
    hashes = [_hashes(step) for step in steps] + [(None, None)]
    for place, step in enumerate(steps):
        weight = batch.step_weight(episode.pk, step["index"])
        if weight is None:
            continue
        is_last = place == len(steps) - 1
        yield {
            **shared,
            "step": step["index"],
            "observation_kind": step["observation_kind"] or None,
            "observation": step["observation_text"] or None,
            "observation_sha256": hashes[place][0],
            "screenshot_sha256": hashes[place][1],
            "action": step["action"],
            "action_result": step["action_result"] or None,
            "actor": step["actor"],
            "policy_version": step["policy_version"] or shared["policy_version"],
            "reward": final if is_last or final is None else 0.0,
            "next_observation_sha256": hashes[place + 1][0],
            "next_screenshot_sha256": hashes[place + 1][1],
            "done": is_last,
            "terminated": is_last and bool(verdict and verdict.terminated),
            "truncated": is_last and bool(verdict and verdict.truncated),
            "return": final,
            WEIGHT: weight,
        }


def _hashes(step: dict[str, Any]) -> tuple[str | None, str | None]:
    """Return the hashes of a step's observation and of its screenshot, each None if there is none.

    The observation's hash is of its text or, if the text is stored as a blob, of that blob.
    """
    text = step["observation_text"]
    sha256 = hashlib.sha256(text.encode()).hexdigest() if text else step["observation_sha256"] or None
    return sha256, step["screenshot"] or None
