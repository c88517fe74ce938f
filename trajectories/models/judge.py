"""Judges: their definitions, their calls, the samples that measure them, and the measurements."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now

from trajectories.models.annotation import AnnotationProject


class Judge(models.Model):
    """A model with its endpoint, sampling, prompt and criteria. Rows never change; a changed judge is new."""

    name = models.CharField(max_length=24)
    sha256 = models.CharField(max_length=64)  # The hash of everything except the name.
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
    """One request and its reply. If the call brought no grade, ``problem`` says why."""

    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="calls", db_index=False)
    episode_id = models.BigIntegerField()
    criterion = models.CharField(max_length=32)
    # The id of the attack text that was added; empty when judging.
    attack = models.CharField(max_length=40, default="")
    request_sha256 = models.CharField(max_length=64)
    reply = models.TextField(default="")
    grade = models.CharField(max_length=32, default="")  # One of the criterion's choices.
    problem = models.CharField(max_length=300, default="")
    prompt_tokens = models.PositiveIntegerField(default=0)
    completion_tokens = models.PositiveIntegerField(default=0)
    took_ms = models.PositiveIntegerField()
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        indexes = [
            models.Index(fields=["judge", "attack", "episode_id"], name="judge_call_episodes"),
            # For the newest calls to a judge (judges/background.py, judges/pages/page.py).
            models.Index(fields=["judge", "id"], name="judge_call_newest"),
        ]

    def __str__(self) -> str:
        return f"call {self.pk} of judge {self.judge_id} on episode {self.episode_id}"


class JudgeAttack(models.Model):
    """The effect on a criterion's grades of texts that ask the judge for a grade. The newest row counts."""

    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="attacks")
    criterion = models.CharField(max_length=32)
    is_open = models.BooleanField()  # The judge sees something that an agent writes.
    attempts = models.PositiveIntegerField()
    is_fooled = models.BooleanField()
    figures = models.JSONField()  # The figures for each text (judges/attacks.py).
    created_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"attack on {self.criterion} by judge {self.judge_id}"


class JudgeSample(models.Model):
    """The annotation project whose labels measure a judge; no judge has two, and no two share one."""

    judge = models.OneToOneField(Judge, on_delete=models.PROTECT, related_name="sample")
    project = models.OneToOneField(AnnotationProject, on_delete=models.PROTECT, related_name="judge_sample")
    created_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"sample of judge {self.judge_id}"


class JudgeCertification(models.Model):
    """The measured quality of a judge's criterion on its sample, and whether it is certified."""

    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="certifications", db_index=False)
    criterion = models.CharField(max_length=32)
    figures = models.JSONField()  # See judges/certification.py.
    is_certified = models.BooleanField()
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["judge", "criterion"], name="judge_certified_once")]

    def __str__(self) -> str:
        return f"certification of {self.criterion} by judge {self.judge_id}"
