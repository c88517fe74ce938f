"""The stage's server: authenticated connections with one session each, and health and metrics over HTTP."""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
import time
from contextlib import AsyncExitStack
from http import HTTPStatus

import msgspec
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request as HttpRequest
from websockets.http11 import Response

import palaestra
from palaestra import wire
from palaestra.api import Client
from palaestra.api.background import Heartbeat, tasks_cancel
from palaestra.errors import ApiError, PalaestraError
from palaestra.pages.lite import LitePool
from palaestra.pages.surface import BROWSERS, Pool
from palaestra.play.pools import LITE
from palaestra.stage.browsers import Browsers
from palaestra.stage.capacity import Full, Slot, Slots
from palaestra.stage.gauges import Gauges
from palaestra.stage.health import LabWatch
from palaestra.stage.orphans import Orphans
from palaestra.stage.player import Player
from palaestra.stage.sessions import Session
from palaestra.stage_config import StageConfig

logger = logging.getLogger(__name__)

CHROMIUM = BROWSERS[0]
OK = "ok"
PING_S = 20.0
SWEEP_S = 5.0
RESTART_CODE = 1012
POLICY_CODE = 1008
STOPS = "the stage stops"
FAULTS_MAX = 10
QUEUE_MAX = 2  # messages that may wait while another is answered; trainers send only one at a time
MESSAGE_MAX = 500


class ConnectedSession:
    """A session and its connection; ``lost_at`` is when the connection broke (``time.monotonic``)."""

    def __init__(self, session: Session, connection: ServerConnection) -> None:
        self.session = session
        self.connection: ServerConnection | None = connection
        self.lost_at = 0.0


