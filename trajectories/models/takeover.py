"""Takeovers: a person acts in the agent's place for a while."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from trajectories.models.step import Step

# These conditions are the only definition of a takeover's state, shared by the arena, the lab and the
# sweeper. The takeover `t` is in progress; `idle` is how many seconds it may last without an act.
TAKEN = "t.ended_at IS NULL AND t.last_at > now() - %(idle)s * interval '1 s'"
# The takeover `t` ends its episode.
IS_LAST = "t.ended_as IN ('given_up', 'diverged')"
# The takeover `t` holds its episode `e`; one that ends the episode holds it until the episode has ended.
HOLDS = f"({TAKEN} OR {IS_LAST} AND e.status = 'open')"
# Some takeover holds the episode `e`.
IS_TAKEN = f"""(e.is_taken_over AND EXISTS (
    SELECT FROM trajectories_takeover t WHERE t.episode_id = e.id AND {HOLDS}))"""


class Takeover(models.Model):
    """A lease on an episode. While it holds, the person uses the episode's pages and the agent waits.

    The agent's steps end with ``begins_after``; the person's steps follow, up to ``last_index``. A lease that
    has been idle for too long has expired, even though ``ended_at`` is still null.
    """

    class End(models.TextChoices):
        HANDED_BACK = "handed_back"
        GIVEN_UP = "given_up"
        IDLE = "idle"
        DIVERGED = "diverged"  # The fork's restored page differed from its parent's.

    episode = models.ForeignKey("trajectories.Episode", on_delete=models.CASCADE, related_name="takeovers")
    person = models.CharField(max_length=150)
    link = models.CharField(max_length=64, default="")  # The SHA-256 of the link's code, until it is used.
    grammar = models.CharField(max_length=32)
    segment = models.CharField(max_length=12, choices=Step.Segment)
    begins_after = models.PositiveIntegerField()
    last_index = models.PositiveIntegerField()
    element_ids = models.TextField(default="")  # The keys of all recorded element ids, in order.
    # The URL of the page that is opened first, relative to the episode's first page.
    entry = models.TextField(default="")
    # For restoring a fork's page: the event at which it is shown (``as_of``), the documents on the way,
    # starting with that page, each with the acts to repeat on it (``acts``), and the outline that must result
    # (``expected``).
    as_of = models.PositiveIntegerField(null=True)
    acts = models.JSONField(default=list)
    expected = models.TextField(default="")
    # True if the next document is the one to which the last step led.
    is_leading = models.BooleanField(default=True)
    created_at = models.DateTimeField(db_default=Now())
    last_at = models.DateTimeField(db_default=Now())
    ended_at = models.DateTimeField(null=True)
    ended_as = models.CharField(max_length=12, choices=End, default="")
    detail = models.TextField(default="")  # The lines in which a restored page differed.

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["episode"], condition=Q(ended_at__isnull=True), name="takeover_one_at_a_time"
            )
        ]

    def __str__(self) -> str:
        return f"takeover {self.pk}"


def is_below(address: str) -> bool:
    """Return whether a relative address, resolved from an episode's first page, stays below it."""
    return (
        not address.startswith(("/", "\\")) and ".." not in address and ":" not in address.partition("?")[0]
    )
