"""A sampler chooses a training run's next tasks; its choices and their reasons are stored."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now


class Sampler(models.Model):
    """``position`` is the place in the run's verdict stream up to which results have been counted."""

    run = models.ForeignKey(
        "trajectories.Run", on_delete=models.CASCADE, related_name="samplers", db_index=False
    )
    plan = models.JSONField()  # trajectories/rollouts/samplers/plans.py
    filters = models.JSONField()  # which tasks, as the call named them
    splits = ArrayField(models.CharField(max_length=200))  # of its tasks: who may not see one sees no draw
    seed = models.BigIntegerField()
    size = models.PositiveIntegerField()  # tasks
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
    steps = models.PositiveIntegerField()  # its step budget unless the draw gives another
    correct = models.FloatField(db_default=0)  # weighted by recency, as is the next
    incorrect = models.FloatField(db_default=0)
    judged = models.PositiveIntegerField(db_default=0)  # episodes, each counted once
    failures = models.PositiveIntegerField(db_default=0)  # judged episodes since its last success
    longest = models.PositiveIntegerField(db_default=0)  # steps of its longest success, if the plan needs it
    drawn = models.PositiveIntegerField(db_default=0)

    def __str__(self) -> str:
        return f"task {self.task_id} of sampler {self.sampler_id}"


class SamplerPrefix(models.Model):
    """Results of starting from the first steps of a task's solution, in samplers that search for the shortest
    prefix.
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
    number = models.PositiveIntegerField()  # from 1
    position = models.PositiveBigIntegerField()  # how much of the verdict stream it knew
    policy_version = models.PositiveIntegerField(null=True)  # the run's newest
    items = models.JSONField()
    summary = models.JSONField()
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["sampler", "number"], name="sampler_draw_number")]

    def __str__(self) -> str:
        return f"draw {self.number}"
