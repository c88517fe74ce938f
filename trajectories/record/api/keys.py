"""API keys: their list, and revocation."""

from __future__ import annotations

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from core.errors import GymError
from trajectories.models.access import ApiKey, KeyChange
from trajectories.record.api import auth


def key_list() -> QuerySet[ApiKey]:
    """Return all keys, those in use first, then the revoked ones, each newest first."""
    return ApiKey.objects.order_by("-revoked_at", "-pk")


def key_get(key_id: int) -> ApiKey:
    """Return a key. Raises ``GymError`` 404 ``unknown_key``."""
    key = ApiKey.objects.filter(pk=key_id).first()
    if key is None:
        raise GymError("unknown_key", f"There is no key {key_id}.", status=404)
    return key


@transaction.atomic
def key_revoke(key_id: int, *, author: str) -> bool:
    """Revoke a key for good; return False if it already was. Raises ``GymError`` 404 ``unknown_key``.

    Processes that know it accept it for up to ``API_KEY_CACHE_S`` seconds more, open sockets for a minute.
    """
    key = key_get(key_id)
    is_new = ApiKey.objects.filter(pk=key_id, revoked_at=None).update(revoked_at=Now()) == 1
    if is_new:
        KeyChange.objects.create(api_key=key, kind=KeyChange.Kind.REVOKED, author=author)
        auth.forget_keys()
    return is_new
