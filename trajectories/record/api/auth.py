"""API keys and their scopes. Access is closed by default: a view that declares no scopes refuses everyone."""

from __future__ import annotations

import hashlib
import re
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.http import HttpRequest
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import MethodNotAllowed
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from core.database.sql import Statement
from core.errors import GymError
from palaestra.protocol.suggestions import did_you_mean
from trajectories.models.access import DEFAULT_PROJECT, ApiKey, KeyChange, Scope

KEY_PREFIX = "gym_"
COMMAND = "manage.py"  # recorded as the author when a command creates or revokes a key
KEY_BYTES = 32
SHOWN_PREFIX_CHARS = 8
CACHED_KEYS_MAX = 1_000
PROJECT = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?")
BEARER = re.compile(r"Bearer +(\S+)\s*$", re.IGNORECASE)


@dataclass(frozen=True)
class Principal:
    """The holder of an API key. DRF requires ``is_authenticated``."""

    key_id: int
    name: str
    scopes: frozenset[str]
    splits: frozenset[str]
    project: str | None = DEFAULT_PROJECT  # None for a person in the lab, who sees all projects
    is_authenticated: bool = True

    def may(self, scope: str) -> bool:
        """Return whether the key has the scope. ``trainer`` includes ``read``; ``admin`` includes all."""
        granted = {scope, Scope.ADMIN, *([Scope.TRAINER] if scope == Scope.READ else [])}
        return not granted.isdisjoint(self.scopes)

    def require(self, *scopes: str) -> None:
        """Raise ``GymError`` 403 ``missing_scope`` if the key has none of the scopes."""
        if not any(self.may(scope) for scope in scopes):
            named = " or ".join(f"{str(scope)!r}" for scope in scopes)
            raise GymError(
                "missing_scope",
                f"This needs a key with the scope {named}; the key {self.name!r} does not have it.",
                status=403,
            )

    def sees_split(self, split: str) -> bool:
        return not self.splits or split in self.splits


KEY_USE = Statement(__file__, "key_use")
_cache: dict[str, tuple[float, Principal | None]] = {}


@transaction.atomic
def key_create(
    *,
    name: str,
    scopes: list[str],
    splits: list[str] | None = None,
    project: str = DEFAULT_PROJECT,
    author: str = COMMAND,
) -> str:
    """Create a key and return it. Only its digest is stored, along with its author.

    Raises ``GymError`` 422 ``unknown_scope`` or ``bad_project``.
    """
    for scope in scopes:
        if scope not in Scope.values:
            raise GymError(
                "unknown_scope",
                f"There is no scope {scope!r}. {did_you_mean(scope, Scope.values)}",
                status=422,
            )
    if not PROJECT.fullmatch(project):
        message = "A project's name has 1 to 64 characters: small letters, digits, and . _ - between them."
        raise GymError("bad_project", message, status=422)
    key = KEY_PREFIX + secrets.token_urlsafe(KEY_BYTES)
    made = ApiKey.objects.create(
        name=name,
        digest=key_digest(key),
        prefix=key[:SHOWN_PREFIX_CHARS],
        scopes=scopes,
        splits=splits or [],
        project=project,
    )
    KeyChange.objects.create(api_key=made, kind=KeyChange.Kind.CREATED, author=author)
    return key


def key_digest(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def principal_for(authorization: str | None) -> Principal:
    """Return the caller of a request. Raises ``GymError`` 401 without a valid key.

    Keys are cached for ``API_KEY_CACHE_S`` seconds, so a revoked key may keep working for that long.
    """
    match = BEARER.match(authorization or "")
    if match is None:
        raise GymError("no_key", "Send a key: Authorization: Bearer <key>.", status=401)
    digest = key_digest(match.group(1))
    now = time.monotonic()
    expires_at, principal = _cache.get(digest, (0.0, None))
    if expires_at < now:
        principal = _principal_load(digest)
        if len(_cache) >= CACHED_KEYS_MAX:
            _cache_shrink()
        _cache[digest] = (now + settings.API_KEY_CACHE_S, principal)
    if principal is None:
        raise GymError("bad_key", "This key is unknown or was revoked.", status=401)
    return principal


def find_known_key(authorization: str) -> int | None:
    """Return the id of a key that this process recently found valid, without asking the database."""
    match = BEARER.match(authorization)
    _, principal = _cache.get(key_digest(match.group(1)), (0.0, None)) if match else (0.0, None)
    return principal.key_id if principal else None


def forget_keys() -> None:
    """Empty the cache of keys (tests, and after a revocation in this process)."""
    _cache.clear()


def _cache_shrink() -> None:
    """Drop unknown keys from the cache, so that a caller who invents keys cannot push valid ones out."""
    known = {digest: entry for digest, entry in _cache.items() if entry[1] is not None}
    _cache.clear()
    if len(known) < CACHED_KEYS_MAX:
        _cache.update(known)


def _principal_load(digest: str) -> Principal | None:
    row = KEY_USE.row(digest=digest)
    if row is None:
        return None
    key_id, name, scopes, splits, project = row
    return Principal(
        key_id=key_id, name=name, scopes=frozenset(scopes), splits=frozenset(splits), project=project
    )


class KeyAuthentication(BaseAuthentication):
    """Authentication of DRF requests by API key."""

    def authenticate(self, request: Request) -> tuple[Principal, None]:
        return principal_for(request.META.get("HTTP_AUTHORIZATION")), None

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class Closed(BasePermission):
    """Permission for views that declare ``scopes = {"GET": "read", "POST": "trainer"}``.

    Methods that are not declared are refused.
    """

    def has_permission(self, request: Request, view: Any) -> bool:
        scopes: Mapping[str, str] = getattr(view, "scopes", {})
        method = str(request.method)
        if not hasattr(view, method.lower()):
            raise MethodNotAllowed(method)
        scope = scopes.get("GET" if method == "HEAD" else method)
        if scope is None:
            return False
        caller(request).require(scope)
        return True


def caller(request: Request | HttpRequest) -> Principal:
    """Return the authenticated caller of an API view. Raises ``GymError`` 401 ``no_key``."""
    user = request.user
    if not isinstance(user, Principal):
        raise GymError("no_key", "Send a key: Authorization: Bearer <key>.", status=401)
    return user


def key_list() -> QuerySet[ApiKey]:
    """Return all keys: active ones first, then revoked ones, newest first within each."""
    return ApiKey.objects.order_by("-revoked_at", "-pk")


def key_get(key_id: int) -> ApiKey:
    """Return a key. Raises ``GymError`` 404 ``unknown_key``."""
    key = ApiKey.objects.filter(pk=key_id).first()
    if key is None:
        raise GymError("unknown_key", f"There is no key {key_id}.", status=404)
    return key


@transaction.atomic
def key_revoke(key_id: int, *, author: str) -> bool:
    """Revoke a key for good. Return False if it was already revoked.

    Processes that have cached the key accept it for up to ``API_KEY_CACHE_S`` seconds more, and sockets that
    are open for up to a minute. Raises ``GymError`` 404 ``unknown_key``.
    """
    key = key_get(key_id)
    is_new = ApiKey.objects.filter(pk=key_id, revoked_at=None).update(revoked_at=Now()) == 1
    if is_new:
        KeyChange.objects.create(api_key=key, kind=KeyChange.Kind.REVOKED, author=author)
        forget_keys()
    return is_new
