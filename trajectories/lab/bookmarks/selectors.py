"""Bookmarks of steps and episodes, with the notes that researchers wrote there for each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from core.errors import GymError
from trajectories.models import Episode, StepMark

# A list of steps marks at most this many bookmarked steps.
SIGNS_MAX = 1_000
NOTE_CHARS = 4_000
CHANGED = (
    "Your note was changed in another tab after this page was loaded. That change was kept: "
    "compare the two, and save again."
)


@dataclass(frozen=True, kw_only=True)
class Marks:
    """One step's bookmarks (step 0 is the whole episode): the reader's own, and other people's notes."""

    episode: int
    step: int
    own: StepMark | None
    others: list[StepMark]
    reader: int = 0
    error: str = ""
    posted: str | None = None  # a note that the reader sent but that was not stored

    @property
    def note(self) -> str:
        """The note with which the form is filled in."""
        return (self.own.note if self.own else "") if self.posted is None else self.posted

    @property
    def version(self) -> str:
        return self.own.version if self.own else ""


def marks_of(
    user: User | AnonymousUser, *, episode_id: int, step: int, error: str = "", posted: str | None = None
) -> Marks:
    rows = StepMark.objects.select_related("user").filter(episode_id=episode_id, step=step).order_by("pk")
    marks = list(rows)
    return Marks(
        episode=episode_id,
        step=step,
        own=next((mark for mark in marks if mark.user_id == user.pk), None),
        others=[mark for mark in marks if mark.user_id != user.pk],
        reader=user.pk or 0,
        error=error,
        posted=posted,
    )


def list_marked_steps(episode_id: int) -> list[int]:
    """Return the numbers of the steps that anyone has bookmarked in an episode."""
    rows = StepMark.objects.filter(episode_id=episode_id, step__gt=0)
    return list(rows.order_by("step").values_list("step", flat=True).distinct()[:SIGNS_MAX])


def list_marks(
    user: User | AnonymousUser, *, is_all: bool, words: str, episode_id: int | None
) -> QuerySet[StepMark]:
    """List the reader's own or everyone's bookmarks whose note contains ``words``, newest first."""
    rows = StepMark.objects.select_related("user").order_by("-changed_at", "-pk")
    if not is_all:
        rows = rows.filter(user_id=user.pk or 0)
    if words:
        rows = rows.filter(note__icontains=words)
    if episode_id is not None:
        rows = rows.filter(episode_id=episode_id)
    return rows


def tasks_of(marks: list[StepMark]) -> dict[int, str]:
    """Map the number of each marked episode that still exists to its task."""
    episodes = Episode.objects.filter(pk__in={mark.episode_id for mark in marks})
    return dict(episodes.values_list("pk", "task__key"))


@transaction.atomic
def mark_save(user: User, *, episode_id: int, step: int, note: str | None = None, version: str = "") -> None:
    """Bookmark a step, or change the bookmark's note; without ``note`` an existing bookmark is left as it is.

    ``version`` is the version of the note that the reader saw. Raises ``GymError`` 409 if the note has
    changed since.
    """
    place: dict[str, Any] = {"user": user, "episode_id": episode_id, "step": step}
    mark, _ = StepMark.objects.select_for_update().get_or_create(**place)
    if note is None:
        return
    text = note.replace("\r\n", "\n").strip()[:NOTE_CHARS]
    if text == mark.note:
        return  # sent twice
    _version_check(mark, version)
    StepMark.objects.filter(pk=mark.pk).update(note=text, changed_at=Now())


@transaction.atomic
def mark_remove(user: User, *, episode_id: int, step: int, version: str = "") -> None:
    """Remove a bookmark. Raises ``GymError`` 409 if its note is no longer the one of ``version``."""
    marks = StepMark.objects.select_for_update().filter(user=user, episode_id=episode_id, step=step)
    for mark in marks:
        _version_check(mark, version)
        mark.delete()


def _version_check(mark: StepMark, version: str) -> None:
    if mark.version != version:
        raise GymError("note_changed", CHANGED, status=409)
