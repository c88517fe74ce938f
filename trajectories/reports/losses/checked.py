"""Real lost episodes whose class was given by reading them, to measure how often the rules are right.

``checked.jsonl`` has what the rules read of each; lines that several observations share stand there once. All
are of items of the gym's own.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec
from msgspec import Struct

from trajectories.reports.losses.rules import LostEpisode, loss_of
from trajectories.reports.losses.scores import Score, SetName, scores_of


class Checked(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An episode, the class that its reader gave it (``label``), and in which set it is."""

    label: str
    set: SetName
    model: str
    benchmark: str
    arm: str
    episode: LostEpisode


@cache
def checked() -> list[Checked]:
    lines = Path(__file__).with_name("checked.jsonl").read_bytes().splitlines()
    return [msgspec.json.decode(line, type=Checked) for line in lines]


def scores(name: SetName) -> list[Score]:
    """Of each class, on the episodes of one set."""
    return scores_of([(one.label, loss_of(one.episode).id) for one in checked() if one.set == name])
