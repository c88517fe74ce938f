"""Every kind of message that a stage takes, as hostile trainers send it."""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
import typing
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import msgspec
import pytest
import pytest_asyncio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.frames import CloseCode

from fake_server import FakeServer
from palaestra import RemoteEnv, wire
from palaestra.stage import Stage
from stages import LITE_RUN, TOKEN, stage_serve

HEADERS = {"Authorization": f"Bearer {TOKEN}"}
SETTINGS: dict[str, Any] = {"run": 7, "arm": "gym", "browser": "lite", "settings": {}}
OPENING = {"type": "open", "id": 1, "session": "s", **SETTINGS}
OPENED = {"id": 1, "task": 1, "group": 1, "sample_index": 0, "arm": "gym", "max_steps": 6}
SHOWN = {"kind": "axtree-v2"}
VALID: dict[str, dict[str, Any]] = {
    "open": OPENING,
    "reset": {"type": "reset", "id": 2, "key": "k", "task": 1},
    "fork": {"type": "fork", "id": 9, "key": "k", "episode": 1, "step": 1, "max_steps": 9},
    "step": {"type": "step", "id": 3, "number": 1, "completion": {"text": "x"}},
    "stop": {"type": "stop", "id": 4, "number": 1, "reason": "agent_stopped"},
    "resume": {"type": "resume", "id": 5, "opened": OPENED, "steps": 0, "shown": SHOWN},
    "capacity": {"type": "capacity", "id": 6},
    "blob": {"type": "blob", "id": 7, "sha256": "0" * 64},
    "leave": {"type": "leave", "id": 8},
}
ADDRESSES = re.compile(
    r"/api/v1/(?:health|benchmarks|runs/\d+|groups/\d+/refill|episodes|episodes/\d+(?:/[a-z]+)?)|/wait/.*"
)
WORDS = st.sampled_from(
    ["", "..", "../runs", "a/b", "\x00", "ü" * 70, "x" * 5_000, "0" * 64, "http://127.0.0.1:1/e/x/"]
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats()
    | WORDS
    | st.binary(max_size=50),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@pytest_asyncio.fixture
async def stage(fake: FakeServer) -> AsyncIterator[tuple[Stage, str]]:
    fake.state.runs.append(LITE_RUN)
    async with AsyncExitStack() as stack:
        made, address = await stack.enter_async_context(stage_serve(fake, pages=0))
        yield made, address.replace("http", "ws") + wire.PATH


async def ask(socket: ClientConnection, request: dict[str, Any]) -> Any:
    await socket.send(msgspec.msgpack.encode(request))
    return wire.answer_decode(await socket.recv())


def fields_of(kind: str) -> list[str]:
    """Every field of a kind, those of the structures inside it too, as a path."""
    names = {one.__struct_config__.tag: one for one in typing.get_args(wire.AnyRequest)}
    inner = {"resume": ["opened.start_url", "opened.arm", "shown.text"], "step": ["completion.text"]}
    return [*names[kind].__struct_fields__, *inner.get(kind, []), "unknown"]


@st.composite
def requests(draw: st.DrawFn) -> dict[str, Any]:
    """A valid request with some of its fields replaced by anything, or left out."""
    kind = draw(st.sampled_from(sorted(VALID)))
    request = msgspec.msgpack.decode(msgspec.msgpack.encode(VALID[kind]))
    for field in draw(st.lists(st.sampled_from(fields_of(kind)), min_size=1, max_size=2)):
        *outer, name = field.split(".")
        place = request[outer[0]] if outer and isinstance(request.get(outer[0]), dict) else request
        if draw(st.booleans()):
            place[name] = draw(VALUES)
        else:
            place.pop(name, None)
    return request


def test_every_kind_has_a_limit_and_is_tried() -> None:
    kinds = {one.__struct_config__.tag for one in typing.get_args(wire.AnyRequest)}
    assert kinds == wire.REQUEST_BYTES.keys() == VALID.keys()


@settings(
    max_examples=150, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
@given(given=st.lists(requests(), min_size=1, max_size=4))
async def test_whatever_is_sent_is_answered(
    given: list[dict[str, Any]], stage: tuple[Stage, str], fake: FakeServer
) -> None:
    made, address = stage
    async with connect(address, additional_headers=HEADERS) as socket:
        await ask(socket, OPENING)
        for request in given:
            answer = await asyncio.wait_for(ask(socket, request), 20)
            assert answer.id in (0, request.get("id")), answer
        assert len(made._sessions) <= 1
    assert [path for _, path in fake.state.calls if not ADDRESSES.fullmatch(path)] == []
    assert {episode["body"]["run"] for episode in fake.state.episodes.values()} <= {7}
    for held in made._sessions.values():
        held.lost_at = -1e9


async def test_a_connection_has_one_session_which_goes_with_it(stage: tuple[Stage, str]) -> None:
    made, address = stage
    async with connect(address, additional_headers=HEADERS) as socket:
        assert isinstance(await ask(socket, OPENING), wire.Opened)
        for number in range(300):
            answer = await ask(socket, {**OPENING, "session": f"s{number}"})
            assert answer.code == "one_session"
        assert len(made._sessions) == 1
    while made._sessions:
        await asyncio.sleep(0.01)


async def test_a_session_that_played_waits_for_its_trainer(stage: tuple[Stage, str]) -> None:
    made, address = stage
    async with connect(address, additional_headers=HEADERS) as socket:
        await ask(socket, OPENING)
        await ask(socket, VALID["reset"])
    async with connect(address, additional_headers=HEADERS) as socket:
        opened = await ask(socket, OPENING)
        assert (opened.episode, list(made._sessions)) == (1, ["s"])


@pytest.mark.parametrize("kind", sorted(VALID))
async def test_a_message_that_is_too_long_is_refused_unread(kind: str, stage: tuple[Stage, str]) -> None:
    _, address = stage
    socket = await connect(address, additional_headers=HEADERS)
    padded = msgspec.msgpack.encode({**VALID[kind], "unknown": "x" * wire.REQUEST_BYTES[kind]})
    with contextlib.suppress(ConnectionClosed, AttributeError):  # while it is being sent
        await socket.send(padded)
    if wire.REQUEST_BYTES[kind] == wire.REQUEST_MAX_BYTES:
        await socket.wait_closed()
        assert socket.close_code == CloseCode.MESSAGE_TOO_BIG
        return
    answer = wire.answer_decode(await socket.recv())
    await socket.close()
    assert (answer.code, answer.status) == ("message_too_large", 413)


async def test_long_completions_hold_up_nobody(stage: tuple[Stage, str], fake: FakeServer) -> None:
    """The longest one that is taken, of what is slow to read."""
    _, address = stage
    async with (
        connect(address, additional_headers=HEADERS) as socket,
        RemoteEnv(address.removesuffix(wire.PATH), TOKEN, run=7, browser="lite") as env,
    ):
        await ask(socket, OPENING)
        await ask(socket, VALID["reset"])
        await env.reset(2)
        text = "</think><think>" * ((wire.REQUEST_BYTES["step"] - 200) // 15)
        taking = asyncio.ensure_future(ask(socket, {**VALID["step"], "completion": {"text": text}}))
        await asyncio.sleep(0)
        slowest = 0.0
        while not taking.done():
            begun = time.monotonic()
            await env.capacity()
            slowest = max(slowest, time.monotonic() - begun)
        assert isinstance(taking.result(), wire.Stepped)
    assert len(fake.state.episodes[1]["steps"][1]["raw"]) < 110_000
    assert slowest < 10


async def test_pictures_are_those_of_the_episodes_of_the_session(
    stage: tuple[Stage, str], fake: FakeServer
) -> None:
    _, address = stage
    shown, secret = "a" * 64, "b" * 64
    fake.state.blobs = {shown: b"a picture", secret: b"an export with golds"}
    link = {"type": "image_url", "image_url": {"url": f"{fake.lab_url}/api/v1/blobs/{shown}"}}
    async with connect(address, additional_headers=HEADERS) as socket:
        await ask(socket, OPENING)
        assert (await ask(socket, {"type": "blob", "id": 2, "sha256": shown})).code == "unknown_blob"
        fake.state.pictured = [link]
        await ask(socket, VALID["reset"])
        assert (await ask(socket, {"type": "blob", "id": 3, "sha256": shown})).content == b"a picture"
        for digest in (secret, "../runs", "../tasks", shown.upper(), f"{shown}/", f"{shown}\n"):
            answer = await ask(socket, {"type": "blob", "id": 4, "sha256": digest})
            assert isinstance(answer, wire.Failed), digest
    assert [path for _, path in fake.state.calls if "blobs" in path] == [f"/api/v1/blobs/{shown}"]
    assert not [path for _, path in fake.state.calls if ".." in path]


async def test_an_episode_of_another_run_is_left_alone(stage: tuple[Stage, str], fake: FakeServer) -> None:
    _, address = stage
    async with connect(address, additional_headers=HEADERS) as socket:
        await ask(socket, {**OPENING, "run": 8})
        fake.state.runs.append({**LITE_RUN, "id": 8})
        await ask(socket, VALID["reset"])
    async with connect(address, additional_headers=HEADERS) as socket:
        await ask(socket, {**OPENING, "session": "t"})
        answer = await ask(socket, VALID["resume"])
        assert (answer.code, answer.status) == ("unknown_episode", 404)
        await ask(socket, {**VALID["reset"], "key": "l", "abandoned": 1})
        await ask(socket, {**VALID["leave"], "abandoned": 1})
    assert fake.state.episodes[1]["closed"] is None


@pytest.mark.parametrize("name", ["samples_per_task", "idempotency_key", "server", "pool", "made_up"])
async def test_an_environment_has_only_the_settings_that_it_names(
    name: str, stage: tuple[Stage, str]
) -> None:
    _, address = stage
    async with connect(address, additional_headers=HEADERS) as socket:
        answer = await ask(socket, {**OPENING, "settings": {name: 4}})
        assert isinstance(answer, wire.Failed)
        assert name in answer.message
    with pytest.raises(TypeError, match=name):
        RemoteEnv(address, TOKEN, run=7, **{name: 4})
