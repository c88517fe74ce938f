"""The attempts at one task, by arm and run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trajectories.models import Episode, Run, Submission

ATTEMPTS_SHOWN = 500


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """One episode: how it ended (or its status), and what it answered."""

    episode: Episode
    answer: str

    @property
    def state(self) -> str:
        return self.episode.verdict.outcome if self.episode.verdict else self.episode.status


@dataclass(frozen=True, kw_only=True)
class Attempts:
    """Those of one run in one arm, newest first."""

    arm: str
    run: Run
    attempts: Sequence[Attempt]

    @property
    def correct(self) -> int:
        return sum(one.state == "correct" for one in self.attempts)

    @property
    def judged(self) -> int:
        return sum(one.state in ("correct", "incorrect") for one in self.attempts)


def attempts_of(*, task_id: int) -> list[Attempts]:
    """Group a task's newest attempts by arm and run, in that order, the newest first."""
    episodes = list(
        Episode.objects.filter(task_id=task_id)
        .select_related("run", "verdict")
        .only("arm", "status", "run__name", "run__model", "run__simulated", "verdict__outcome")
        .order_by("-id")[:ATTEMPTS_SHOWN]
    )
    answers = {
        one.pk: " ".join(one.answers)
        for one in Submission.objects.filter(episode_id__in=[episode.pk for episode in episodes]).only(
            "answer"
        )
    }
    groups: dict[tuple[str, int], list[Episode]] = {}
    for episode in episodes:
        groups.setdefault((episode.arm, -episode.run_id), []).append(episode)
    return [
        Attempts(
            arm=arm,
            run=of[0].run,
            attempts=[Attempt(episode=one, answer=answers.get(one.pk, "")) for one in of],
        )
        for (arm, _), of in sorted(groups.items())
    ]
