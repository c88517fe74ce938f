"""Judges: their definitions, all their calls, the sample that measures one, and the measurements."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now

from trajectories.models.annotation import AnnotationProject


class Judge(models.Model):
    """A model with endpoint, sampling, prompt and criteria. Written once: a changed one is another judge."""

    name = models.CharField(max_length=24)
    sha256 = models.CharField(max_length=64)  # of all but the name
    body = models.JSONField()
    prompt_sha256 = models.CharField(max_length=64)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["name"], name="judge_name"),
            models.UniqueConstraint(fields=["sha256"], name="judge_content"),
        ]

    def __str__(self) -> str:
        return f"{self.name} {self.sha256[:8]}"


class JudgeCall(models.Model):
    """One request and its reply. A call that brought no grade says in ``problem`` why."""

    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="calls", db_index=False)
    episode_id = models.BigIntegerField()
    criterion = models.CharField(max_length=32)
    attack = models.CharField(max_length=40, default="")  # the text that was added; empty when judging
    request_sha256 = models.CharField(max_length=64)
    reply = models.TextField(default="")
    grade = models.CharField(max_length=32, default="")  # a choice of the criterion
    problem = models.CharField(max_length=300, default="")
    prompt_tokens = models.PositiveIntegerField(default=0)
    completion_tokens = models.PositiveIntegerField(default=0)
    took_ms = models.PositiveIntegerField()
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        indexes = [
            models.Index(fields=["judge", "attack", "episode_id"], name="judge_call_episodes"),
            # The newest calls of a judge (judges/patience.py, lab/judges).
            models.Index(fields=["judge", "id"], name="judge_call_newest"),
        ]

    def __str__(self) -> str:
        return f"call {self.pk} of judge {self.judge_id} on episode {self.episode_id}"


class JudgeAttack(models.Model):
    """Effect on a criterion's grades of texts that ask the judge for grades. The latest row counts."""

    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="attacks")
    criterion = models.CharField(max_length=32)
    is_open = models.BooleanField()  # it sees something that an agent writes
    attempts = models.PositiveIntegerField()
    is_fooled = models.BooleanField()
    figures = models.JSONField()  # by text (judges/attacks.py)
    created_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"attack on {self.criterion} by judge {self.judge_id}"


class JudgeSample(models.Model):
    """The annotation project whose labels measure a judge: neither has another."""

    judge = models.OneToOneField(Judge, on_delete=models.PROTECT, related_name="sample")
    project = models.OneToOneField(AnnotationProject, on_delete=models.PROTECT, related_name="judge_sample")
    created_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"sample of judge {self.judge_id}"


class JudgeCertification(models.Model):
    """Measured quality of a judge's criterion on its sample, and whether a profile may pay for it."""

    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="certifications", db_index=False)
    criterion = models.CharField(max_length=32)
    figures = models.JSONField()  # judges/certification.py
    is_certified = models.BooleanField()
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["judge", "criterion"], name="judge_certified_once")]

    def __str__(self) -> str:
        return f"certification of {self.criterion} by judge {self.judge_id}"
