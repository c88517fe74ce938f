"""Annotation: projects, their annotators and units, assignments of units, and labels.

Units refer to episodes and steps without a constraint, so that labels outlive the episodes that retention
deletes.
"""

from __future__ import annotations

import hashlib

from django.contrib.postgres.functions import RandomUUID
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from core.database.text_key import TextKey
from trajectories.models.access import project_field
from trajectories.models.due_work import DueWork


class CodebookVersion(models.Model):
    """A codebook as annotators read it; its key is the hash of its content."""

    sha256 = TextKey(primary_key=True, max_length=64)
    content = models.JSONField()
    created_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return self.sha256[:8]


class View(models.TextChoices):
    """The parts of a unit that an annotator sees."""

    FULL = "full", "Page, thought and action"
    THOUGHT = "thought", "The thought alone"
    PAGE = "page", "Page and action, without the thought"


def views_default() -> list[str]:
    return [View.FULL]


class AnnotationProject(models.Model):
    """An annotation project.

    ``strata`` has counts by stratum: all candidates, drawn ones, and steps whose thought is hidden or
    missing.
    """

    class Level(models.TextChoices):
        STEP = "step", "Thoughts of steps"
        TRAJECTORY = "trajectory", "Whole trajectories"
        PAIR = "pair", "Pairs of trajectories or steps"

    name = models.CharField(max_length=200)
    project = project_field()
    codebook = models.ForeignKey(CodebookVersion, on_delete=models.PROTECT, related_name="projects")
    level = models.CharField(max_length=10, choices=Level, default=Level.STEP)
    views = models.JSONField(default=views_default)  # The views in which units are labelled.
    source = models.TextField()  # The URL of the search whose episodes are sampled.
    seed = models.BigIntegerField()
    strata = models.JSONField(default=list)
    overlap_share = models.FloatField()  # The share of units that several people label.
    overlap_people = models.PositiveSmallIntegerField()  # The number of people who label each of these.
    repeat_share = models.FloatField(default=0.0)  # The share of units that the same person labels twice.
    reservation_minutes = models.PositiveIntegerField()
    shows_setup = models.BooleanField(default=False)  # Annotators see the arm and the model.
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
    """An annotator in a project: a person, the thought ribbon's rules, or a judge model."""

    class Kind(models.TextChoices):
        PERSON = "person", "Person"
        RULES = "rules", "Rules"
        MODEL = "model", "Judge model"

    project = models.ForeignKey(
        AnnotationProject, on_delete=models.CASCADE, related_name="annotators", db_index=False
    )
    kind = models.CharField(max_length=8, choices=Kind, default=Kind.PERSON)
    # Null for machines, and for people from other installations whose labels were imported.
    user = models.ForeignKey("auth.User", on_delete=models.PROTECT, null=True, related_name="annotators")
    name = models.CharField(max_length=200)
    settings = models.JSONField(default=dict)  # A machine's version, model and prompt.
    is_adjudicator = models.BooleanField(default=False)  # May settle disagreements.
    quota = models.PositiveIntegerField(null=True)  # The most units to label; null for no limit.
    # The position of the last unit taken, from which the search for the next unit starts.
    position = models.PositiveIntegerField(db_default=0)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "user"], name="annotator_user"),
            models.UniqueConstraint(fields=["project", "name"], name="annotator_name"),
            models.CheckConstraint(
                condition=Q(kind="person") | Q(user__isnull=True), name="annotator_machine_has_no_user"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class AnnotationUnit(models.Model):
    """A unit to label: characters ``begin`` to ``end`` of a step's thought; paragraph 0 is the whole thought.

    A unit that is a whole trajectory has step 0. A pair also names the other trajectory, or the step of
    another trajectory.
    """

    project = models.ForeignKey(
        AnnotationProject, on_delete=models.CASCADE, related_name="units", db_index=False
    )
    position = models.PositiveIntegerField()  # The place in the queue, from 1; paragraphs share their step's.
    episode_id = models.BigIntegerField()
    step = models.PositiveIntegerField()
    other_episode_id = models.BigIntegerField(null=True)
    other_step = models.PositiveIntegerField(null=True)
    paragraph = models.PositiveIntegerField(default=0)
    begin = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    stratum = models.CharField(max_length=200)
    weight = models.FloatField()  # How many candidates it represents; paragraphs share their step's weight.
    gold = models.JSONField(null=True)  # A gold unit's right answers, and why they are right.

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "episode_id", "step", "paragraph", "other_episode_id", "other_step"],
                name="annotation_unit_place",
                nulls_distinct=False,
            ),
            models.CheckConstraint(condition=Q(weight__gt=0), name="annotation_unit_weight"),
        ]
        indexes = [
            # queues/sql/gold_take.sql
            models.Index(
                fields=["project", "position"], name="annotation_unit_gold", condition=Q(gold__isnull=False)
            )
        ]

    def __str__(self) -> str:
        return f"unit {self.position} of project {self.project_id}"


