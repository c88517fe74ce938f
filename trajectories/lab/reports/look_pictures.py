"""The most and the least harmful look of each page arm, each with a picture of an episode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trajectories.lab.queries.steps import HAS_PICTURE
from trajectories.lab.reports.labels import arm_label
from trajectories.lab.reports.tables import table_get, text_of
from trajectories.models import Step


@dataclass(frozen=True, kw_only=True)
class LookPicture:
    """``rank`` is "most harmful" or "least harmful"; ``step`` is None where no picture was taken."""

    rank: str
    place: str
    look: str
    accuracy: str
    episode: int
    step: int | None


def look_pictures(result: Mapping[str, Any] | None) -> list[LookPicture]:
    """In the order of the table of looks; none without one."""
    table = table_get(result, "looks")
    rows = [row for row in table["rows"] if row.get("rank")] if table else []
    steps = _steps([row["episode"] for row in rows])
    return [
        LookPicture(
            rank=row["rank"],
            place=f"{row['benchmark']}, {arm_label(row['arm'])}",
            look=row["look"],
            accuracy=text_of(row["mean"], "%"),
            episode=row["episode"],
            step=steps.get(row["episode"]),
        )
        for row in rows
    ]


def _steps(episodes: Sequence[int]) -> dict[int, int]:
    """Of each episode its first step with a picture."""
    steps = Step.objects.filter(HAS_PICTURE, episode_id__in=episodes).order_by("episode_id", "-index")
    return dict(steps.values_list("episode_id", "index"))