class Stage:
    """A stage that serves until its context manager exits.

    ``client`` calls the installation whose episodes are played; ``token`` is the bearer token of trainers.
    """

    def __init__(self, client: Client, *, token: str, config: StageConfig | None = None) -> None:
        self.config = config or StageConfig()
        self.client = client
        self.gauges = Gauges()
        self.browsers = Browsers(client, self.config)
        sizes = {CHROMIUM: self.config.pages, LITE: self.config.lite_pages}
        pools: dict[str, Pool] = {
            CHROMIUM: self.browsers,
            LITE: LitePool(size=max(1, self.config.lite_pages)),
        }
        self.slots = {
            kind: Slots(pools[kind], size=sizes[kind], memory_floor_mb=self.config.memory_floor_mb)
            for kind in BROWSERS
        }
        self._checked_runs: dict[str, set[int]] = {kind: set() for kind in BROWSERS}
        self._token = token.encode()
        self._sessions: dict[str, ConnectedSession] = {}
        self._heartbeat = Heartbeat(client)
        self._watch = LabWatch(client)
        self._stack = AsyncExitStack()
        self._is_stopping = False

    async def warm(self) -> None:
        """Open a first page.

        Raises ``BrowserMissing`` if there is no browser, and ``ApiError`` or ``Unreachable`` if the
        installation does not answer.
        """
        await self.client.benchmarks()  # checks the key, which ``/health`` would not need
        if self.config.pages:
            await self.browsers.release(await self.browsers.acquire())

    async def serve(self, host: str, port: int) -> Server:
        """Start listening. Raises ``OSError`` if the port is taken."""
        server: Server = await serve(
            self._converse,
            host,
            port,
            process_request=self._answer_http,
            compression=None,
            max_size=wire.REQUEST_MAX_BYTES,
            max_queue=QUEUE_MAX,
            ping_interval=PING_S,
            ping_timeout=PING_S,
        )
        self._stack.push_async_callback(self._stop, server)
        return server

    async def __aenter__(self) -> Stage:
        for pool in {slots.pool for slots in self.slots.values()}:
            self._stack.push_async_callback(pool.aclose)
        for background in (self._heartbeat, self._watch, self.browsers, Orphans()):
            await self._stack.enter_async_context(background)
        sweep = asyncio.ensure_future(self._sweep())
        self._stack.push_async_callback(tasks_cancel, [sweep])
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    # ---- HTTP
    def _answer_http(self, connection: ServerConnection, request: HttpRequest) -> Response | None:
        path = request.path.partition("?")[0]
        if path == "/health":
            return self._answer_health(connection)
        if path not in (wire.PATH, "/capacity", "/metrics"):
            return _error_response(
                connection, HTTPStatus.NOT_FOUND, "not_found", f"There is no {path[:100]} here."
            )
        given = request.headers.get("Authorization", "").encode()
        if not hmac.compare_digest(given, b"Bearer " + self._token):
            self.gauges.refused.labels("unauthenticated").inc()
            message = "This is not the stage's token."
            return _error_response(connection, HTTPStatus.UNAUTHORIZED, "unauthenticated", message)
        if path == "/capacity":
            return _respond(
                connection, HTTPStatus.OK, msgspec.json.encode(self.measure_load(0)), "application/json"
            )
        if path == "/metrics":
            return _respond(connection, HTTPStatus.OK, self._render_metrics(), "text/plain; version=0.0.4")
        if self._is_stopping:
            return _error_response(
                connection, HTTPStatus.SERVICE_UNAVAILABLE, "stopping", "This stage stops."
            )
        return None

    def _answer_health(self, connection: ServerConnection) -> Response:
        status = HTTPStatus.OK if self.state == OK else HTTPStatus.SERVICE_UNAVAILABLE
        body = {"status": self.state, "version": palaestra.__version__}
        return _respond(connection, status, json.dumps(body).encode(), "application/json")

    @property
    def state(self) -> str:
        """``ok``, or the reason why the stage cannot play episodes."""
        if self._is_stopping:
            return "stopping"
        if not self._watch.lab.works:
            return "lab_unavailable"
        return OK if self.browsers.browser.works else "browser_unavailable"

    def measure_load(self, request: int) -> wire.Load:
        """Return the sessions and slots in use, as the answer to the request with this id."""
        return wire.Load(
            id=request,
            sessions=len(self._sessions),
            sessions_max=self.config.sessions_max,
            pages={kind: slots.occupancy for kind, slots in self.slots.items()},
        )

    def _render_metrics(self) -> bytes:
        gauges = self.gauges
        gauges.sessions.set(len(self._sessions))
        for kind, slots in self.slots.items():
            gauges.active.labels(kind).set(slots.taken)
            gauges.slots.labels(kind).set(slots.size)
        gauges.lab.set(self._watch.lab.works)
        gauges.browser.set(self.browsers.browser.works)
        gauges.browsers.set(self.browsers.running)
        gauges.memory.set(self.browsers.memory_mb * 2**20)
        gauges.recycled.set(self.browsers.recycled)
        return gauges.render()

    # ---- connections
    async def _converse(self, connection: ServerConnection) -> None:
        name, faults = "", 0
        try:
            async for content in connection:
                try:
                    request = _request_read(content)
                except ApiError as refusal:
                    faults += 1
                    if faults >= FAULTS_MAX:
                        await connection.close(POLICY_CODE, "too many messages that are not requests")
                        break
                    await connection.send(wire.answer_encode(self._refuse(0, refusal)))
                    continue
                if self._is_stopping:
                    await connection.close(RESTART_CODE, STOPS)
                    break
                if isinstance(request, wire.Open):
                    name = name or request.session
                answer = await self._answer(name, request, connection)
                await connection.send(wire.answer_encode(answer))
        except ConnectionClosed:
            pass  # the session waits for its trainer to reconnect
        finally:
            entry = self._sessions.get(name)
            if entry is not None and entry.connection is connection:
                entry.connection, entry.lost_at = None, time.monotonic()
                if entry.session.is_new:  # such a session has no episode to reconnect to
                    del self._sessions[name]

    async def _answer(self, name: str, request: wire.AnyRequest, connection: ServerConnection) -> wire.Answer:
        try:
            if isinstance(request, wire.Open):
                if request.session != name:
                    message = "This connection has a session: open another one for the next."
                    raise ApiError(status=409, code="one_session", message=message)
                return self._open(request, connection)
            entry = self._sessions.get(name)
            if entry is None or entry.connection is not connection:
                raise ApiError(status=409, code="no_session", message="Open a session first.")
            if isinstance(request, wire.Ask):
                return self.measure_load(request.id)
            if isinstance(request, wire.Fetch):
                entry.session.picture_check(request.sha256)
                return wire.Blob(id=request.id, content=await self.client.blob_get(request.sha256))
            answer = await entry.session.answer(request)
            if isinstance(request, wire.Reset | wire.Fork | wire.Resume):
                self.gauges.episodes.labels(request.__struct_config__.tag).inc()
            if isinstance(request, wire.Leave):
                self._sessions.pop(name, None)
            return answer
        except Exception as failure:  # one failed request must not end the others
            if not isinstance(failure, PalaestraError | ValueError | TypeError):
                logger.exception("session %s", name)
            return self._refuse(request.id, failure)

    def _open(self, request: wire.Open, connection: ServerConnection) -> wire.Opened:
        entry = self._sessions.get(request.session)
        if entry is not None and not entry.session.is_left:
            entry.connection = connection
            episode = entry.session.player.episode
            if episode is None:
                return wire.Opened(id=request.id, player=entry.session.name)
            return wire.Opened(
                id=request.id, player=entry.session.name, episode=episode.opened.id, steps=episode.steps
            )
        if len(self._sessions) >= self.config.sessions_max:
            raise Full(f"All {self.config.sessions_max} sessions of this stage are in use.")
        if request.browser not in self.slots:
            raise ValueError(f"There is no browser {request.browser!r}. Known: {', '.join(self.slots)}.")
        player = Player(
            self.client,
            heartbeat=self._heartbeat,
            checked_runs=self._checked_runs[request.browser],
            slot=Slot(self.slots[request.browser], arm=request.arm),
            settings=request.settings,
            run=request.run,
            arm=request.arm,
            browser=request.browser,
        )
        session = Session(player, on_step=self.gauges.steps.observe)
        self._sessions[request.session] = ConnectedSession(session, connection)
        return wire.Opened(id=request.id, player=session.name)

    def _refuse(self, request: int, failure: Exception) -> wire.Failed:
        code = failure.code if isinstance(failure, ApiError) else type(failure).__name__
        self.gauges.refused.labels(code).inc()
        retry_after_s = failure.retry_after_s if isinstance(failure, Full) else None
        return wire.build_failed(request, failure, retry_after_s=retry_after_s)

    # ---- the end
    async def _sweep(self) -> None:
        """Drop sessions whose trainer has not reconnected; by now, another stage has their episodes."""
        while True:
            await asyncio.sleep(SWEEP_S)
            now = time.monotonic()
            for name, entry in list(self._sessions.items()):
                if entry.connection is None and now - entry.lost_at > self.config.linger_s:
                    del self._sessions[name]
                    await entry.session.end(is_abandoned=False)

    async def _stop(self, server: Server) -> None:
        """Stop listening and release every episode, so that other stages can continue them."""
        self._is_stopping = True
        server.close(close_connections=False)
        entries, self._sessions = list(self._sessions.values()), {}
        await asyncio.gather(*(entry.session.end(is_abandoned=False) for entry in entries))
        connections = [entry.connection for entry in entries if entry.connection is not None]
        await asyncio.gather(*(connection.close(RESTART_CODE, STOPS) for connection in connections))
        server.close()
        await server.wait_closed()


def _request_read(content: str | bytes) -> wire.AnyRequest:
    """Parse the request in a message. Raises ``ApiError`` if the message is not a request."""
    try:
        return wire.request_decode(content if isinstance(content, bytes) else b"")
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as problem:
        message = f"{problem}"[:MESSAGE_MAX]
        raise ApiError(status=400, code="bad_message", message=message) from problem


def _error_response(connection: ServerConnection, status: HTTPStatus, code: str, message: str) -> Response:
    """Return an error response in the same format as the API's errors."""
    body = {"error": {"code": code, "message": message, "fields": {}}}
    return _respond(connection, status, json.dumps(body).encode(), "application/json")


def _respond(connection: ServerConnection, status: HTTPStatus, body: bytes, kind: str) -> Response:
    response = connection.respond(status, "")
    response.body = body
    del response.headers["Content-Type"], response.headers["Content-Length"]
    response.headers["Content-Type"] = kind
    response.headers["Content-Length"] = str(len(body))
    return response
