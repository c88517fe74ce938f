"""The most and the least harmful look of each page arm, each with a screenshot of an episode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trajectories.models import Step
from trajectories.reports.labels import arm_label
from trajectories.reports.pages.tables import table_get, text_of
from trajectories.shell.queries.steps import HAS_PICTURE


@dataclass(frozen=True, kw_only=True)
class LookPicture:
    """The most or the least harmful look of an arm.

    ``rank`` is "most harmful" or "least harmful". ``effect`` is in points, compared with all looks of the
    same items. ``screenshot`` is the hash of the picture at ``step``, which is None if no picture was taken.
    """

    rank: str
    place: str
    look: str
    accuracy: str
    effect: str
    episode: int
    step: int | None
    screenshot: str


def look_pictures(result: Mapping[str, Any] | None) -> list[LookPicture]:
    """List the looks in the order of their table, or return an empty list if none of them has a picture."""
    table = table_get(result, "looks")
    rows = [row for row in table["rows"] if row.get("rank")] if table else []
    steps = _steps([row["episode"] for row in rows])
    if not steps:
        return []
    return [
        LookPicture(
            rank=row["rank"],
            place=f"{row['benchmark']}, {arm_label(row['arm'])}",
            look=row["look"],
            accuracy=text_of(row["mean"], "%"),
            effect=text_of(row["effect"], "points"),
            episode=row["episode"],
            step=step,
            screenshot=screenshot,
        )
        for row in rows
        for step, screenshot in [steps.get(row["episode"], (None, ""))]
    ]


def _steps(episodes: Sequence[int]) -> dict[int, tuple[int, str]]:
    """Return each episode's first step with a picture, and the picture's hash."""
    steps = Step.objects.filter(HAS_PICTURE, episode_id__in=episodes).order_by("episode_id", "-index")
    return {
        episode: (index, sha)
        for episode, index, sha in steps.values_list("episode_id", "index", "screenshot")
    }
