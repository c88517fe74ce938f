"""A stage: what happens when connections break, stages die, trainers are strangers or machines are full.

That its ``RemoteEnv`` is an ``Env`` is seen in ``test_env`` and ``test_lite``, whose tests it passes too.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from typing import Any

import httpx
import msgspec
import pytest
import pytest_asyncio
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from fake_server import FakeServer
from palaestra import ApiError, PalaestraError, RemoteEnv, Unreachable, wire
from palaestra.commands import main
from palaestra.stage import Stage, server
from stages import LITE_RUN, TOKEN, stage_serve
from test_env import target

NOOP = 'Action: {"type": "noop"}'
HEADERS = {"Authorization": f"Bearer {TOKEN}"}


@pytest_asyncio.fixture
async def stages(fake: FakeServer) -> AsyncIterator[Callable[..., Any]]:
    """Makes stages that serve until the test ends."""
    fake.state.runs.append(LITE_RUN)
    async with AsyncExitStack() as stack:

        async def make(**sizes: Any) -> tuple[Stage, str]:
            return await stack.enter_async_context(stage_serve(fake, **{"pages": 0, **sizes}))

        yield make


def remote(*addresses: str, **settings: Any) -> RemoteEnv:
    return RemoteEnv(
        addresses, settings.pop("token", TOKEN), run=7, browser="lite", **{"patience_s": 20.0, **settings}
    )


def move(text: str) -> str:
    """What solves the task from any page: to write the answer, then to submit it."""
    if 'value="42"' in text:
        return f'Action: {{"type": "click", "target": "{target(text, "button")}"}}'
    return f'Action: {{"type": "type", "target": "{target(text, "textbox")}", "text": "42"}}'


async def lost(env: RemoteEnv) -> None:
    """Break the connection, as a network does."""
    assert env._connection is not None
    env._connection.transport.abort()
    await env._connection.wait_closed()


async def test_a_broken_connection_finds_its_session_again(stages: Any, fake: FakeServer) -> None:
    _, address = await stages()
    async with remote(address) as env:
        obs = await env.reset(3)
        for _ in range(2):
            await lost(env)
            obs, reward, *_ = await env.step(move(obs.text))
        assert reward == 1.0
    episode = fake.state.episodes[1]
    assert sorted(episode["steps"]) == [1, 2]
    assert ("POST", "/api/v1/episodes/1/resume") not in fake.state.calls


async def test_a_step_that_is_sent_again_is_taken_once(stages: Any, fake: FakeServer) -> None:
    _, address = await stages()
    async with connect(address.replace("http", "ws") + wire.PATH, additional_headers=HEADERS) as socket:

        async def ask(request: wire.AnyRequest) -> Any:
            await socket.send(wire.request_encode(request))
            return wire.answer_decode(await socket.recv())

        await ask(wire.Open(id=1, session="s", run=7, arm="gym", browser="lite", settings={}))
        await ask(wire.Reset(id=2, key="k", task=1))
        begun = await ask(wire.Reset(id=3, key="k", task=1))
        assert begun.opened.id == len(fake.state.episodes) == 1
        answers = [
            await ask(wire.Take(id=id, number=1, completion=wire.Completion(text=NOOP))) for id in (4, 5)
        ]
        assert msgspec.structs.replace(answers[0], id=5) == answers[1]
        other = await ask(wire.Take(id=6, number=1, completion=wire.Completion(text="else")))
        late = await ask(wire.Take(id=7, number=3, completion=wire.Completion(text=NOOP)))
        assert msgspec.structs.replace(answers[0], id=6) == other, "what is stored counts"
        assert late.code == "step_out_of_order"
    assert list(fake.state.episodes[1]["steps"]) == [1]


async def begun(env: RemoteEnv, fake: FakeServer, steps: int) -> str:
    """An episode after some steps; returns the completion of the last."""
    fake.state.max_steps = 20
    obs, completion = await env.reset(3), ""
    for _ in range(steps):
        completion = move(obs.text)
        obs, *_ = await env.step(completion)
    return completion


def forgotten(env: RemoteEnv, *, observation: Any, steps: int) -> None:
    """Take back what the trainer knows of the last answers, as if they had never come."""
    assert env.episode is not None
    env.episode.observation, env.episode.steps, env.episode.is_over = observation, steps, False


async def moved(env: RemoteEnv, address: str) -> None:
    """Another stage is the only one that is left."""
    env._addresses = [address.replace("http", "ws") + wire.PATH]
    env._session = "another"
    await lost(env)


async def test_a_recorded_step_is_answered_by_another_stage(stages: Any, fake: FakeServer) -> None:
    (_, one), (_, two) = await stages(), await stages()
    async with remote(one) as env:
        first = await env.reset(3)
        completion = move(first.text)
        await env.step(completion)
        forgotten(env, observation=first, steps=0)
        requests = len(fake.state.requests)
        await moved(env, two)
        obs, *_, info = await env.step(completion)
        assert info["action_result"] == "ok"
        assert len(fake.state.requests) == requests + 1, "the first page, and no action"
        assert 'value="42"' in obs.text, "what was typed is in its field again"
        _, reward, *_ = await env.step(move(obs.text))
        assert reward == 1.0
    assert sorted(fake.state.episodes[1]["steps"]) == [1, 2]


@pytest.mark.parametrize("is_recorded", [True, False])
async def test_an_answer_that_a_dead_stage_submitted_is_not_submitted_again(
    is_recorded: bool, stages: Any, fake: FakeServer
) -> None:
    (_, one), (_, two) = await stages(), await stages()
    async with remote(one) as env:
        await begun(env, fake, 1)
        assert env.episode is not None
        shown = env.episode.observation
        completion = move(shown.text)
        await env.step(completion)
        forgotten(env, observation=shown, steps=1)
        if not is_recorded:
            del fake.state.episodes[1]["steps"][2]
        await moved(env, two)
        _, reward, terminated, _, info = await env.step(completion)
        assert (reward, terminated, info["action_result"]) == (1.0, True, "ok")
    step = fake.state.episodes[1]["steps"][2]
    assert (step["raw"], step["observation"]["text"]) == (completion, shown.text)
    assert [path for method, path, _ in fake.state.requests if method == "POST"] == [
        f"/e/{fake.state.episodes[1]['token']}/submit"
    ]


async def test_an_action_that_reached_the_server_is_not_done_again(stages: Any, fake: FakeServer) -> None:
    (_, one), (_, two) = await stages(), await stages()
    fake.state.extra = '<a href="more">More</a>'
    async with remote(one) as env:
        first = await env.reset(3)
        completion = f'Action: {{"type": "click", "target": "{target(first.text, "link")}"}}'
        await env.step(completion)
        forgotten(env, observation=first, steps=0)
        del fake.state.episodes[1]["steps"][1]
        await moved(env, two)
        obs, *_, info = await env.step(completion)
        assert (info["action_result"], obs.result_message[:26]) == ("ok", "The page was lost after th")
    assert [path[-5:] for _, path, _ in fake.state.requests].count("/more") == 1


async def test_an_action_is_done_on_the_page_that_it_was_chosen_on_or_not_at_all(
    stages: Any, fake: FakeServer
) -> None:
    (_, one), (_, two), (_, three) = await stages(), await stages(), await stages()
    async with remote(one) as env:
        obs = await env.reset(3)
        await moved(env, two)  # the page is the same again
        obs, *_, info = await env.step(move(obs.text))
        assert (info["action_result"], 'value="42"' in obs.text) == ("ok", True)
        fake.state.extra = "<p>Closed at six</p>"
        await moved(env, three)  # the page has changed meanwhile
        obs, *_, info = await env.step(move(obs.text))
        assert info["action_result"] == "timeout"
        assert 'value=""' in obs.text
        assert "not done" in obs.result_message
        assert "It is open again at the first page." in obs.messages[-1]["content"]
    assert len(fake.state.episodes[1]["steps"]) == 2
    assert fake.state.episodes[1]["answer"] is None


async def test_a_conversation_goes_on_word_for_word(stages: Any, fake: FakeServer) -> None:
    (_, one), (_, two) = await stages(), await stages()
    async with remote(one) as env:
        await begun(env, fake, 1)
        assert env.episode is not None
        before = env.episode.observation.messages
        await moved(env, two)
        obs, *_ = await env.step(NOOP)
    assert obs.messages[: len(before)] == before
    assert obs.messages[len(before)] == {"role": "assistant", "content": NOOP}


async def test_a_full_stage_refuses_before_it_opens_an_episode(stages: Any, fake: FakeServer) -> None:
    stage, address = await stages(lite_pages=1)
    async with remote(address) as first, remote(address, patience_s=0.5) as second:
        await first.reset(1)
        with pytest.raises(ApiError, match="at_capacity"):
            await second.reset(1)
        assert len(fake.state.episodes) == 1
        load = (await second.capacity()).pages["lite"]
        assert (load.active, load.max_active) == (1, 1)
        await first.stop()
        await second.reset(1)
        assert stage.slots["lite"].taken == 1


async def test_a_full_stage_sends_trainers_to_another(stages: Any) -> None:
    places = [(await stages(lite_pages=1)) for _ in range(2)]
    addresses = [address for _, address in places]
    async with remote(*addresses) as first, remote(*addresses) as second:
        await asyncio.gather(first.reset(1), second.reset(2))
        assert [stage.slots["lite"].taken for stage, _ in places] == [1, 1]


async def test_a_machine_short_of_memory_opens_nothing(stages: Any) -> None:
    _, address = await stages(memory_floor_mb=2**40)
    async with remote(address, patience_s=0.1) as env:
        with pytest.raises(ApiError, match="MiB of memory"):
            await env.reset(1)


async def test_places_come_back_however_an_episode_fails(stages: Any, fake: FakeServer) -> None:
    stage, address = await stages(lite_pages=1)
    async with remote(address) as env:
        with pytest.raises(ApiError, match="not_found"):
            await env.reset(1, group=4)
        await env.reset(1)
        await env.reset(2)
        assert stage.slots["lite"].taken == 1
    assert stage.slots["lite"].taken == 0
    assert [one["closed"]["reason"] for one in fake.state.episodes.values()] == ["cancelled"] * 2


async def test_text_arms_take_no_page(stages: Any, fake: FakeServer) -> None:
    _, address = await stages(lite_pages=0)
    async with remote(address, arm="text_agent") as env:
        await env.reset(1)
        _, reward, *_ = await env.step('Action: {"type": "answer", "text": "42"}')
        assert reward == 1.0


@pytest.mark.parametrize("token", ["", "another token", TOKEN[:-1], "ü"])
async def test_a_stranger_gets_nowhere(token: str, stages: Any) -> None:
    _, address = await stages()
    with pytest.raises((ApiError, PalaestraError), match="token"):
        async with remote(address, token=token) as env:
            await env.reset(1)
    headers = {"Authorization": f"Bearer {token}x".encode()}
    async with httpx.AsyncClient(base_url=address, headers=headers) as http:
        assert [(await http.get(path)).status_code for path in ("/capacity", "/metrics")] == [401, 401]


async def test_what_serves_no_stage_is_named(fake: FakeServer) -> None:
    async with remote(fake.lab_url) as env:
        with pytest.raises(ApiError, match="no_stage"):
            await env.reset(1)
    async with remote("127.0.0.1:1", patience_s=0.1) as env:
        with pytest.raises(Unreachable, match=r"127\.0\.0\.1:1/play"):
            await env.reset(1)


SETTINGS: dict[str, Any] = {"run": 7, "arm": "gym", "browser": "lite", "settings": {}}
OPENING = {"type": "open", "id": 1, "session": "s", **SETTINGS}
HOSTILE = [
    b"",
    b"\xc1",
    b"\x91" * 100_000,
    b"x" * 1_000,
    "text",
    msgspec.msgpack.encode({"type": "step"}),
    msgspec.msgpack.encode({"type": "nothing", "id": 1}),
    msgspec.msgpack.encode({"type": "leave", "id": -(2**63)}),
    msgspec.msgpack.encode({"type": "step", "id": 1, "number": 1, "completion": {"text": "x"}}),
    msgspec.msgpack.encode({**OPENING, "browser": "no"}),
    msgspec.msgpack.encode({**OPENING, "settings": {"server": "http://elsewhere"}}),
    msgspec.msgpack.encode({**OPENING, "settings": {"observation": "no"}}),
]


async def test_hostile_messages_are_refused_and_cost_others_nothing(stages: Any, fake: FakeServer) -> None:
    _, address = await stages()
    rng = random.Random(7)
    socket_address = address.replace("http", "ws") + wire.PATH
    async with remote(address) as env:
        obs = await env.reset(3)
        for message in [*HOSTILE, *(rng.randbytes(rng.randint(1, 200)) for _ in range(50))]:
            async with connect(socket_address, additional_headers=HEADERS) as socket:
                await socket.send(message)
                assert isinstance(wire.answer_decode(await socket.recv()), wire.Failed), message
        socket = await connect(socket_address, additional_headers=HEADERS)
        with contextlib.suppress(ConnectionClosed):
            await socket.send(b"x" * (wire.REQUEST_MAX_BYTES + 1))
        await socket.wait_closed()
        for _ in range(2):
            obs, reward, *_ = await env.step(move(obs.text))
        assert reward == 1.0
    assert len(fake.state.episodes) == 1


async def test_a_resumed_episode_opens_at_the_address_that_the_server_names(
    stages: Any, fake: FakeServer
) -> None:
    (_, one), (_, two) = await stages(), await stages()
    async with remote(one) as env:
        obs = await env.reset(3)
        assert env.episode is not None
        env.episode.opened = msgspec.structs.replace(env.episode.opened, start_url="http://127.0.0.1:1/e/x/")
        await moved(env, two)
        obs, *_ = await env.step(move(obs.text))
        assert 'value="42"' in obs.text


async def test_a_stage_that_is_stopped_ends_no_episode(fake: FakeServer, stages: Any) -> None:
    _, two = await stages()
    async with stage_serve(fake, pages=0) as (_, one):
        env = remote(one, two)
        env._addresses.sort(key=lambda address: address != one.replace("http", "ws") + wire.PATH)
        obs = await env.reset(3)
    assert fake.state.episodes[1]["closed"] is None
    async with env:
        for _ in range(2):
            obs, reward, *_ = await env.step(move(obs.text))
        assert reward == 1.0


async def test_a_trainer_that_is_gone_leaves_its_place_after_a_while(
    stages: Any, fake: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "SWEEP_S", 0.05)
    stage, address = await stages(linger_s=0.0)
    env = remote(address)
    await env.reset(1)
    if env._watch is not None:
        env._watch.cancel()
    await lost(env)
    while stage.slots["lite"].taken:
        await asyncio.sleep(0.05)
    assert fake.state.episodes[1]["closed"] is None, "it may go on elsewhere"


async def test_health_capacity_and_metrics(stages: Any) -> None:
    _, address = await stages()
    async with remote(address) as env, httpx.AsyncClient(base_url=address) as http:
        obs = await env.reset(1)
        await env.step(move(obs.text))
        assert (await http.get("/health")).json()["status"] == "ok"
        load = (await http.get("/capacity", headers=HEADERS)).json()
        assert load["pages"]["lite"] == {"active": 1, "max_active": 256}
        metrics = (await http.get("/metrics", headers=HEADERS)).text
        assert 'palaestra_stage_pages_active{browser="lite"} 1.0' in metrics
        assert "palaestra_stage_step_seconds_count 1.0" in metrics
        assert (await http.get("/other")).status_code == 404


def test_a_stage_that_cannot_start_says_why(
    fake: FakeServer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    server_options = ["--server", fake.lab_url, "--key", "key"]
    monkeypatch.setenv("PALAESTRA_BROWSER", "/nowhere")
    for options, message in {
        ("--token", "short"): "fewer than 16 characters",
        ("--host", "0.0.0.0"): "Give the token",
        (): "To serve lite pages without a browser, add --pages 0.",
        ("--pages", "0", "--port", fake.lab_url.rpartition(":")[2]): "Use --host and --port for another",
    }.items():
        assert main(["stage", *server_options, *options]) == 1
        assert message in capsys.readouterr().err