class AnnotationSlot(models.Model):
    """The assignment of a unit to a person, who has at most one slot for it and one for its repeat.

    Annotators see only the random ``public_id``, since the primary key would give away repeats and gold
    units, whose slots are created later than others.
    """

    public_id = models.UUIDField(db_default=RandomUUID(), unique=True, editable=False)

    project = models.ForeignKey(
        AnnotationProject, on_delete=models.CASCADE, related_name="slots", db_index=False
    )
    unit = models.ForeignKey(AnnotationUnit, on_delete=models.CASCADE, related_name="slots")
    position = models.PositiveIntegerField()  # The unit's place in the queue; a repeat's is further back.
    is_repeat = models.BooleanField(default=False)
    view = models.CharField(max_length=8, choices=View, default=View.FULL, db_default=View.FULL)
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
            # For resuming units, and for the last ten labels.
            models.Index(fields=["annotator", "done_at"], name="annotation_slot_held"),
        ]

    def __str__(self) -> str:
        return f"slot {self.pk} of unit {self.unit_id}"


class Label(models.Model):
    """One version of an annotator's answers about a unit. Append-only: the newest version counts.

    ``values`` has an answer for each codebook field, ``spans`` are the parts of the thought that an annotator
    marked, and ``links`` maps behaviours to the steps that carry them out.
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
    view = models.CharField(max_length=8, choices=View, default=View.FULL, db_default=View.FULL)
    is_swapped = models.BooleanField(default=False)  # The second member of the pair was shown first.
    version = models.PositiveIntegerField()
    state = models.CharField(max_length=8, choices=State)
    values = models.JSONField(default=dict)
    spans = models.JSONField(default=list)
    links = models.JSONField(default=dict)
    note = models.TextField(default="", blank=True)
    is_unsure = models.BooleanField(default=False)
    # In an adjudicated label, the reason why people differed.
    reason = models.CharField(max_length=32, default="", blank=True)
    # The time from first seeing the unit to saving the label during which the page was visible.
    active_ms = models.PositiveIntegerField(null=True)
    key = models.UUIDField(unique=True)  # The request's key: sending it again changes nothing.
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


class CodebookNote(models.Model):
    """An adjudicator's request for the next version of the codebook."""

    project = models.ForeignKey(AnnotationProject, on_delete=models.CASCADE, related_name="codebook_notes")
    codebook = models.ForeignKey(
        CodebookVersion, on_delete=models.PROTECT, related_name="notes", db_index=False
    )
    unit = models.ForeignKey(AnnotationUnit, on_delete=models.PROTECT, related_name="+", db_index=False)
    field = models.CharField(max_length=64, default="", blank=True)
    text = models.TextField()
    author = models.ForeignKey("auth.User", on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"note {self.pk} on codebook {self.codebook_id[:8]}"


class StepMark(models.Model):
    """A researcher's bookmark of a step, with an optional note; step 0 stands for the whole episode."""

    user = models.ForeignKey("auth.User", on_delete=models.CASCADE, related_name="step_marks", db_index=False)
    episode_id = models.BigIntegerField()
    step = models.PositiveIntegerField()
    note = models.TextField(default="", blank=True)
    created_at = models.DateTimeField(db_default=Now())
    changed_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "episode_id", "step"], name="step_mark_once")]
        indexes = [models.Index(fields=["episode_id", "step"], name="step_mark_place")]

    def __str__(self) -> str:
        return f"mark of step {self.step} of episode {self.episode_id}"

    @property
    def version(self) -> str:
        """The note's version, which forms send back: a hash, or empty if there is no note."""
        return hashlib.sha256(self.note.encode()).hexdigest()[:16] if self.note else ""


class AnnotationJob(DueWork):
    """A worker's long-running job on a project's labels: an export, an import, or labelling by a machine."""

    class Kind(models.TextChoices):
        EXPORT = "export", "Export"
        IMPORT = "import", "Import"
        MACHINE = "machine", "Labels of a machine"

    class State(models.TextChoices):
        WAITING = "waiting", "Waiting"
        RUNNING = "running", "Running"
        DONE = "done", "Done"
        FAILED = "failed", "Failed"

    project = models.ForeignKey(AnnotationProject, on_delete=models.CASCADE, related_name="jobs")
    kind = models.CharField(max_length=8, choices=Kind)
    parameters = models.JSONField(default=dict)
    state = models.CharField(max_length=8, choices=State, default=State.WAITING)
    done = models.PositiveIntegerField(db_default=0)
    total = models.PositiveIntegerField(db_default=0)
    result = models.JSONField(default=dict)  # Files with their hashes, and counts.
    created_by = models.ForeignKey("auth.User", on_delete=models.SET_NULL, null=True, related_name="+")
    finished_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["requested_at", "id"],
                name="annotation_job_due",
                condition=Q(requested_at__isnull=False),
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk} of project {self.project_id}"
