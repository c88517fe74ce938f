"""The export of episode rewards: their components, and what a reward profile pays for them."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import to_builtins

from palaestra.protocol.outcomes import JUDGED
from trajectories.exports.chats import EPISODE_COLUMNS, read_episode_values, read_episodes
from trajectories.exports.registry import export_kind
from trajectories.exports.types import WEIGHT, Batch, Row
from trajectories.models import Run
from trajectories.record.projects import EVERYTHING
from trajectories.rewards.profiles.store import check_may_pay, payable, profile_get
from trajectories.rewards.selectors import rewards_of


@export_kind(
    "rewards",
    title="Rewards in parts",
    description="A row per episode with its reward components, and what a reward profile pays for them in "
    "total, by term and by step. The total is null if the verdict is void or a component that the profile "
    "uses could not be computed. `may_pay` gives whether judges' grades and learned rewards may be paid in "
    "a training run.",
    unit="episode",
    columns={
        **EPISODE_COLUMNS,
        "profile": "text",
        "total": "number",
        "terms": "json",
        "components": "json",
        "steps": "json",
        "sources": "json",
        "may_pay": "json",
        WEIGHT: "number",
    },
    outcomes=JUDGED,
    options=("reward_profile",),
)
def rows(batch: Batch) -> Iterator[Row]:
    episodes = list(read_episodes(batch))
    named = profile_get(batch.parameters.reward_profile, viewer=EVERYTHING)
    # Check again, because runs may have been added and measurements may have changed since the request.
    if any(episode.run.kind == Run.Kind.TRAIN for episode in episodes):
        check_may_pay(named.profile, viewer=EVERYTHING)
    paid = rewards_of([episode.pk for episode in episodes], named=named)
    may_pay = payable({name for rewards in paid.values() for name in rewards.components})
    for episode in episodes:
        weight = batch.episode_weight(episode.pk)
        if weight is not None:
            rewards = paid[episode.pk]
            yield {
                **read_episode_values(episode),
                **to_builtins(rewards),
                "may_pay": {name: may_pay[name] for name in rewards.components if name in may_pay},
                WEIGHT: weight,
            }
