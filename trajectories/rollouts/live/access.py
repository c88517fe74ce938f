"""Access to waiting and watching: keys with ``read`` or ``trainer``, and people logged in to the lab."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

from channels.db import database_sync_to_async  # type: ignore[import-untyped]
from django.conf import settings
from django.db import Error as DatabaseError

from core.errors import GymError
from core.storage import disk
from trajectories.models.access import Scope
from trajectories.record.api import auth
from trajectories.rollouts.live.selectors import EpisodeState

Connection = Mapping[str, Any]

BEARER_PROTOCOL = "bearer."


@dataclass(frozen=True, kw_only=True)
class Viewer:
    """A caller, with the limits on what it may see.

    ``splits`` are the splits that it may see; if empty, it may see all. A ``project`` of None means all
    projects.
    """

    project: str | None = None
    splits: frozenset[str] = frozenset()

    def sees_project(self, project: str) -> bool:
        return self.project in (None, project)

    def sees(self, episode: EpisodeState) -> bool:
        return self.sees_project(episode.project) and (not self.splits or episode.split in self.splits)


async def viewer_by_key(authorization: str | None) -> Viewer:
    """Return the holder of a key. Raises ``GymError`` 401, 403, or 503 if Postgres is unreachable."""
    try:
        # This wrapper releases the connection. One kept by the thread would be dead after a restart of
        # Postgres.
        principal = await database_sync_to_async(auth.principal_for)(authorization)
    except DatabaseError as error:
        raise unavailable(error) from None
    if not principal.may(Scope.READ):
        principal.require(Scope.TRAINER)
    return Viewer(project=principal.project, splits=principal.splits)


async def viewer_of_socket(connection: Connection) -> Viewer:
    """Return the caller of a WebSocket.

    The caller is identified by a key in ``Authorization`` or in the subprotocol ``bearer.<key>``, or else by
    the lab's cookie. Keys in addresses are not accepted, because addresses end up in logs and histories.
    Raises the errors of ``viewer_by_key``, and ``GymError`` 403 ``wrong_origin`` for a cookie sent by another
    site's page.
    """
    authorization = header(connection, b"authorization")
    for protocol in connection.get("subprotocols", ()):
        if protocol.startswith(BEARER_PROTOCOL):
            authorization = f"Bearer {protocol.removeprefix(BEARER_PROTOCOL)}"
    if authorization is not None:
        return await viewer_by_key(authorization)
    return await _viewer_by_session(connection)


def subprotocol_chosen(connection: Connection) -> str | None:
    """Choose a subprotocol, because browsers expect one of those that they offered.

    The key is chosen only if nothing else was offered.
    """
    offers: list[str] = sorted(
        connection.get("subprotocols", ()), key=lambda offer: offer.startswith(BEARER_PROTOCOL)
    )
    return offers[0] if offers else None


def header(connection: Connection, name: bytes) -> str | None:
    for key, value in connection["headers"]:
        if key == name:
            return str(value.decode("latin-1"))
    return None


def unavailable(error: Exception) -> GymError:
    if disk.is_disk_full_error(error):
        return disk.disk_full_error()
    message = "The database is unreachable; try again."
    return GymError("database_unavailable", message, status=503, retry_after_s=1)


async def _viewer_by_session(connection: Connection) -> Viewer:
    key = _session_key(connection)
    if key is None:
        raise GymError("no_key", "Send a key: Authorization: Bearer <key>.", status=401)
    if not is_lab_origin(connection):
        raise GymError("wrong_origin", "Lab sessions are only accepted from pages of the lab.", status=403)
    try:
        user, is_annotator = await _user_of_session(key)
    except DatabaseError as error:
        raise unavailable(error) from None
    if not user.is_authenticated:
        raise GymError("no_session", "Log in to the lab first.", status=401)
    if is_annotator:
        raise GymError("not_for_annotators", "Annotators may see only their queue.", status=403)
    return Viewer()


async def _user_of_session(key: str) -> tuple[Any, bool]:
    # Imported here, because the import adds 30 ms to every start and most sockets use a key.
    from channels.auth import get_user  # type: ignore[import-untyped]

    from trajectories.shell import roles

    store = import_module(settings.SESSION_ENGINE).SessionStore(key)
    user = await get_user({"session": store})
    return user, await database_sync_to_async(roles.is_annotator)(user)


def _session_key(connection: Connection) -> str | None:
    try:
        cookie = SimpleCookie(header(connection, b"cookie") or "").get(settings.SESSION_COOKIE_NAME)
    except CookieError:
        return None
    return cookie.value if cookie else None


def is_lab_origin(connection: Connection) -> bool:
    """Return whether the page that opens the socket belongs to the lab.

    The host alone does not show this: the arena may be on the same host with another port, and cookies ignore
    ports.
    """
    origin = header(connection, b"origin")
    if origin is None:
        return False
    if origin in (_origin(settings.LAB_URL), _origin(settings.LIVE_URL)):
        return True
    page, server = urlsplit(origin), urlsplit(f"//{header(connection, b'host') or ''}")
    is_same_host = page.hostname is not None and page.hostname == server.hostname
    return is_same_host and page.port in (settings.LAB_PORT, settings.LIVE_PORT)


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
