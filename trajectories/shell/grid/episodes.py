"""Columns of the lists of episodes.

In ``sort``, ``e`` is the episode, ``r`` its run, ``t`` its task, ``v`` its verdict, ``a`` its facts and
``answer`` its submission, as in ``lab/search/conditions.toml``. A cell's ``row`` is an ``EpisodeRow``.
"""

from __future__ import annotations

from pathlib import Path

from trajectories.behaviour.facts.measures import MEASURES
from trajectories.shell.grid.columns import Column, load_list

MEASURE_COLUMNS = tuple(
    Column(
        id=measure.total_column,
        title=measure.title,
        cell=f"{{% measure_of row.facts.{measure.total_column} is_share={measure.is_share} %}}",
        sort=f"coalesce(a.{measure.total_column}, -1)",
        is_number=True,
        is_default=False,
        description=measure.explanation,
    )
    for measure in MEASURES
    if measure.title
)

# Default columns of a search for words, in which each row is a step whose thought matched.
MATCH_COLUMNS = ("episode", "thought", "task", "arm", "outcome", "steps", "run", "opened")

EPISODES = load_list(Path(__file__).with_name("episodes.toml"), *MEASURE_COLUMNS)
