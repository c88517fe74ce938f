"""Roles in the lab. An annotator sees only what they were given to label.

An adjudicator is an annotator who may also settle disagreements, in every project that they are added to.
Any other member of a project can be made its adjudicator too (``Annotator.is_adjudicator``).
"""

from __future__ import annotations

from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import AnonymousUser, Group, User
from django.db.models import Exists, OuterRef

ANNOTATORS = "annotators"
ADJUDICATORS = "adjudicators"
CACHE = "_is_annotator"


class LabBackend(ModelBackend):
    """Reads who is logged in, and whether they may only label, in the same query."""

    def get_user(self, user_id: int) -> User | None:
        memberships = User.groups.through.objects.filter(user_id=OuterRef("pk"), group__name=ANNOTATORS)
        user = User.objects.annotate(**{CACHE: Exists(memberships)}).filter(pk=user_id).first()
        return user if user is not None and self.user_can_authenticate(user) else None


def is_annotator(user: User | AnonymousUser) -> bool:
    """Return whether the user may only label. Everyone else who can log in is a researcher."""
    if user.is_staff or not user.is_authenticated:
        return False
    known: bool | None = getattr(user, CACHE, None)
    if known is None:  # not read by the backend, such as a user who has just logged in
        known = _is_in(user, ANNOTATORS)
        setattr(user, CACHE, known)
    return known


def is_adjudicator(user: User) -> bool:
    """Return whether the user settles disagreements in the projects in which they label."""
    return _is_in(user, ADJUDICATORS)


def annotator_make(user: User) -> None:
    """Make a user an annotator."""
    _add_to(user, ANNOTATORS)


def adjudicator_make(user: User) -> None:
    """Make a user an adjudicator, who sees as little else as an annotator."""
    _add_to(user, ANNOTATORS)
    _add_to(user, ADJUDICATORS)


def _is_in(user: User | AnonymousUser, name: str) -> bool:
    return user.groups.filter(name=name).exists()


def _add_to(user: User, name: str) -> None:
    group, _ = Group.objects.get_or_create(name=name)
    user.groups.add(group)
