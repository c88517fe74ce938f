"""Submissions, verdicts and their evidence."""

from __future__ import annotations

from functools import reduce
from operator import or_

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from palaestra.protocol import outcomes


def parts_of(answer: str | list[str]) -> list[str]:
    """Return an answer as a list, whether it has one part or several."""
    return [str(part) for part in (answer if isinstance(answer, list) else [answer])]


class Submission(models.Model):
    """An answer as it was received, written once. Its last columns are the judging queue."""

    episode = models.OneToOneField("trajectories.Episode", on_delete=models.CASCADE, primary_key=True)
    answer = models.JSONField()  # A string, or a list of strings.
    channel = models.CharField(max_length=8)
    received_at = models.DateTimeField(db_default=Now())
    sent_at = models.DateTimeField(null=True)
    sends = models.PositiveSmallIntegerField(db_default=0)
    claimed_at = models.DateTimeField(null=True)
    # The key of the worker's lock (judging/worker_locks.py).
    claimed_by = models.PositiveIntegerField(null=True)
    claims = models.PositiveSmallIntegerField(db_default=0)
    judged_at = models.DateTimeField(null=True)

    class Meta:
        # For the judging queue (judging/sql/submissions_*.sql).
        indexes = [
            models.Index(
                fields=["sent_at", "episode"], name="submission_waiting", condition=Q(judged_at__isnull=True)
            )
        ]

    def __str__(self) -> str:
        return f"submission of episode {self.episode_id}"

    @property
    def answers(self) -> list[str]:
        """The answer as a list, whether it has one part or several."""
        return parts_of(self.answer)


class FirstAnswer(models.Model):
    """A first answer whose check was requested, written once.

    If a second answer follows, that one is the submission; otherwise the first answer is.
    """

    episode = models.OneToOneField(
        "trajectories.Episode", on_delete=models.CASCADE, primary_key=True, related_name="first_answer"
    )
    answer = models.JSONField()  # A string, or a list of strings.
    channel = models.CharField(max_length=8)
    # The number of the last site event before the answer, which identifies the site's state at that time.
    site_events = models.PositiveIntegerField()
    received_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"first answer of episode {self.episode_id}"

    @property
    def answers(self) -> list[str]:
        """The answer as a list, whether it has one part or several."""
        return parts_of(self.answer)


def _has_its_reward(outcome: outcomes.Outcome) -> Q:
    reward = outcomes.REWARDS[outcome]
    if reward is None:
        return Q(outcome=outcome, reward__isnull=True)
    # A comparison with null yields null, which a check constraint accepts.
    return Q(outcome=outcome, reward=reward, reward__isnull=False)


class Verdict(models.Model):
    class Outcome(models.TextChoices):
        CORRECT = outcomes.CORRECT, "Correct"
        INCORRECT = outcomes.INCORRECT, "Incorrect"
        VOID = outcomes.VOID, "Void"

    episode = models.ForeignKey(
        "trajectories.Episode", on_delete=models.CASCADE, related_name="verdicts", db_index=False
    )
    run = models.ForeignKey(
        "trajectories.Run", on_delete=models.CASCADE, related_name="verdicts", db_index=False
    )
    # The position in the run's verdict stream; null if the episode was judged again.
    run_seq = models.PositiveBigIntegerField(null=True)
    outcome = models.CharField(max_length=16, choices=Outcome)
    reward = models.FloatField(null=True)
    reason = models.CharField(max_length=32)
    terminated = models.BooleanField()
    truncated = models.BooleanField()
    score = models.FloatField(null=True)
    metrics = models.JSONField(default=dict)
    verifier = models.CharField(max_length=64, default="", blank=True)  # Empty if no verifier ran.
    gold_version = models.PositiveIntegerField(null=True)
    official = models.JSONField(null=True)
    latency_ms = models.FloatField(null=True)  # The time from the submission's arrival to this row.
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        # For reading endings in order of time (facts/sql/after.sql, fidelity/sql/after.sql). Verdicts are
        # only ever inserted, so this index costs less than one on the episodes' ends.
        indexes = [
            models.Index(
                fields=["created_at", "episode"], name="verdict_endings", condition=Q(run_seq__isnull=False)
            )
        ]
        constraints = [
            models.UniqueConstraint(fields=["run", "run_seq"], name="verdict_stream_place"),
            models.UniqueConstraint(
                fields=["episode", "verifier", "gold_version"], name="verdict_once", nulls_distinct=False
            ),
            models.CheckConstraint(
                condition=reduce(or_, map(_has_its_reward, (outcomes.VOID, *outcomes.JUDGED))),
                name="verdict_reward_null_iff_void",
            ),
            models.CheckConstraint(condition=~Q(terminated=True, truncated=True), name="verdict_one_ending"),
        ]

    def __str__(self) -> str:
        return f"{self.outcome} ({self.reason})"


class VerdictEvidence(models.Model):
    """The basis of a verdict. It contains parsed golds, so the arena's database role cannot read it."""

    verdict = models.OneToOneField(
        Verdict, on_delete=models.CASCADE, primary_key=True, related_name="evidence"
    )
    data = models.JSONField()

    def __str__(self) -> str:
        return f"evidence of verdict {self.verdict_id}"
