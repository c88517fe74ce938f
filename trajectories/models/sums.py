"""Sums over a run's verdicts, so that reads need not count its episodes.

The statements that write verdicts update the sums too (``hot_sql/sql/sums.sql``), under the lock of the run's
verdict counter. The sums count the current verdict of every ended episode; ``manage.py rebuild_sums``
recomputes them.
"""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models

from core.episodes.arms import arm_choices


class EndingSum(models.Model):
    """The number of episodes with the same arm, policy version, outcome and end reason."""

    run = models.ForeignKey(
        "trajectories.Run", on_delete=models.CASCADE, related_name="ending_sums", db_index=False
    )
    arm = models.CharField(max_length=16, choices=arm_choices)
    policy_version = models.PositiveIntegerField(null=True)
    is_plain = models.BooleanField()
    outcome = models.CharField(max_length=16)
    reason = models.CharField(max_length=32)
    # Here and below, fields are not declared "positive", because an upsert checks the row of changes, which
    # may be negative, before it is added to the stored row.
    episodes = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "arm", "policy_version", "is_plain", "outcome", "reason"],
                name="ending_sum_once",
                nulls_distinct=False,
            )
        ]

    def __str__(self) -> str:
        return f"{self.episodes} {self.outcome} ({self.reason})"


class Scope(models.TextChoices):
    """The kind of part over which rates are computed: a run, an arm or a policy version.

    The column ``part`` names the arm or the policy version.
    """

    RUN = "run"
    ARM = "arm"
    VERSION = "version"


class TaskSum(models.Model):
    """Counts of a task's correct and judged episodes in one part of a run; only plain episodes count."""

    # The key keeps the rows of a part together, since paired tasks read all rows of a scope
    # (reports/sql/pairs.sql).
    pk = models.CompositePrimaryKey("run_id", "scope", "part", "task_id")
    run = models.ForeignKey(
        "trajectories.Run", on_delete=models.CASCADE, related_name="task_sums", db_index=False
    )
    task = models.ForeignKey(
        "tasks_app.Task", on_delete=models.PROTECT, related_name="+", db_index=False, db_constraint=False
    )
    scope = models.CharField(max_length=8, choices=Scope)
    part = models.CharField(max_length=16)  # An arm, a policy version, or empty for the whole run.
    correct = models.BigIntegerField()
    judged = models.BigIntegerField()

    def __str__(self) -> str:
        return f"{self.correct} of {self.judged}"


class RateSum(models.Model):
    """Sums over the tasks in one part of a run, from which a rate and its interval are computed."""

    pk = models.CompositePrimaryKey("run_id", "scope", "part")
    run = models.ForeignKey(
        "trajectories.Run", on_delete=models.CASCADE, related_name="rate_sums", db_index=False
    )
    scope = models.CharField(max_length=8, choices=Scope)
    part = models.CharField(max_length=16)
    tasks = models.BigIntegerField()
    correct = models.BigIntegerField()
    judged = models.BigIntegerField()
    correct_squared = models.BigIntegerField()
    correct_times_judged = models.BigIntegerField()
    judged_squared = models.BigIntegerField()

    def __str__(self) -> str:
        return f"{self.correct} of {self.judged} in {self.tasks} tasks"


class VersionSum(models.Model):
    """Sums of reward, behaviour and components over the tasks of one arm and policy version.

    Whatever writes a verdict, facts or components increments ``changes`` in the same transaction. The sums
    are brought up to date when training is read (``reports/training``), and are valid while
    ``summed_changes`` equals ``changes``.
    """

    run = models.ForeignKey(
        "trajectories.Run", on_delete=models.CASCADE, related_name="version_sums", db_index=False
    )
    arm = models.CharField(max_length=16, choices=arm_choices)
    policy_version = models.PositiveIntegerField()
    changes = models.BigIntegerField()
    summed_changes = models.BigIntegerField(null=True)
    sums = ArrayField(models.FloatField(), null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "arm", "policy_version"], name="version_sum_once")
        ]

    def __str__(self) -> str:
        return f"{self.arm}, version {self.policy_version}"
