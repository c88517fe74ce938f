"""``RemoteEnv``: an ``Env`` for machines without a browser; stages on other machines play the episodes."""

from __future__ import annotations

import asyncio
import contextlib
import random
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from palaestra import wire
from palaestra.api.background import tasks_cancel
from palaestra.api.episode_calls import DETAIL_CHARS
from palaestra.api.message_pictures import messages_inline
from palaestra.completion import Completion
from palaestra.env import FORKING, OPENING, SETTINGS, StepInfo, Stepped, keywords_check
from palaestra.episode_config import EpisodeConfig
from palaestra.errors import ApiError, PalaestraError, Unreachable
from palaestra.http.backoff import Patience
from palaestra.observation import Observation, perceivable_check
from palaestra.play.pools import browser_check
from palaestra.protocol.end_reasons import CloseReason
from palaestra.records import Message, OpenedEpisode, Verdict
from palaestra.records.rewards import Rewards

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection

A = TypeVar("A", bound=wire.Answer)

PATIENCE_S = 240.0
"""The seconds for which a trainer looks for a stage: less than an episode's lease."""
UNAUTHENTICATED = 401
LEAVE_S = 10.0
CONNECT_S = 10.0
PAUSE_S = 0.25
ANSWER_MAX_BYTES = 64 * 2**20
INSTALL = "A stage needs websockets: pip install 'palaestra[stage]'."


@dataclass(kw_only=True)
class RemoteEpisode:
    """The trainer's view of an episode that a stage plays; attributes are named as in ``Episode``."""

    opened: OpenedEpisode
    observation: Observation
    tools: list[dict[str, Any]] | None
    response_format: dict[str, Any] | None
    steps: int = 0
    is_over: bool = False
    closed_as: str | None = None


class NoStage(Exception):
    """Raised if a stage does not answer. Another stage may."""

    def __init__(self, message: str, *, retry_after_s: float = 0.0) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s

    def to_error(self) -> PalaestraError:
        """Return the error to raise in a trainer after it has waited in vain."""
        if self.retry_after_s:
            return ApiError(status=429, code=wire.AT_CAPACITY, message=str(self))
        return Unreachable(f"No stage answers: {self}")


