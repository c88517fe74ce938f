"""Benchmarks, tasks and their golds."""

from __future__ import annotations

import math

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from core.database.text_key import TextKey
from tasks_app.task_words import TASK_WORDS

# See docs/decisions/0020-step-budgets.md.
STEPS_PER_ORACLE_STEP = 1.5
SPARE_STEPS = 5


class Benchmark(models.Model):
    """A set of tasks from one source. The row mirrors its plug-in so that tasks can refer to it."""

    id = TextKey(primary_key=True, max_length=64)
    title = models.CharField(max_length=200)
    kind = models.CharField(max_length=64)
    license = models.CharField(max_length=200)
    source = models.CharField(max_length=500)
    verifier_official = models.CharField(max_length=64)
    verifier_training = models.CharField(max_length=64)

    def __str__(self) -> str:
        return self.id


class Task(models.Model):
    """One problem: what to show and how to judge it.

    It contains nothing from which a gold could be computed.
    """

    benchmark = models.ForeignKey(Benchmark, on_delete=models.PROTECT, related_name="tasks", db_index=False)
    split = models.CharField(max_length=64)
    key = models.CharField(max_length=200)
    kind = models.CharField(max_length=64)
    prompt = models.TextField()
    payload = models.JSONField(default=dict)
    difficulty = models.FloatField(null=True)
    tags = ArrayField(models.CharField(max_length=100), default=list)
    guess_rate = models.FloatField(default=0.0)
    oracle_steps = models.PositiveSmallIntegerField(default=2)
    gap_eligible = models.BooleanField(default=True)
    gap_reason = models.CharField(max_length=200, default="", blank=True)
    content_hash = models.CharField(max_length=64)
    created_at = models.DateTimeField(db_default=Now())
    updated_at = models.DateTimeField(db_default=Now())
    changed_at = models.DateTimeField(null=True)  # when an import last changed what the task shows

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["benchmark", "split", "key"], name="task_identity"),
            models.CheckConstraint(
                condition=Q(difficulty__isnull=True) | Q(difficulty__gte=0, difficulty__lte=1),
                name="task_difficulty_0_1",
            ),
            models.CheckConstraint(
                condition=Q(guess_rate__gte=0, guess_rate__lte=1), name="task_guess_rate_0_1"
            ),
        ]
        indexes = [
            GinIndex(fields=["tags"], name="task_tags"),
            GinIndex(models.Func(template=TASK_WORDS), name="task_words"),
            models.Index(fields=["benchmark", "id"], name="task_by_benchmark"),
        ]

    def __str__(self) -> str:
        return f"{self.benchmark_id}/{self.split}/{self.key}"

    @property
    def max_steps(self) -> int:
        """Step budget of an agent that reads outlines: 1.5 times the scripted solution's steps plus five."""
        return max_steps_for(self.oracle_steps)


def max_steps_for(steps: float) -> int:
    """Return the step budget of a task whose scripted solution takes the given number of steps."""
    return math.ceil(STEPS_PER_ORACLE_STEP * steps) + SPARE_STEPS


class Gold(models.Model):
    """The reference answer. The arena's database role has no privileges on this table."""

    class Status(models.TextChoices):
        VALID = "valid"
        DISPUTED = "disputed"
        CORRECTED = "corrected"

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="golds", db_index=False)
    version = models.PositiveIntegerField()
    is_current = models.BooleanField(default=True)
    status = models.CharField(max_length=16, choices=Status, default=Status.VALID)
    answer = models.TextField()
    accepted = ArrayField(models.TextField(), default=list)
    solution = models.TextField(default="", blank=True)
    # The solution cut into steps (tasks_app/solutions); joined, they give the solution again.
    steps = ArrayField(models.TextField(), default=list, db_default=[])
    # Number of leading steps without the answer (tasks_app/leaks); null until it is first needed.
    clean_steps = models.PositiveIntegerField(null=True)
    extra = models.JSONField(default=dict)
    source = models.CharField(max_length=500, default="", blank=True)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["task", "version"], name="gold_version"),
            models.UniqueConstraint(fields=["task"], condition=Q(is_current=True), name="gold_one_current"),
            models.CheckConstraint(condition=Q(version__gte=1), name="gold_version_positive"),
        ]

    def __str__(self) -> str:
        return f"gold {self.version} of task {self.task_id}"


class QuestionPicture(models.Model):
    """A picture of a task's question, drawn from its page by ``manage.py draw_questions``."""

    task = models.OneToOneField(Task, on_delete=models.CASCADE, related_name="question_picture")
    content_hash = models.CharField(max_length=64)  # hash of the task as drawn
    sha256 = models.CharField(max_length=64)
    width = models.PositiveIntegerField()
    height = models.PositiveIntegerField()

    def __str__(self) -> str:
        return f"picture of task {self.task_id}"
