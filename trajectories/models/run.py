"""Runs, each one job of one model family, with their numbered policy versions and their metrics."""

from __future__ import annotations

from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from palaestra.protocol import grammars, histories
from trajectories.models.access import project_field

RECORDING_FULL_SHARE = "recording_full_share"
MODEL_NOTE = "model_note"
RETEST = "retest"
SETUP = ("observation", "observation_settings", "grammar", "history", "actions_per_turn", "affordances")
"""The fields that must be equal for two runs to show the same page and accept the same completion."""


def is_share(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1


class Run(models.Model):
    class Kind(models.TextChoices):
        TRAIN = "train"
        EVAL = "eval"
        COLLECT = "collect"

    name = models.CharField(max_length=200)
    kind = models.CharField(max_length=16, choices=Kind)
    model = models.CharField(max_length=200, default="", blank=True)
    checkpoint = models.CharField(max_length=500, default="", blank=True)
    observation = models.CharField(max_length=32, default="", blank=True)
    observation_settings = models.JSONField(default=dict)
    grammar = models.CharField(max_length=32, default=grammars.DEFAULT)
    history = models.CharField(max_length=32, default=histories.DEFAULT)
    actions_per_turn = models.PositiveSmallIntegerField(default=1)
    affordances = models.JSONField(default=dict)
    settings = models.JSONField(default=dict)
    tags = ArrayField(models.CharField(max_length=100), default=list)
    simulated = models.BooleanField(default=False)
    project = project_field()
    created_at = models.DateTimeField(db_default=Now())
    created_by = models.ForeignKey("trajectories.ApiKey", on_delete=models.SET_NULL, null=True)
    report = models.ForeignKey(
        "trajectories.Report", on_delete=models.SET_NULL, null=True, related_name="runs", db_index=False
    )

    class Meta:
        indexes = [
            models.Index(fields=["report", "id"], name="run_report", condition=Q(report__isnull=False))
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_retest(self) -> bool:
        """True if the run repeats its arm with other seeds, to show how large a gap noise alone makes."""
        return self.settings.get(RETEST) is True

    @property
    def recording_full_share(self) -> float | None:
        """The share of episodes that are recorded in full; None if every call that opens episodes decides."""
        share = self.settings.get(RECORDING_FULL_SHARE)
        return share if is_share(share) else None

    @property
    def model_note(self) -> str:
        """A note for readers about the run's model, written by the person who opened the run."""
        note = self.settings.get(MODEL_NOTE)
        return note if isinstance(note, str) else ""

    @property
    def tools(self) -> frozenset[str]:
        """The interactive tools that ``affordances`` grants to the run's pages."""
        named: dict[str, bool] = self.affordances.get("tools", {})
        return frozenset(name for name, is_granted in named.items() if is_granted)


class VerdictCounter(models.Model):
    """The number of a run's verdicts.

    Its row lock makes verdict numbers follow the order of commits, so that no reader skips one.
    """

    run = models.OneToOneField(
        Run, on_delete=models.CASCADE, primary_key=True, related_name="verdict_counter"
    )
    count = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return str(self.count)


class PolicyVersion(models.Model):
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="policy_versions", db_index=False)
    version = models.PositiveIntegerField()
    checkpoint = models.CharField(max_length=500, default="", blank=True)
    trainer_step = models.BigIntegerField(null=True)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "version"], name="policy_version_number")]

    def __str__(self) -> str:
        return f"version {self.version}"


class RunMetrics(models.Model):
    """A trainer's own metrics, such as entropy, KL and loss."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="metrics", db_index=False)
    policy_version = models.PositiveIntegerField(null=True)
    values = models.JSONField()
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        indexes = [models.Index(fields=["run", "id"], name="run_metrics_order")]
        constraints = [
            models.CheckConstraint(
                condition=Q(policy_version__isnull=True) | Q(policy_version__gte=0), name="metrics_version"
            )
        ]

    def __str__(self) -> str:
        return f"metrics of run {self.run_id}"
