"""Roles in the lab. Annotators see only what they were given to label.

An adjudicator is an annotator who may also settle disagreements in every project to which they are added. Any
other member of a project can also be made its adjudicator (``Annotator.is_adjudicator``).
"""

from __future__ import annotations

from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import AnonymousUser, Group, User
from django.db.models import Exists, OuterRef

ANNOTATORS = "annotators"
ADJUDICATORS = "adjudicators"
CACHE = "_is_annotator"


class LabBackend(ModelBackend):
    """An authentication backend that reads a user, and whether they may only label, in one query."""

    def get_user(self, user_id: int) -> User | None:
        memberships = User.groups.through.objects.filter(user_id=OuterRef("pk"), group__name=ANNOTATORS)
        user = User.objects.annotate(**{CACHE: Exists(memberships)}).filter(pk=user_id).first()
        return user if user is not None and self.user_can_authenticate(user) else None


def is_annotator(user: User | AnonymousUser) -> bool:
    """Return True if the user may only label. Everyone else who can log in is a researcher."""
    if user.is_staff or not user.is_authenticated:
        return False
    known: bool | None = getattr(user, CACHE, None)
    if known is None:  # the user was not read by the backend, for example because they have just logged in
        known = _is_in(user, ANNOTATORS)
        setattr(user, CACHE, known)
    return known


def is_adjudicator(user: User) -> bool:
    """Return True if the user settles disagreements in the projects in which they label."""
    return _is_in(user, ADJUDICATORS)


def annotator_make(user: User) -> None:
    """Give a user the role of an annotator."""
    _add_to(user, ANNOTATORS)


def adjudicator_make(user: User) -> None:
    """Give a user the role of an adjudicator, who otherwise sees no more than an annotator."""
    _add_to(user, ANNOTATORS)
    _add_to(user, ADJUDICATORS)


def _is_in(user: User | AnonymousUser, name: str) -> bool:
    return user.groups.filter(name=name).exists()


def _add_to(user: User, name: str) -> None:
    group, _ = Group.objects.get_or_create(name=name)
    user.groups.add(group)
