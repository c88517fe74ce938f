"""Samplers, which choose a training run's next tasks, with their stored choices and reasons."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now


class Sampler(models.Model):
    """A sampler; ``position`` is the point in the run's verdict stream up to which it has counted results."""

    run = models.ForeignKey(
        "trajectories.Run", on_delete=models.CASCADE, related_name="samplers", db_index=False
    )
    plan = models.JSONField()  # trajectories/rollouts/samplers/plans.py
    filters = models.JSONField()  # The filters that select its tasks, as the call gave them.
    # The splits of its tasks; keys that may not see all of them see none of its draws.
    splits = ArrayField(models.CharField(max_length=200))
    seed = models.BigIntegerField()
    size = models.PositiveIntegerField()  # The number of tasks.
    position = models.PositiveBigIntegerField(default=0)
    draws = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(db_default=Now())
    created_by = models.ForeignKey("trajectories.ApiKey", on_delete=models.SET_NULL, null=True)

    class Meta:
        indexes = [models.Index(fields=["run", "id"], name="sampler_run_order")]

    def __str__(self) -> str:
        return f"sampler {self.pk}"


class SamplerTask(models.Model):
    """A sampler's state for one of its tasks: weighted results, and how often it was drawn."""

    pk = models.CompositePrimaryKey("sampler_id", "task_id")
    sampler = models.ForeignKey(Sampler, on_delete=models.CASCADE, related_name="tasks", db_index=False)
    task = models.ForeignKey(
        "tasks_app.Task", on_delete=models.PROTECT, related_name="+", db_index=False, db_constraint=False
    )
    difficulty = models.FloatField(null=True)
    steps = models.PositiveIntegerField()  # The step budget, unless the draw gives another.
    correct = models.FloatField(db_default=0)  # Weighted by recency, like ``incorrect``.
    incorrect = models.FloatField(db_default=0)
    judged = models.PositiveIntegerField(db_default=0)  # The unweighted number of judged episodes.
    failures = models.PositiveIntegerField(db_default=0)  # Judged episodes since the last success.
    longest = models.PositiveIntegerField(db_default=0)  # Steps of the longest success, if the plan needs it.
    drawn = models.PositiveIntegerField(db_default=0)

    def __str__(self) -> str:
        return f"task {self.task_id} of sampler {self.sampler_id}"


class SamplerPrefix(models.Model):
    """Results of starting after the first ``steps`` of a task's solution.

    Samplers that search for the shortest helpful prefix keep these.
    """

    pk = models.CompositePrimaryKey("sampler_id", "task_id", "steps")
    sampler = models.ForeignKey(Sampler, on_delete=models.CASCADE, related_name="prefixes", db_index=False)
    task = models.ForeignKey(
        "tasks_app.Task", on_delete=models.PROTECT, related_name="+", db_index=False, db_constraint=False
    )
    steps = models.PositiveIntegerField()
    judged = models.PositiveIntegerField()
    correct = models.PositiveIntegerField()

    def __str__(self) -> str:
        return f"first {self.steps} steps of task {self.task_id} in sampler {self.sampler_id}"


class SamplerDraw(models.Model):
    sampler = models.ForeignKey(Sampler, on_delete=models.CASCADE, related_name="made", db_index=False)
    number = models.PositiveIntegerField()  # Counted from 1.
    position = models.PositiveBigIntegerField()  # How much of the verdict stream the draw took into account.
    policy_version = models.PositiveIntegerField(null=True)  # The run's newest version at the time.
    items = models.JSONField()
    summary = models.JSONField()
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["sampler", "number"], name="sampler_draw_number")]

    def __str__(self) -> str:
        return f"draw {self.number}"
