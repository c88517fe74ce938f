"""What a trainer and a stage say to each other: MessagePack over a WebSocket, one answer to each request."""

from __future__ import annotations

from typing import Any

import msgspec

from palaestra import errors
from palaestra.completion import Completion
from palaestra.errors import ApiError, PalaestraError
from palaestra.observation import Observation
from palaestra.records import CloseReason, Message, OpenedEpisode

PATH = "/play"
REQUEST_MAX_BYTES = 16 * 2**20
NOTHING_HELD = -1
AT_CAPACITY = "at_capacity"
RAISED: dict[str, type[Exception]] = {
    one.__name__: one
    for one in vars(errors).values()
    if isinstance(one, type) and issubclass(one, PalaestraError) and one is not ApiError
} | {"ValueError": ValueError}


class Request(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """``id`` is repeated in the answer."""

    id: int


class Open(Request, frozen=True, kw_only=True, tag="open"):
    """The first request of a connection: a session, new or known, and the settings of its ``Env``."""

    session: str
    run: int
    arm: str
    browser: str
    settings: dict[str, Any]


class Reset(Request, frozen=True, kw_only=True, tag="reset"):
    """``key`` names the reset: sent again it opens no second episode. ``abandoned`` is an episode of the same
    trainer that is still open."""

    key: str
    task: int
    seed: int | None = None
    group: int | None = None
    abandoned: int | None = None


class Take(Request, frozen=True, kw_only=True, tag="step"):
    """Take a completion as step ``number`` of the episode. ``held`` is the step of the last answer, whose
    messages need not be sent again."""

    number: int
    completion: Completion
    held: int = NOTHING_HELD


class Stop(Request, frozen=True, kw_only=True, tag="stop"):
    number: int
    reason: CloseReason
    detail: str = ""
    held: int = NOTHING_HELD


class Resume(Request, frozen=True, kw_only=True, tag="resume"):
    """Go on with an episode of another stage after ``steps`` answered steps; ``shown`` is what the last
    answer showed."""

    opened: OpenedEpisode
    steps: int
    shown: Observation


class Ask(Request, frozen=True, kw_only=True, tag="capacity"):
    pass


class Fetch(Request, frozen=True, kw_only=True, tag="blob"):
    sha256: str


class Leave(Request, frozen=True, kw_only=True, tag="leave"):
    """The end of a session: an episode that is open ends ``cancelled``."""

    abandoned: int | None = None


AnyRequest = Open | Reset | Take | Stop | Resume | Ask | Fetch | Leave


class Answer(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    id: int


class Opened(Answer, frozen=True, kw_only=True, tag="opened"):
    """The episode of the session, if the stage still holds it, and its latest step. ``player`` is the stage's
    own name for the session: another stage, and a new session on the same one, has another."""

    player: str
    episode: int | None = None
    steps: int = 0


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """An observation; its messages begin with the first ``keep`` of those that the trainer holds."""

    observation: Observation
    keep: int = 0


class Begun(Answer, frozen=True, kw_only=True, tag="begun"):
    opened: OpenedEpisode
    look: Look
    tools: list[dict[str, Any]] | None = None
    response_format: dict[str, Any] | None = None


class Stepped(Answer, frozen=True, kw_only=True, tag="stepped"):
    look: Look
    reward: float | None
    terminated: bool
    truncated: bool
    is_over: bool
    closed_as: str | None
    info: dict[str, Any]


class Done(Answer, frozen=True, kw_only=True, tag="done"):
    pass


class Blob(Answer, frozen=True, kw_only=True, tag="content"):
    content: bytes


class PlacesLeft(msgspec.Struct, frozen=True, kw_only=True):
    """Episodes that are open and that may be, on pages of one kind."""

    active: int
    max_active: int


class Load(Answer, frozen=True, kw_only=True, tag="load"):
    """How full a stage is, by what its pages are read with."""

    sessions: int
    sessions_max: int
    pages: dict[str, PlacesLeft]


class Failed(Answer, frozen=True, kw_only=True, tag="failed"):
    """An exception: ``kind`` is its class, the rest are those of an ``ApiError``."""

    kind: str
    message: str
    status: int = 0
    code: str = ""
    fields: dict[str, list[str]] = {}
    retry_after_s: float | None = None

    def exception(self) -> Exception:
        """The exception as the trainer's side raises it."""
        if self.kind == ApiError.__name__:
            return ApiError(status=self.status, code=self.code, message=self.message, fields=self.fields)
        return RAISED.get(self.kind, PalaestraError)(self.message)


AnyAnswer = Opened | Begun | Stepped | Done | Blob | Load | Failed

request_encode = msgspec.msgpack.Encoder().encode
request_decode = msgspec.msgpack.Decoder(AnyRequest).decode
answer_encode = msgspec.msgpack.Encoder().encode
answer_decode = msgspec.msgpack.Decoder(AnyAnswer).decode


def failed_of(request: int, failure: Exception, *, retry_after_s: float | None = None) -> Failed:
    """An exception as an answer."""
    kind = type(failure).__name__
    if isinstance(failure, ApiError):
        return Failed(
            id=request,
            kind=ApiError.__name__,
            message=failure.message,
            status=failure.status,
            code=failure.code,
            fields=failure.fields,
            retry_after_s=retry_after_s,
        )
    return Failed(id=request, kind=kind if kind in RAISED else PalaestraError.__name__, message=str(failure))


def look_of(observation: Observation, held: list[Message]) -> Look:
    """What is sent of an observation to a trainer that holds the messages ``held``."""
    keep = 0
    for mine, theirs in zip(observation.messages, held, strict=False):
        if mine != theirs:
            break
        keep += 1
    fields = {name: getattr(observation, name) for name in OBSERVATION_FIELDS}
    return Look(observation=Observation(**fields, messages=observation.messages[keep:]), keep=keep)


OBSERVATION_FIELDS = ("kind", "text", "url", "screenshot", "result", "result_message", "is_settled")