class RemoteEnv:
    """The counterpart of ``Env`` whose episodes are played by stages.

    It takes the addresses of one or more stages and their token, instead of the server and its key, and
    otherwise the same keywords. If a stage dies, another one continues the episode, and no step is taken
    twice. Raises ``Unreachable`` if no stage answers for ``patience_s`` seconds, and ``ApiError``
    ``at_capacity`` if all stages are full for that long.
    """

    def __init__(
        self,
        stages: str | Sequence[str],
        token: str,
        *,
        run: int,
        arm: str = "gym",
        browser: str = "chromium",
        patience_s: float = PATIENCE_S,
        **keywords: Any,
    ) -> None:
        keywords_check(keywords, known=SETTINGS | OPENING | {"reward_profile", "verdict_limit_s"})
        config = EpisodeConfig(**{name: keywords[name] for name in SETTINGS & keywords.keys()})
        perceivable_check(arm, config.observation)
        browser_check(browser, config)
        self.episode: RemoteEpisode | None = None
        self.client = StagePictures(self)
        addresses = [stages] if isinstance(stages, str) else list(stages)
        self._addresses = [_parse_address(each) for each in random.sample(addresses, len(addresses))]
        self._token, self._patience_s = token, patience_s
        self._opening = wire.Open(id=0, session="", run=run, arm=arm, browser=browser, settings=keywords)
        self._session = uuid.uuid4().hex
        self._count = 0
        self._connection: ClientConnection | None = None
        self._player = ""  # the name that the stage which got the last request gave this session
        self._one_at_a_time = asyncio.Lock()
        self._watch: asyncio.Task[None] | None = None

    async def __aenter__(self) -> RemoteEnv:
        return self

    async def __aexit__(self, *_: object) -> None:
        try:
            if self._watch is not None:
                await tasks_cancel([self._watch])
            if self._connection is not None or self._is_open:
                with contextlib.suppress(PalaestraError):
                    await self._ask(
                        wire.Leave(id=self._next_id(), abandoned=self._abandoned),
                        wire.Done,
                        patience_s=LEAVE_S,
                    )
        finally:  # even if this is cancelled in the meantime
            await self._drop()

    async def reset(
        self,
        task_id: int,
        *,
        seed: int | None = None,
        group: int | None = None,
        idempotency_key: str | None = None,
    ) -> Observation:
        """Open an episode in the same way as ``Env.reset``."""
        key = idempotency_key or uuid.uuid4().hex
        request = wire.Reset(
            id=self._next_id(), key=key, task=task_id, seed=seed, group=group, abandoned=self._abandoned
        )
        return await self._begin(request)

    async def fork(
        self, episode: int, step: int, *, idempotency_key: str | None = None, **fields: Any
    ) -> Observation:
        """Fork an episode in the same way as ``Env.fork``."""
        keywords_check(fields, known=FORKING)
        request = wire.Fork(
            id=self._next_id(),
            key=idempotency_key or uuid.uuid4().hex,
            episode=episode,
            step=step,
            **fields,
            abandoned=self._abandoned,
        )
        return await self._begin(request)

    async def _begin(self, request: wire.Reset | wire.Fork) -> Observation:
        begun = await self._ask(request, wire.Begun)
        self.episode = RemoteEpisode(
            opened=begun.opened,
            observation=begun.look.observation,
            tools=begun.tools,
            response_format=begun.response_format,
            steps=begun.opened.begins_after,
        )
        return self.episode.observation

    async def step(self, completion: str | Completion) -> Stepped:
        """Take a completion in the same way as ``Env.step``."""
        if isinstance(completion, str):
            completion = Completion(text=completion)
        episode = self._require_episode()
        request = wire.Take(
            id=self._next_id(), number=episode.steps + 1, completion=completion.truncate(), held=episode.steps
        )
        return self._convert_step(episode, await self._ask(request, wire.Stepped), steps=1)

    async def stop(self, reason: CloseReason = "agent_stopped", detail: str = "") -> Stepped:
        """End the episode in the same way as ``Env.stop``."""
        episode = self._require_episode()
        request = wire.Stop(
            id=self._next_id(),
            number=episode.steps + 1,
            reason=reason,
            detail=detail[:DETAIL_CHARS],
            held=episode.steps,
        )
        return self._convert_step(episode, await self._ask(request, wire.Stepped), steps=0)

    async def capacity(self) -> wire.Load:
        """Return the load of the stage that this environment is connected to."""
        return await self._ask(wire.Ask(id=self._next_id()), wire.Load)

    async def blob_get(self, digest: str) -> bytes:
        """Return a blob of the installation, which the stage fetches."""
        return (await self._ask(wire.Fetch(id=self._next_id(), sha256=digest), wire.Blob)).content

    # ---- inside
    @property
    def _is_open(self) -> bool:
        return self.episode is not None and not self.episode.is_over

    @property
    def _abandoned(self) -> int | None:
        return self.episode.opened.id if self.episode is not None and self._is_open else None

    def _require_episode(self) -> RemoteEpisode:
        if self.episode is None or self.episode.is_over:
            raise PalaestraError("There is no open episode: call reset(task_id) first.")
        return self.episode

    def _next_id(self) -> int:
        self._count += 1
        return self._count

    def _convert_step(self, episode: RemoteEpisode, answer: wire.Stepped, *, steps: int) -> Stepped:
        held = episode.observation.messages[: answer.look.keep]
        look = answer.look.observation
        episode.observation = replace(look, messages=held + look.messages)
        episode.steps = answer.info.get("step", episode.steps + steps)  # a person may have taken steps
        episode.is_over, episode.closed_as = answer.is_over, answer.closed_as
        info: StepInfo = {**answer.info}  # type: ignore[typeddict-item]
        if info.get("verdict") is not None:
            info["verdict"] = msgspec.convert(info["verdict"], Verdict)
        if info.get("rewards") is not None:
            info["rewards"] = msgspec.convert(info["rewards"], Rewards)
        return episode.observation, answer.reward, answer.terminated, answer.truncated, info

    async def _ask(self, request: wire.AnyRequest, answer: type[A], *, patience_s: float | None = None) -> A:
        """Send a request to the first stage that is available, and return the answer."""
        async with self._one_at_a_time:
            patience = Patience(self._patience_s if patience_s is None else patience_s)
            while True:
                try:
                    connection = await self._ensure_connection(request)
                    return await self._exchange(connection, request, answer)
                except NoStage as problem:
                    await self._drop()
                    if problem.retry_after_s:
                        self._addresses.append(self._addresses.pop(0))
                    if not await patience.pause(least_s=problem.retry_after_s):
                        raise problem.to_error() from problem

    async def _ensure_connection(self, request: wire.AnyRequest) -> ClientConnection:
        """Return a connection to a stage that has the session and, if the request needs it, the episode."""
        if self._connection is not None:
            return self._connection
        problem = NoStage("There is no stage.")
        for _ in range(len(self._addresses)):
            try:
                self._connection = await self._connect(self._addresses[0])
                opening = msgspec.structs.replace(self._opening, id=self._next_id(), session=self._session)
                opened = await self._exchange(self._connection, opening, wire.Opened)
                if not isinstance(request, wire.Reset | wire.Fork | wire.Leave):
                    await self._resume(self._connection, opened)
                self._player = opened.player
                self._watch_start(self._connection)
                return self._connection
            except NoStage as failure:
                problem = failure
                await self._drop()
                self._addresses.append(self._addresses.pop(0))
        raise problem

    async def _connect(self, address: str) -> ClientConnection:
        try:
            from websockets.asyncio.client import connect  # noqa: PLC0415
            from websockets.exceptions import InvalidStatus, WebSocketException  # noqa: PLC0415
        except ModuleNotFoundError as missing:
            raise PalaestraError(INSTALL) from missing
        try:
            return await connect(
                address,
                additional_headers={"Authorization": f"Bearer {self._token}"},
                compression=None,
                max_size=ANSWER_MAX_BYTES,
                open_timeout=CONNECT_S,
                proxy=None,
            )
        except InvalidStatus as refused:
            status = refused.response.status_code
            if status == UNAUTHENTICATED:
                message = f"This is not the token of the stage at {address}."
                raise ApiError(status=status, code="unauthenticated", message=message) from refused
            if status < 500:
                message = f"There is no stage at {address}."
                raise ApiError(status=status, code="no_stage", message=message) from refused
            raise NoStage(f"{address} answers {status}.", retry_after_s=PAUSE_S) from refused
        except (OSError, WebSocketException, TimeoutError) as failure:
            raise NoStage(f"{address}: {failure or type(failure).__name__}") from failure

    async def _resume(self, connection: ClientConnection, opened: wire.Opened) -> None:
        """Make a stage take over the episode, unless it is the stage that played it last.

        A stage that was disconnected does not know what another stage has done since, even if it has the
        episode.
        """
        episode = self.episode
        if episode is None or episode.is_over:
            return
        is_known = opened.episode == episode.opened.id and opened.steps in (episode.steps, episode.steps + 1)
        if is_known and opened.player == self._player:
            return
        shown = replace(episode.observation, messages=[])
        request = wire.Resume(id=self._next_id(), opened=episode.opened, steps=episode.steps, shown=shown)
        await self._exchange(connection, request, wire.Done)

    async def _exchange(self, connection: ClientConnection, request: wire.AnyRequest, answer: type[A]) -> A:
        from websockets.exceptions import ConnectionClosed  # noqa: PLC0415

        try:
            await connection.send(wire.request_encode(request))
            while True:
                content = await connection.recv()
                given = wire.answer_decode(content if isinstance(content, bytes) else b"")
                if given.id == request.id:
                    break  # other ids belong to late answers that nobody waits for any more
        except (ConnectionClosed, OSError) as failure:
            raise NoStage(f"The connection broke: {failure}") from failure
        if isinstance(given, wire.Failed):
            if given.retry_after_s is not None:
                raise NoStage(given.message, retry_after_s=given.retry_after_s)
            raise given.to_error()
        if not isinstance(given, answer):
            raise PalaestraError(f"The stage answered {type(given).__name__} to {type(request).__name__}.")
        return given

    async def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()

    def _watch_start(self, connection: ClientConnection) -> None:
        if self._watch is not None:
            self._watch.cancel()
        self._watch = asyncio.ensure_future(self._watch_connection(connection))

    async def _watch_connection(self, connection: ClientConnection) -> None:
        """Move to another stage when this one dies, because nothing else notices while the model thinks."""
        await connection.wait_closed()
        await asyncio.sleep(0)
        if self._connection is connection and self._is_open:
            with contextlib.suppress(PalaestraError):
                await self._ask(wire.Ask(id=self._next_id()), wire.Load)


class StagePictures:
    """The part of ``Client`` that users of a ``RemoteEnv`` need."""

    def __init__(self, env: RemoteEnv) -> None:
        self._env = env

    async def messages_inline(self, messages: Sequence[Message]) -> list[Message]:
        """Inline pictures in the same way as ``Client.messages_inline``."""
        return await messages_inline(messages, blob_get=self._env.blob_get)


def _parse_address(given: str) -> str:
    """Return the WebSocket URL of the stage at an HTTP URL. Raises ``PalaestraError``."""
    scheme, separator, rest = given.rstrip("/").partition("://")
    if not separator:
        scheme, rest = "ws", given.rstrip("/")
    schemes = {"http": "ws", "https": "wss", "ws": "ws", "wss": "wss"}
    if scheme not in schemes:
        raise PalaestraError(f"{given!r} is not the address of a stage: write it as http://host:port.")
    return f"{schemes[scheme]}://{rest}{wire.PATH}"
