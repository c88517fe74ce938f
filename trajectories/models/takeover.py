"""A person who acts in place of the agent, for a while."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from trajectories.models.step import Step

# The single definition of a takeover and where it is, for the arena, the lab and the sweeper.
# Whether a takeover `t` goes on; `idle` is how many seconds it may be without an act.
TAKEN = "t.ended_at IS NULL AND t.last_at > now() - %(idle)s * interval '1 s'"
# Whether the episode ends with a takeover `t`.
IS_LAST = "t.ended_as IN ('given_up', 'diverged')"
# Whether a takeover `t` holds its episode `e`: one that ends the episode holds it until the end.
HOLDS = f"({TAKEN} OR {IS_LAST} AND e.status = 'open')"
# Whether a takeover holds an episode `e`.
IS_TAKEN = f"""(e.is_taken_over AND EXISTS (
    SELECT FROM trajectories_takeover t WHERE t.episode_id = e.id AND {HOLDS}))"""


class Takeover(models.Model):
    """A lease on an episode: while it holds, its pages are the person's, and the agent waits.

    The agent's steps end with ``begins_after``; the person's are those from there to ``last_index``. A lease
    that was idle for too long is over, although ``ended_at`` is still null.
    """

    class End(models.TextChoices):
        HANDED_BACK = "handed_back"
        GIVEN_UP = "given_up"
        IDLE = "idle"
        DIVERGED = "diverged"  # the page of the fork was another one than its parent's

    episode = models.ForeignKey("trajectories.Episode", on_delete=models.CASCADE, related_name="takeovers")
    person = models.CharField(max_length=150)
    link = models.CharField(max_length=64, default="")  # SHA-256 of the link's code until it is used
    grammar = models.CharField(max_length=32)
    segment = models.CharField(max_length=12, choices=Step.Segment)
    begins_after = models.PositiveIntegerField()
    last_index = models.PositiveIntegerField()
    element_ids = models.TextField(default="")  # keys of all ids that are on record, in order
    entry = models.TextField(default="")  # address of the page that is opened first, below the first page
    # A fork's page before it has been restored: the event at which it is shown, the documents on the way
    # (this one first), each with what is done again on it, and the outline that has to come of it.
    as_of = models.PositiveIntegerField(null=True)
    acts = models.JSONField(default=list)
    expected = models.TextField(default="")
    # Whether the next document is what the last step led to.
    is_leading = models.BooleanField(default=True)
    created_at = models.DateTimeField(db_default=Now())
    last_at = models.DateTimeField(db_default=Now())
    ended_at = models.DateTimeField(null=True)
    ended_as = models.CharField(max_length=12, choices=End, default="")
    detail = models.TextField(default="")  # the lines in which a page differed

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
