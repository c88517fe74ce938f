"""How an episode ended, beside its last step."""

from __future__ import annotations

from dataclasses import dataclass

from trajectories.lab.compare import selectors
from trajectories.lab.queries import episodes
from trajectories.lab.text.values import Value, fields_of, values_of
from trajectories.models import Episode, Submission


@dataclass(frozen=True, kw_only=True)
class Ending:
    """``values`` are the answers under the names of their fields, where the task has any."""

    submission: Submission | None
    answers: list[str]
    values: list[Value]


def ending_told(episode: Episode) -> Ending | None:
    """None while it is under way."""
    if episode.finished_at is None:
        return None
    submission = episodes.episode_submission(episode)
    if submission is None:
        return Ending(submission=None, answers=[], values=[])
    return Ending(
        submission=submission,
        answers=selectors.answer_list(submission.answer),
        values=values_of(fields_of(episode.task), given=submission.answer),
    )
