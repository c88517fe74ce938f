"""Facts: computed from steps and events after an episode's end, and recomputed at will."""

from __future__ import annotations

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from trajectories.actions.checks import CHECKS, MISMATCHES
from trajectories.models.episode import episode_key

# No page shows more.
SENTENCES_STORED = 1_000


class StepFacts(models.Model):
    """Facts of one step: its action check, the measures of its thought, and the thought's words.

    All are heuristics; ``trajectories/behaviour/facts/action_check.py`` and ``behaviour.py`` define them.
    """

    pk = models.CompositePrimaryKey("episode_id", "index")
    episode = episode_key("step_facts")
    index = models.PositiveIntegerField()
    version = models.PositiveSmallIntegerField()
    action_type = models.CharField(max_length=32, default="", blank=True)
    # Describes the element that the action names, so that lists need not read an observation.
    target = models.CharField(max_length=120, default="", db_default="", blank=True)
    action_check = models.CharField(max_length=16, choices=[(kind, kind) for kind in CHECKS])
    action_check_detail = models.CharField(max_length=200, default="", blank=True)
    place = models.CharField(max_length=16, default="", blank=True)  # a hash of what the page showed
    repeats = models.PositiveIntegerField(null=True)  # the first step with the same place and action
    is_page_change = models.BooleanField()
    is_backtrack = models.BooleanField()
    is_thought_hidden = models.BooleanField()
    is_invalid = models.BooleanField()
    # Null where the thought is hidden.
    checks_before_submit = models.BooleanField(null=True)
    thought_chars = models.PositiveIntegerField(null=True)
    thought_words = models.PositiveIntegerField(null=True)
    numbers = models.PositiveIntegerField(null=True)
    formulas = models.PositiveIntegerField(null=True)
    restates = models.FloatField(null=True)  # 0 to 1
    # A letter for the class of each sentence of the thought (``thoughts/codebook.toml``).
    sentences = models.CharField(max_length=SENTENCES_STORED, null=True)  # noqa: DJ001 (null: hidden)
    words = SearchVectorField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(restates__gte=0, restates__lte=1), name="step_facts_share")
        ]
        indexes = [
            GinIndex(fields=["words"], name="step_facts_words"),
            # Combined with the index of words; nobody filters by the most frequent outcomes.
            models.Index(
                fields=["action_check", "action_type", "episode", "index"],
                name="step_facts_mismatch",
                condition=Q(action_check__in=MISMATCHES),
            ),
        ]

    def __str__(self) -> str:
        return f"facts of step {self.index} of episode {self.episode_id}"


class EpisodeFacts(models.Model):
    """Facts of one episode: sums and means over its steps. Means are null if no thought is known."""

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
    no_effect = models.PositiveIntegerField()  # how many steps had each outcome of their action check
    different_effect = models.PositiveIntegerField()
    unexplained = models.PositiveIntegerField()
    confirmed = models.PositiveIntegerField()
    unexplained_events = models.PositiveIntegerField()
    first_unexplained = models.JSONField(default=list)  # the first of these events: step, kind, what
    loops = models.PositiveIntegerField()  # steps that repeat place and action of an earlier one
    backtracks = models.PositiveIntegerField()
    page_changes = models.PositiveIntegerField()
    hidden_thoughts = models.PositiveIntegerField()  # steps whose thought the model hid
    invalid_actions = models.PositiveIntegerField()  # steps whose action the harness could not read
    # Steps that speak of checking, up to the submission; null where all thoughts are hidden.
    checks = models.PositiveIntegerField(null=True)
    thought_chars = models.FloatField(null=True)  # means over steps whose thought is known
    thought_words = models.FloatField(null=True)
    numbers = models.FloatField(null=True)
    formulas = models.FloatField(null=True)
    restates = models.FloatField(null=True)  # over the steps' thoughts, weighted by their words
    seen_until = models.DateTimeField()  # when the last step or event that these facts include arrived
    computed_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"facts of episode {self.episode_id}"
