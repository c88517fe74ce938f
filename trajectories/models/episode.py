"""Episodes, each one attempt at one task, and groups, which are the samples of a task opened by one call."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.fields.json import KeyTransform
from django.db.models.functions import Now

from core.episodes.arms import arm_choices
from palaestra.protocol.arms import ARMS


class Group(models.Model):
    run = models.ForeignKey(
        "trajectories.Run", on_delete=models.CASCADE, related_name="groups", db_index=False
    )
    # No index is needed, since nothing looks up the groups of a task.
    task = models.ForeignKey(
        "tasks_app.Task", on_delete=models.PROTECT, related_name="groups", db_index=False
    )
    arm = models.CharField(max_length=16, choices=arm_choices)
    policy_version = models.PositiveIntegerField(null=True)
    seed = models.BigIntegerField()
    settings = models.JSONField(default=dict)  # The opening call's settings, which a refill uses again.
    # The id of the prompt template, from which messages can be rebuilt.
    template = models.CharField(max_length=100)
    examples = ArrayField(models.BigIntegerField(), null=True)  # The solved tasks in the prompt, in order.
    created_at = models.DateTimeField(db_default=Now())
    size = models.PositiveIntegerField(db_default=0)  # The number of episodes.
    ended = models.IntegerField(db_default=0)  # The number of episodes with a verdict.
    # The number of the verdict that ended the last episode; null while any episode is unfinished.
    completed_seq = models.PositiveBigIntegerField(null=True)

    class Meta:
        indexes = [
            # For runs/sql/groups_after.sql, and for deleting a run.
            models.Index(fields=["run", "completed_seq"], name="group_completion"),
            # For finding unfinished episodes (hot_sql/sql/unfinished.sql).
            models.Index(fields=["run", "id"], name="group_unfinished", condition=Q(completed_seq=None)),
        ]

    def __str__(self) -> str:
        return f"group {self.pk}"


class Episode(models.Model):
    """One attempt at a task.

    The row changes only when the episode is opened, answered, ended or closed; steps and events never update
    it. None of its indexes contains a column that changes, so these updates write no index at all.
    """

    class Status(models.TextChoices):
        OPEN = "open", "Open"
        SUBMITTED = "submitted", "Awaiting verdict"
        FINISHED = "finished", "Finished"

    class Recording(models.TextChoices):
        OFF = "off"
        EVENTS = "events"
        FULL = "full"

    class Channel(models.TextChoices):
        PAGE = "page"
        API = "api"

    class AnswerCheck(models.TextChoices):
        """The state of the check of an episode's first answer; empty in runs without checks."""

        NONE = ""
        DUE = "due"  # There is no answer yet.
        REQUESTED = "requested"  # The first answer is stored, and the agent has been asked to check it.
        GIVEN = "given"  # The second answer is stored.

    run = models.ForeignKey(
        "trajectories.Run", on_delete=models.CASCADE, related_name="episodes", db_index=False
    )
    group = models.ForeignKey(Group, on_delete=models.CASCADE, related_name="episodes", db_index=False)
    # shell/queries/sql/task_tallies.sql and the attempts on a task's page use the index.
    task = models.ForeignKey("tasks_app.Task", on_delete=models.PROTECT, related_name="episodes")
    arm = models.CharField(max_length=16, choices=arm_choices)
    sample_index = models.PositiveIntegerField()
    policy_version = models.PositiveIntegerField(null=True)
    status = models.CharField(max_length=16, choices=Status, default=Status.OPEN)
    seed = models.BigIntegerField()
    presentation = models.JSONField(default=dict)
    presentation_hash = models.CharField(max_length=64, default="", blank=True)
    variation = models.JSONField(null=True)  # See tasks_app/variation.py.
    max_steps = models.PositiveIntegerField()
    token_budget = models.PositiveIntegerField(null=True)
    recording = models.CharField(max_length=8, choices=Recording, default=Recording.EVENTS)
    answer_channel = models.CharField(max_length=8, choices=Channel)
    answer_check = models.CharField(
        max_length=9, choices=AnswerCheck, default=AnswerCheck.NONE, db_default=AnswerCheck.NONE, blank=True
    )
    guidance = models.JSONField(null=True)
    # A fork keeps its parent's id even if the parent has been deleted, so that it stays a fork.
    parent = models.ForeignKey(
        "self",
        on_delete=models.DO_NOTHING,
        null=True,
        related_name="forks",
        db_index=False,
        db_constraint=False,
    )
    # The parent's step after which this episode begins; 0 without a parent.
    begins_after = models.PositiveIntegerField(db_default=0)
    # How many site events it inherited from its parent; null while a fork waits for them.
    inherited_events = models.PositiveIntegerField(null=True, db_default=0)
    # True if a person has ever acted in it.
    is_taken_over = models.BooleanField(db_default=False)
    # How many steps people took in it. They are added to the budget, while max_steps stays as the prompt
    # states it.
    person_steps = models.PositiveIntegerField(db_default=0)
    # Played from the start and without help; only such episodes count in rates, gaps and samplers.
    is_plain = models.GeneratedField(
        expression=Q(guidance__isnull=True, parent__isnull=True, is_taken_over=False),  # type: ignore[arg-type]  # a condition is one
        output_field=models.BooleanField(),
        db_persist=True,
    )
    virtual_start = models.DateTimeField()
    opened_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True)
    close_reason = models.CharField(max_length=32, default="", blank=True)
    close_detail = models.TextField(default="", blank=True)
    # There is no constraint, because without an index on this column, deleting a verdict would read all
    # episodes. The statement that sets the column also writes the verdict.
    verdict = models.ForeignKey(
        "trajectories.Verdict",
        on_delete=models.RESTRICT,
        null=True,
        related_name="+",
        db_index=False,
        db_constraint=False,
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["group", "sample_index"], name="episode_sample"),
            models.CheckConstraint(condition=Q(max_steps__gte=1), name="episode_max_steps_positive"),
            models.CheckConstraint(
                condition=Q(status="finished", verdict__isnull=False)
                | (~Q(status="finished") & Q(verdict__isnull=True)),
                name="episode_verdict_iff_finished",
            ),
        ]
        # For the lists of a run's episodes (shell/queries/episodes.py, lab/search), and for its exports.
        indexes = [
            models.Index(fields=["run", "id"], name="episode_run_order"),
            models.Index(fields=["parent"], name="episode_forks", condition=Q(parent__isnull=False)),
            # For the effect of guidance in a run, by task (episodes/prefixes.py, episodes/abstractions.py).
            models.Index(fields=["run", "task"], name="episode_guided", condition=Q(guidance__isnull=False)),
            # For the solvers of an abstraction (episodes/abstractions.py).
            models.Index(
                KeyTransform("abstraction", "guidance"),
                name="episode_abstraction",
                condition=Q(guidance__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"episode {self.pk}"

    @property
    def has_page(self) -> bool:
        return ARMS[self.arm].has_page


def episode_key(related_name: str) -> models.ForeignKey[Episode, Episode]:
    """Return a foreign key to the episode, without the index and the constraint, which would slow writes."""
    return models.ForeignKey(
        Episode, on_delete=models.CASCADE, related_name=related_name, db_index=False, db_constraint=False
    )
