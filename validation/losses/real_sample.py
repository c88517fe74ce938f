"""Real lost episodes classified by readers, to measure how often the rules are right.

``real_sample.jsonl`` has the parts of each episode that the rules read; a line that several observations
share is stored once. All episodes are on the gym's own items.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec
from msgspec import Struct

from trajectories.reports.losses.rules import LostEpisode, loss_of
from validation.losses.scores import Score, SetName, scores_of


class ClassedEpisode(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An episode, the class that its reader assigned (``label``), and the set that it belongs to."""

    label: str
    set: SetName
    model: str
    benchmark: str
    arm: str
    episode: LostEpisode


@cache
def classed_episodes() -> list[ClassedEpisode]:
    lines = Path(__file__).with_name("real_sample.jsonl").read_bytes().splitlines()
    return [msgspec.json.decode(line, type=ClassedEpisode) for line in lines]


def scores(name: SetName) -> list[Score]:
    """Score each class on the episodes of one set."""
    return scores_of([(one.label, loss_of(one.episode).id) for one in classed_episodes() if one.set == name])
