"""Roles in the lab. An annotator sees what was given to them to label, and no other page."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser, Group, User

ANNOTATORS = "annotators"
CACHE = "_is_annotator"


def is_annotator(user: User | AnonymousUser) -> bool:
    """Whether the user may only label. All others who can log in are researchers."""
    if user.is_staff or not user.is_authenticated:
        return False
    known: bool | None = getattr(user, CACHE, None)  # a page asks several times
    if known is None:
        known = user.groups.filter(name=ANNOTATORS).exists()
        setattr(user, CACHE, known)
    return known


def annotator_make(user: User) -> None:
    """Make a user an annotator."""
    group, _ = Group.objects.get_or_create(name=ANNOTATORS)
    user.groups.add(group)
