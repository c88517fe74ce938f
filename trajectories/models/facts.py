"""What is computed from steps and events after an episode's end, and can be computed again at will."""

from __future__ import annotations

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now


class StepFacts(models.Model):
    """Of one step: what became of its action, how its thought measures, and the thought's words.

    Heuristics throughout: ``trajectories/facts/action_check.py`` and ``behaviour.py`` say how each is found.
    """

    class SaidDone(models.TextChoices):
        CONFIRMED = "confirmed"
        NOT_SEEN = "not_seen"
        DIFFERENT = "different"
        EXTRA = "extra"
        UNKNOWN = "unknown"
        NONE = "none"

    pk = models.CompositePrimaryKey("episode_id", "index")
    episode = models.ForeignKey(
        "trajectories.Episode",
        on_delete=models.CASCADE,
        related_name="step_facts",
        db_index=False,
        db_constraint=False,
    )
    index = models.PositiveIntegerField()
    version = models.PositiveSmallIntegerField()
    action_type = models.CharField(max_length=32, default="", blank=True)
    # The element that the action names, in words: lists tell it without reading an observation.
    target = models.CharField(max_length=120, default="", db_default="", blank=True)
    said_done = models.CharField(max_length=9, choices=SaidDone)
    said_done_detail = models.CharField(max_length=200, default="", blank=True)
    place = models.CharField(max_length=16, default="", blank=True)  # a hash of what the page showed
    repeats = models.PositiveIntegerField(null=True)  # the first step with the same place and action
    is_page_change = models.BooleanField()
    is_backtrack = models.BooleanField()
    checks_before_submit = models.BooleanField()
    thought_chars = models.PositiveIntegerField()
    thought_words = models.PositiveIntegerField()
    numbers = models.PositiveIntegerField()
    formulas = models.PositiveIntegerField()
    restates = models.FloatField()  # 0 to 1
    words = SearchVectorField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(restates__gte=0, restates__lte=1), name="step_facts_share"),
        ]
        indexes = [
            GinIndex(fields=["words"], name="step_facts_words"),
            # Met with the index of words; the most frequent kinds are not asked for.
            models.Index(
                fields=["said_done", "action_type", "episode", "index"],
                name="step_facts_mismatch",
                condition=Q(said_done__in=("not_seen", "different", "extra")),
            ),
        ]

    def __str__(self) -> str:
        return f"facts of step {self.index} of episode {self.episode_id}"


class EpisodeFacts(models.Model):
    """Of one episode: sums and means over its steps. Means are null where there is no step."""

    episode = models.OneToOneField(
        "trajectories.Episode",
        on_delete=models.CASCADE,
        primary_key=True,
        related_name="facts",
        db_constraint=False,
    )
    version = models.PositiveSmallIntegerField()
    steps = models.PositiveIntegerField()
    duration_ms = models.FloatField()  # of all its steps
    action_types = models.JSONField(default=dict)  # how often each
    not_seen = models.PositiveIntegerField()  # steps of each kind of mismatch
    different = models.PositiveIntegerField()
    extra = models.PositiveIntegerField()
    confirmed = models.PositiveIntegerField()
    extra_events = models.PositiveIntegerField()
    extras = models.JSONField(default=list)  # the first of them: step, kind, what
    loops = models.PositiveIntegerField()  # steps that repeat place and action of an earlier one
    backtracks = models.PositiveIntegerField()
    page_changes = models.PositiveIntegerField()
    checks = models.PositiveIntegerField()  # steps that speak of checking, up to the submission
    thought_chars = models.FloatField(null=True)  # means over steps
    thought_words = models.FloatField(null=True)
    numbers = models.FloatField(null=True)
    formulas = models.FloatField(null=True)
    restates = models.FloatField(null=True)  # over the steps' thoughts, weighted by their words
    seen_until = models.DateTimeField()  # when the last step or event came that these facts know of
    computed_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"facts of episode {self.episode_id}"
