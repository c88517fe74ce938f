"""Results of rendering DOM replays and comparing them with screenshots, which can be repeated."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from trajectories.models.episode import episode_key

# Temporary reasons, which last until a worker, or one that can render pages, is available.
LEFT = ("waiting", "no_sandbox", "no_browser")


class Fidelity(models.Model):
    """Comparison of one step's DOM replay, rendered in a sandbox, with its screenshot.

    In an episode without steps, ``index`` is the number of a page action, whose page is rendered but not
    compared. ``trajectories/behaviour/fidelity/comparison.py`` has the rules. ``replay`` and ``difference``
    are blobs: the rendered picture, and the same picture with differing pixels in red.
    """

    class State(models.TextChoices):
        FAITHFUL = "faithful"
        UNFAITHFUL = "unfaithful"
        NOT_CHECKED = "not_checked"
        FAILED = "failed"

    class Reason(models.TextChoices):
        """The reason why a replay is not checked, or why the check failed."""

        NONE = ""
        WAITING = "waiting"
        NO_SANDBOX = "no_sandbox"
        NO_BROWSER = "no_browser"
        NO_SCREENSHOT = "no_screenshot"
        NO_REPLAY = "no_replay"
        OTHER_SIZE = "other_size"
        WHOLE_PAGE = "whole_page"
        TOO_LARGE = "too_large"
        OUT_OF_TIME = "out_of_time"
        OUT_OF_MEMORY = "out_of_memory"
        NOT_READY = "not_ready"
        UNREADABLE = "unreadable"
        CRASHED = "crashed"

    pk = models.CompositePrimaryKey("episode_id", "index")
    episode = episode_key("fidelity")
    index = models.PositiveIntegerField()
    state = models.CharField(max_length=11, choices=State)
    reason = models.CharField(max_length=16, choices=Reason, default=Reason.NONE, blank=True)
    changed_share = models.FloatField(null=True)  # The share of all pixels that differ, from 0 to 1.
    phash_distance = models.PositiveSmallIntegerField(null=True)  # How many of the 64 bits differ.
    replay = models.CharField(max_length=64, default="", blank=True)
    difference = models.CharField(max_length=64, default="", blank=True)
    version = models.PositiveSmallIntegerField()
    tries = models.PositiveSmallIntegerField(default=0)
    checked_at = models.DateTimeField(db_default=Now())
    requested_at = models.DateTimeField(null=True)  # Set if a person requested it; those are checked first.

    class Meta:
        verbose_name_plural = "fidelity"
        constraints = [
            models.CheckConstraint(
                condition=Q(changed_share__gte=0, changed_share__lte=1), name="fidelity_share"
            )
        ]
        indexes = [
            models.Index(fields=["episode", "index"], name="fidelity_waiting", condition=Q(reason__in=LEFT))
        ]

    def __str__(self) -> str:
        return f"fidelity of step {self.index} of episode {self.episode_id}"

    @property
    def is_waiting(self) -> bool:
        return self.reason == self.Reason.WAITING


class EpisodeFidelity(models.Model):
    """The record that an ended episode's steps were chosen for checking: by which version, and how many."""

    episode = models.OneToOneField(
        "trajectories.Episode",
        on_delete=models.CASCADE,
        primary_key=True,
        related_name="fidelity_choice",
        db_constraint=False,
    )
    version = models.PositiveSmallIntegerField()
    steps = models.PositiveIntegerField()
    chosen_at = models.DateTimeField(db_default=Now())

    class Meta:
        verbose_name_plural = "episode fidelity"

    def __str__(self) -> str:
        return f"{self.steps} steps of episode {self.episode_id}"
