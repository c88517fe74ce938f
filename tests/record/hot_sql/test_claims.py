"""Claims: who may judge a submission, and with which gold."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from tests import factories
from trajectories.models import Episode, Submission
from trajectories.record import hot_sql

pytestmark = pytest.mark.django_db

CLAIMS_MAX = 3
LOST_S = 60.0


def claim(episode: Episode) -> hot_sql.Claim | None:
    return hot_sql.submission_claim(episode_id=episode.pk, claims_max=CLAIMS_MAX, lost_s=LOST_S)


def submitted() -> Episode:
    episode = factories.episode()
    factories.submission(episode)
    return episode


def test_a_claim_that_is_worked_on_is_nobody_elses() -> None:
    episode = submitted()
    assert claim(episode) is not None
    assert claim(episode) is None


def test_a_lost_claim_can_be_made_again_until_all_are_used_up() -> None:
    episode = submitted()
    for _ in range(CLAIMS_MAX):
        assert claim(episode) is not None
        lost_at = timezone.now() - timedelta(seconds=LOST_S + 1)
        Submission.objects.filter(episode=episode).update(claimed_at=lost_at)
    assert claim(episode) is None


def test_a_judged_submission_cannot_be_claimed() -> None:
    episode = submitted()
    hot_sql.finish_many(
        run_id=episode.run_id,
        endings=[hot_sql.Ending(episode=episode.pk, outcome="correct", reason="answer")],
        statuses=["submitted"],
    )
    assert Submission.objects.get(episode=episode).judged_at is not None
    assert claim(episode) is None


def test_golds_are_claimed_under_the_labels_that_the_episode_showed() -> None:
    choices = [{"label": label, "text": label} for label in "ABC"]
    task = factories.task(kind="choice", payload={"text": "Which?", "choices": choices}, answer="A")
    task.golds.update(accepted=["C"], extra={"options": ["A", "B", "C"]})
    # Shown first is what the task has last.
    episode = factories.episode(task=task, variation={"order": [2, 0, 1]})
    factories.submission(episode, "A")
    claimed = claim(episode)
    assert claimed is not None
    assert (claimed.gold_answer, claimed.gold_accepted) == ("B", ["A"])
    shown = {"A": "C", "B": "A", "C": "B"}
    assert claimed.gold_extra == {"choices": shown, "options": ["C", "A", "B"]}
