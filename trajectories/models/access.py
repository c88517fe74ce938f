"""API keys, and stored answers for repeated calls."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now

DEFAULT_PROJECT = "default"


def project_field() -> models.CharField[str, str]:
    """Return the model field for the project to which a row belongs (``trajectories/record/projects.py``)."""
    return models.CharField(max_length=64, default=DEFAULT_PROJECT, db_default=DEFAULT_PROJECT)


class Scope(models.TextChoices):
    READ = "read"
    TRAINER = "trainer"
    GOLDS = "golds"
    GUIDANCE = "guidance"  # May open episodes with a part of the solution.
    ADMIN = "admin"


class ApiKey(models.Model):
    """A key of the REST API. Only its SHA-256 is stored; the key itself is 256 random bits."""

    name = models.CharField(max_length=100)
    digest = models.CharField(max_length=64)
    prefix = models.CharField(max_length=12)
    scopes = ArrayField(models.CharField(max_length=16, choices=Scope))
    splits = ArrayField(models.CharField(max_length=64), default=list)
    project = project_field()
    created_at = models.DateTimeField(db_default=Now())
    revoked_at = models.DateTimeField(null=True)
    used_at = models.DateTimeField(null=True)  # The time of the last use, to the minute.

    class Meta:
        constraints = [models.UniqueConstraint(fields=["digest"], name="api_key_digest")]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}...)"

    @property
    def state(self) -> str:
        return "revoked" if self.revoked_at else "in use"


class KeyChange(models.Model):
    """The creation or revocation of a key, with its author and time."""

    class Kind(models.TextChoices):
        CREATED = "created", "Created"
        REVOKED = "revoked", "Revoked"

    api_key = models.ForeignKey(ApiKey, on_delete=models.CASCADE, related_name="changes")
    kind = models.CharField(max_length=8, choices=Kind)
    author = models.CharField(max_length=200)  # A person in the lab, or the management command.
    created_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"{self.kind} by {self.author}"


class IdempotentCall(models.Model):
    """The stored response to a call with an ``Idempotency-Key``, which repeated calls get for 24 hours."""

    api_key = models.ForeignKey(ApiKey, on_delete=models.CASCADE, db_index=False)
    key = models.CharField(max_length=200)
    request_hash = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(null=True)
    body = models.BinaryField(null=True)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["api_key", "key"], name="idempotent_call_key")]

    def __str__(self) -> str:
        return self.key
