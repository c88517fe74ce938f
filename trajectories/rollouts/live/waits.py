"""Long polls under ``/wait/...``, served by a bare ASGI application.

Django's own HTTP stack is ten times as slow under ASGI as under WSGI, and a long poll needs none of it.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
import resource
from collections.abc import Awaitable, Callable, Coroutine, Iterator, MutableMapping
from typing import Any, NamedTuple

import msgspec

from core.database.integers import BIGINT_MAX
from core.errors import GymError
from core.telemetry import metrics
from trajectories.rollouts.live import access
from trajectories.rollouts.live.feeds import (
    after_read,
    query_read,
    timeout_read,
    unknown_episode_error,
    unknown_run_error,
)
from trajectories.rollouts.live.hub import Hub
from trajectories.rollouts.live.selectors import Unavailable

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
logger = logging.getLogger(__name__)
WAITERS_MAX = 20_000
# Waiters may use this share of the files that this process may open.
FILES_SHARE = 0.8
EPISODE_PATH = re.compile(r"/wait/episodes/([0-9]{1,19})/?")
VERDICTS_PATH = re.compile(r"/wait/runs/([0-9]{1,19})/verdicts/?")
HEALTH_PATH = re.compile(r"/wait/health/?")
ROUTES = {
    EPISODE_PATH: "wait/episodes/<id:episode_id>",
    VERDICTS_PATH: "wait/runs/<id:run_id>/verdicts",
    HEALTH_PATH: "wait/health",
}


class Answer(NamedTuple):
    """The answer to a wait. ``body`` is JSON."""

    status: int
    body: bytes
    retry_after_s: int | None = None


def answer_of(error: GymError) -> Answer:
    return Answer(error.status, msgspec.json.encode(error.as_body()), error.retry_after_s)


async def answer_unless_gone(work: Coroutine[Any, Any, Answer], receive: Receive) -> Answer | None:
    """Return the answer, or None as soon as the caller hangs up, in which case the work is cancelled."""
    working, leaving = asyncio.ensure_future(work), asyncio.ensure_future(_gone(receive))
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        return working.result() if working.done() else None
    finally:
        working.cancel()
        leaving.cancel()


async def answer_send(answer: Answer, send: Send, *, has_body: bool) -> None:
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(answer.body)).encode()),
        (b"cache-control", b"no-store"),
        (b"x-content-type-options", b"nosniff"),
    ]
    if answer.retry_after_s is not None:
        headers.append((b"retry-after", str(answer.retry_after_s).encode()))
    if answer.status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    if answer.status == 405:
        # The request's body is left unread, so the server closes the connection afterwards.
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": answer.body if has_body else b""})


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


class WaitApp:
    """Application that answers waits from the hub. ``waiting`` is the number of waits in progress."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self.waiting = 0
        files_max, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        self._waiting_max = WAITERS_MAX if files_max < 0 else min(WAITERS_MAX, int(files_max * FILES_SHARE))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = await answer_unless_gone(self._answer(scope), receive)
        if answer is not None:
            route = next((name for path, name in ROUTES.items() if path.fullmatch(scope["path"])), "")
            metrics.REQUESTS.note(
                route=route or metrics.UNROUTED, method=scope["method"], status=answer.status
            )
            await answer_send(answer, send, has_body=scope["method"] != "HEAD")

    async def _answer(self, scope: Scope) -> Answer:
        try:
            return await self._route(scope)
        except GymError as error:
            return answer_of(error)
        except Unavailable as error:
            return answer_of(access.unavailable(error))
        except Exception:
            logger.exception("A wait failed")
            message = "An internal error occurred and has been logged."
            return answer_of(GymError("internal_error", message, status=500))

    async def _route(self, scope: Scope) -> Answer:
        if scope["method"] not in ("GET", "HEAD"):
            raise GymError("method_not_allowed", "Waits are GET requests.", status=405)
        path: str = scope["path"]
        if HEALTH_PATH.fullmatch(path):
            return await self._health()
        if match := EPISODE_PATH.fullmatch(path):
            return await self._episode(scope, int(match[1]))
        if match := VERDICTS_PATH.fullmatch(path):
            return await self._verdicts(scope, int(match[1]))
        raise GymError("not_found", "There is nothing at this address.", status=404)

    async def _episode(self, scope: Scope, episode_id: int) -> Answer:
        viewer = await access.viewer_by_key(access.header(scope, b"authorization"))
        timeout_s = timeout_read(query_read(scope["query_string"]))
        with self._place():
            if episode_id > BIGINT_MAX:
                raise unknown_episode_error(episode_id)
            state = await self._hub.episode_wait(episode_id, timeout_s=timeout_s, viewer=viewer)
        if state is None:
            raise unknown_episode_error(episode_id)
        return Answer(200, state.record.encode())

    async def _verdicts(self, scope: Scope, run_id: int) -> Answer:
        viewer = await access.viewer_by_key(access.header(scope, b"authorization"))
        query = query_read(scope["query_string"])
        timeout_s, after = timeout_read(query), after_read(query)
        if run_id > BIGINT_MAX:
            raise unknown_run_error(run_id)
        with self._place():
            seen = await self._hub.verdicts_wait(run_id, after=after, timeout_s=timeout_s, viewer=viewer)
        if seen is None:
            raise unknown_run_error(run_id)
        return Answer(200, f'{{"results":[{",".join(seen.records)}],"next":{seen.next}}}'.encode())

    async def _health(self) -> Answer:
        is_up = await self._hub.reader.is_up()
        is_redis_up = self._hub.announcements.is_connected
        report = {
            "status": ("ok" if is_redis_up else "degraded") if is_up else "down",
            "database": "ok" if is_up else "down",
            "redis": "ok" if is_redis_up else "down",
            "waiting": self.waiting,
            "watched": len(self._hub.feeds),
        }
        # Without Redis, waits are still answered, only later.
        return Answer(200 if is_up else 503, msgspec.json.encode(report))

    @contextlib.contextmanager
    def _place(self) -> Iterator[None]:
        """Occupy one waiter's slot until the wait ends, in whatever way."""
        if self.waiting >= self._waiting_max:
            message = f"{self._waiting_max:,} requests are already waiting here; try again."
            raise GymError("too_many_waiters", message, status=503, retry_after_s=1)
        self.waiting += 1
        try:
            yield
        finally:
            self.waiting -= 1
