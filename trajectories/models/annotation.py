"""Annotation: projects, their annotators and units, who holds which unit, and what was said of it.

Units name episodes and steps without a constraint, so that labels outlive what retention deletes.
"""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from core.text_key import TextKey


class CodebookVersion(models.Model):
    """A codebook as annotators read it; its key is the hash of its content."""

    sha256 = TextKey(primary_key=True, max_length=64)
    content = models.JSONField()
    created_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return self.sha256[:8]


class AnnotationProject(models.Model):
    """``strata`` counts steps by stratum: all, drawn, and those that have no thought to label."""

    name = models.CharField(max_length=200)
    codebook = models.ForeignKey(CodebookVersion, on_delete=models.PROTECT, related_name="projects")
    source = models.TextField()  # the address of the search whose episodes it samples
    seed = models.BigIntegerField()
    strata = models.JSONField(default=list)
    overlap_share = models.FloatField()  # of the units that several people label
    overlap_people = models.PositiveSmallIntegerField()  # how many
    repeat_share = models.FloatField(default=0.0)  # of the units that a person is given twice
    reservation_minutes = models.PositiveIntegerField()
    shows_setup = models.BooleanField(default=False)  # arm and model
    created_by = models.ForeignKey("auth.User", on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    overlap_share__gte=0, overlap_share__lte=1, repeat_share__gte=0, repeat_share__lte=1
                ),
                name="annotation_shares_0_1",
            ),
            models.CheckConstraint(condition=Q(overlap_people__gte=1), name="annotation_overlap_people"),
        ]

    def __str__(self) -> str:
        return self.name


class Annotator(models.Model):
    """Who labels in a project: a person, the thought ribbon's rules, or a judge model."""

    class Kind(models.TextChoices):
        PERSON = "person", "Person"
        RULES = "rules", "Rules"
        MODEL = "model", "Judge model"

    project = models.ForeignKey(
        AnnotationProject, on_delete=models.CASCADE, related_name="annotators", db_index=False
    )
    kind = models.CharField(max_length=8, choices=Kind, default=Kind.PERSON)
    user = models.ForeignKey("auth.User", on_delete=models.PROTECT, null=True, related_name="annotators")
    name = models.CharField(max_length=200)
    quota = models.PositiveIntegerField(null=True)  # units; null for all there are
    position = models.PositiveIntegerField(
        db_default=0
    )  # of the unit taken last: the next one is looked for from there
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "user"], name="annotator_user"),
            models.UniqueConstraint(fields=["project", "name"], name="annotator_name"),
            models.CheckConstraint(
                condition=Q(kind="person", user__isnull=False) | (~Q(kind="person") & Q(user__isnull=True)),
                name="annotator_person_has_user",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class AnnotationUnit(models.Model):
    """What is labelled: characters ``begin`` to ``end`` of a step's thought; paragraph 0 is all of it."""

    project = models.ForeignKey(
        AnnotationProject, on_delete=models.CASCADE, related_name="units", db_index=False
    )
    position = models.PositiveIntegerField()  # of its step in the order in which units are handed out, from 1
    episode_id = models.BigIntegerField()
    step = models.PositiveIntegerField()
    paragraph = models.PositiveIntegerField(default=0)
    begin = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    stratum = models.CharField(max_length=200)
    weight = models.FloatField()  # steps of the stratum that this one stands for
    gold = models.JSONField(null=True)  # the right answers, of a unit for training

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "episode_id", "step", "paragraph"], name="annotation_unit_place"
            ),
            models.CheckConstraint(condition=Q(weight__gt=0), name="annotation_unit_weight"),
        ]

    def __str__(self) -> str:
        return f"unit {self.position} of project {self.project_id}"


class AnnotationSlot(models.Model):
    """A place for one person's label of a unit. A person has at most one, and one for its repeat."""

    project = models.ForeignKey(
        AnnotationProject, on_delete=models.CASCADE, related_name="slots", db_index=False
    )
    unit = models.ForeignKey(AnnotationUnit, on_delete=models.CASCADE, related_name="slots")
    position = models.PositiveIntegerField()  # the unit's, or that of its repeat, which is further back
    is_repeat = models.BooleanField(default=False)
    annotator = models.ForeignKey(
        Annotator, on_delete=models.CASCADE, null=True, related_name="slots", db_index=False
    )
    reserved_until = models.DateTimeField(null=True)
    done_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["annotator", "unit", "is_repeat"], name="annotation_slot_once"),
            models.CheckConstraint(
                condition=Q(annotator__isnull=False) | Q(reserved_until__isnull=True, done_at__isnull=True),
                name="annotation_slot_held_by_someone",
            ),
        ]
        indexes = [
            # queues/sql/slot_take.sql
            models.Index(
                fields=["project", "position", "id"],
                name="annotation_slot_open",
                condition=Q(done_at__isnull=True),
            ),
            # Resumption, and the last ten.
            models.Index(fields=["annotator", "done_at"], name="annotation_slot_held"),
        ]

    def __str__(self) -> str:
        return f"slot {self.pk} of unit {self.unit_id}"


class Label(models.Model):
    """What an annotator said of a unit: rows are only added, and the newest version counts.

    ``values`` has an answer for each field of the codebook; ``spans`` are the parts of the thought that a
    mixed answer is about, ``links`` the steps that carry out behaviours.
    """

    class Layer(models.TextChoices):
        BLIND = "blind", "Blind, before discussion"
        ADJUDICATED = "adjudicated", "Adjudicated"

    class State(models.TextChoices):
        DONE = "done", "Labelled"
        SKIPPED = "skipped", "Skipped"

    unit = models.ForeignKey(AnnotationUnit, on_delete=models.PROTECT, related_name="labels", db_index=False)
    annotator = models.ForeignKey(Annotator, on_delete=models.PROTECT, related_name="labels")
    codebook = models.ForeignKey(
        CodebookVersion, on_delete=models.PROTECT, related_name="labels", db_index=False
    )
    layer = models.CharField(max_length=12, choices=Layer, default=Layer.BLIND)
    is_repeat = models.BooleanField(default=False)
    version = models.PositiveIntegerField()
    state = models.CharField(max_length=8, choices=State)
    values = models.JSONField(default=dict)
    spans = models.JSONField(default=list)
    links = models.JSONField(default=dict)
    note = models.TextField(default="", blank=True)
    is_unsure = models.BooleanField(default=False)
    active_ms = models.PositiveIntegerField(null=True)  # from first seen to saved, while the page was visible
    key = models.UUIDField(unique=True)  # of the saving call: sent again, it changes nothing
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["unit", "annotator", "layer", "is_repeat", "version"], name="label_version"
            ),
            models.CheckConstraint(condition=Q(version__gte=1), name="label_version_positive"),
        ]

    def __str__(self) -> str:
        return f"version {self.version} of a label of unit {self.unit_id}"
