"""Facts, computed from steps and events after an episode's end. They can be recomputed at any time."""

from __future__ import annotations

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from trajectories.actions.checks import CHECKS, MISMATCHES
from trajectories.models.episode import episode_key

# More sentences are not stored, since no page shows more.
SENTENCES_STORED = 1_000


class StepFacts(models.Model):
    """Facts about one step: its action check, measures of its thought, and the thought's words for search.

    All are heuristics, defined in ``trajectories/behaviour/facts/action_check.py`` and ``behaviour.py``.
    """

    pk = models.CompositePrimaryKey("episode_id", "index")
    episode = episode_key("step_facts")
    index = models.PositiveIntegerField()
    version = models.PositiveSmallIntegerField()
    action_type = models.CharField(max_length=32, default="", blank=True)
    # A description of the element that the action names, so that lists need not read the observation.
    target = models.CharField(max_length=120, default="", db_default="", blank=True)
    action_check = models.CharField(max_length=16, choices=[(kind, kind) for kind in CHECKS])
    action_check_detail = models.CharField(max_length=200, default="", blank=True)
    place = models.CharField(max_length=16, default="", blank=True)  # A hash of what the page showed.
    repeats = models.PositiveIntegerField(null=True)  # The first step with the same place and action.
    is_page_change = models.BooleanField()
    is_backtrack = models.BooleanField()
    is_thought_hidden = models.BooleanField()
    is_invalid = models.BooleanField()
    # This and the measures below are null if the thought is hidden.
    checks_before_submit = models.BooleanField(null=True)
    thought_chars = models.PositiveIntegerField(null=True)
    thought_words = models.PositiveIntegerField(null=True)
    numbers = models.PositiveIntegerField(null=True)
    formulas = models.PositiveIntegerField(null=True)
    restates = models.FloatField(null=True)  # From 0 to 1.
    # One letter for the class of each sentence in the thought (``thoughts/codebook.toml``).
    sentences = models.CharField(max_length=SENTENCES_STORED, null=True)  # noqa: DJ001 (null: hidden)
    words = SearchVectorField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(restates__gte=0, restates__lte=1), name="step_facts_share")
        ]
        indexes = [
            GinIndex(fields=["words"], name="step_facts_words"),
            # Combined with the index on words. The most frequent outcomes are left out: nobody filters by
            # them.
            models.Index(
                fields=["action_check", "action_type", "episode", "index"],
                name="step_facts_mismatch",
                condition=Q(action_check__in=MISMATCHES),
            ),
        ]

    def __str__(self) -> str:
        return f"facts of step {self.index} of episode {self.episode_id}"


class EpisodeFacts(models.Model):
    """Facts about one episode: sums and means over its steps. Means are null if no thought is known."""

    episode = models.OneToOneField(
        "trajectories.Episode",
        on_delete=models.CASCADE,
        primary_key=True,
        related_name="facts",
        db_constraint=False,
    )
    version = models.PositiveSmallIntegerField()
    steps = models.PositiveIntegerField()
    duration_ms = models.FloatField()  # The sum over all steps.
    action_types = models.JSONField(default=dict)  # The number of actions of each type.
    # The numbers of steps with each outcome of the action check.
    no_effect = models.PositiveIntegerField()
    different_effect = models.PositiveIntegerField()
    unexplained = models.PositiveIntegerField()
    confirmed = models.PositiveIntegerField()
    unexplained_events = models.PositiveIntegerField()
    # The first few unexplained events, each with its step, its kind and a description.
    first_unexplained = models.JSONField(default=list)
    loops = models.PositiveIntegerField()  # Steps that repeat an earlier step's place and action.
    backtracks = models.PositiveIntegerField()
    page_changes = models.PositiveIntegerField()
    hidden_thoughts = models.PositiveIntegerField()  # Steps whose thought the model hid.
    invalid_actions = models.PositiveIntegerField()  # Steps whose action the harness could not read.
    # Steps up to the submission whose thoughts mention checking; null if all thoughts are hidden.
    checks = models.PositiveIntegerField(null=True)
    # Means over the steps whose thoughts are known.
    thought_chars = models.FloatField(null=True)
    thought_words = models.FloatField(null=True)
    numbers = models.FloatField(null=True)
    formulas = models.FloatField(null=True)
    restates = models.FloatField(null=True)  # The mean over thoughts, weighted by their words.
    seen_until = models.DateTimeField()  # When the last step or event that is included in the facts arrived.
    computed_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"facts of episode {self.episode_id}"
