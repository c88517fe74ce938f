"""The scores of tool calls in one arm's episodes, with rates and their intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np

from palaestra.protocol.outcomes import VOID
from tasks_app.tool_tasks.rates import Part, Rates, compute_rates
from tasks_app.tool_tasks.scores import Score
from trajectories.reports.analysis import Analysis
from trajectories.reports.arm_data import Episodes
from trajectories.reports.estimators.answers import Estimate
from trajectories.reports.estimators.ratios import Parts, ratio
from trajectories.reports.ladder import ArmKey
from trajectories.rewards.store import readings_of
from trajectories.rewards.types import score_read

CHUNK = 500


@dataclass(frozen=True)
class ArmToolScores:
    """The ``scores`` of tool calls in an arm's judged ``episodes``, one per episode and in their order."""

    analysis: Analysis
    key: ArmKey
    episodes: Episodes
    scores: list[Score]

    @cached_property
    def rates(self) -> Rates:
        return compute_rates(self.scores)

    def estimate(self, part: Callable[[Score], Part]) -> Estimate:
        """Return the estimate of a rate, to which ``part`` gives each episode's contribution."""
        parts = np.array([part(score) for score in self.scores], dtype=np.float64).reshape(-1, 2)
        sides = Parts(
            item=self.episodes.item, look=self.episodes.look, counted=parts[:, 0], among=parts[:, 1]
        )
        return ratio(sides, alpha=self.analysis.alpha)

    def counting(self, part: Callable[[Score], Part]) -> list[int]:
        """Return the ids of the episodes that contribute to the count of a rate."""
        ids = self.episodes.episode.tolist()
        return [episode for episode, score in zip(ids, self.scores, strict=True) if part(score).counted]


def scores_read(analysis: Analysis, key: ArmKey) -> ArmToolScores:
    made = analysis.data.episodes(key, analysis.items)
    made = made.where(made.outcome >= 0)
    scores = dict(_scores(iter(made.episode.tolist())))
    made = made.where(np.isin(made.episode, list(scores)))
    return ArmToolScores(analysis, key, made, [scores[episode] for episode in made.episode.tolist()])


def _scores(episodes: Iterator[int]) -> Iterator[tuple[int, Score]]:
    """Yield the scores of episodes, read in chunks because each comes with its steps and events."""
    while chunk := list(islice(episodes, CHUNK)):
        for reading in readings_of(chunk):
            if reading.outcome != VOID and (score := score_read(reading)) is not None:
                yield reading.episode, score
