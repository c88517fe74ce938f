from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from fake_server import FakeServer
from palaestra import ApiError, Client, Step, Unreachable
from palaestra.commands import main
from palaestra.errors import BrowserMissing
from palaestra.http.transport import Absence
from palaestra.observation import SHORT_NAMES
from palaestra.pages.browser import browser_find
from palaestra.records import Page
from palaestra.records.curation import Draw, DrawnTask, GroupState
from palaestra.turn.steps import StepQueue, json_clean, text_clean


@pytest_asyncio.fixture
async def client(fake: FakeServer) -> AsyncIterator[Client]:
    async with Client(fake.lab_url, "key") as made:
        yield made


async def test_tasks_are_read_from_all_pages(client: Client) -> None:
    assert [task.id for task in await client.tasks(benchmark="gsm8k", limit=4)] == [1, 2, 3, 4]
    assert [task.id for task in await client.tasks(benchmark="gsm8k")] == [1, 2, 3, 4, 5]


async def test_a_failed_call_is_retried_and_opens_once(client: Client, fake: FakeServer) -> None:
    fake.state.fail_next = [(503, {}), (502, {})]
    opening = await client.episodes_open(run=7, tasks=[1], arm="gym")
    assert [episode.id for episode in opening.episodes] == [1]
    again = await client.episodes_open(run=7, tasks=[1], arm="gym", idempotency_key="k")
    same = await client.episodes_open(run=7, tasks=[1], arm="gym", idempotency_key="k")
    assert again == same
    assert len(fake.state.episodes) == 2


async def test_a_stream_that_has_not_begun_is_requested_again(client: Client, fake: FakeServer) -> None:
    path = f"/api/v1/blobs/{await client.blob_put(b'two words')}"
    fake.state.fail_next = [(503, {}), (507, {})]
    assert b"".join([part async for part in client._lab.parts(path)]) == b"two words"
    fake.state.fail_next = [(403, {})]
    with pytest.raises(ApiError, match="made_up"):
        [part async for part in client._lab.parts(path)]


async def test_retry_after_is_honoured(client: Client, fake: FakeServer) -> None:
    fake.state.fail_next = [(429, {"Retry-After": "0.3"})]
    started = time.monotonic()
    await client.run_create(name="x")
    assert time.monotonic() - started >= 0.3


@pytest.mark.parametrize(
    ("written", "sent"),
    [(name, id) for name, id in SHORT_NAMES.items()]
    + [("axtree-v2", "axtree-v2"), ("browsergym-axtree", "browsergym-axtree")],
)
async def test_a_run_is_opened_with_the_short_names_that_environments_take(
    client: Client, fake: FakeServer, written: str, sent: str
) -> None:
    run = await client.run_create(name="x", observation=written)
    assert run.observation == sent


async def test_a_refusal_names_code_and_status_and_is_not_retried(client: Client, fake: FakeServer) -> None:
    fake.state.fail_next = [(422, {})]
    with pytest.raises(ApiError) as caught:
        await client.run_create(name="x")
    assert (caught.value.status, caught.value.code) == (422, "made_up")
    assert len(fake.state.calls) == 1


async def test_the_address_for_waits_is_known_while_a_part_is_down(client: Client, fake: FakeServer) -> None:
    fake.state.is_down = True
    reports = [await client.health() for _ in range(2)]
    fake.state.is_down = False
    reports += [await client.health() for _ in range(2)]
    assert [report.status for report in reports] == ["down", "down", "ok", "ok"]
    assert {report.live_url for report in reports} == {fake.live_url}
    assert [path for _, path, *_ in fake.state.calls].count("/api/v1/health") == 3


async def test_a_restarting_proxy_in_the_place_of_health_is_no_report(
    client: Client, fake: FakeServer
) -> None:
    fake.state.fail_next = [(503, {})]
    assert (await client.health()).status == "ok"


async def test_an_unreachable_server_is_named() -> None:
    async with Client("http://127.0.0.1:1", "key", retries=1) as client:
        with pytest.raises(Unreachable, match="GET /api/v1/health"):
            await client.health()


async def test_pictures_of_a_prompt_can_be_inlined(client: Client) -> None:
    digest = await client.blob_put(b"a picture")
    link = {"type": "image_url", "image_url": {"url": f"http://lab.example/api/v1/blobs/{digest}"}}
    elsewhere = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
    text = {"type": "text", "text": "Look:"}
    system = {"role": "system", "content": "Solve."}

    inline = await client.messages_inline([system, {"role": "user", "content": [text, link, elsewhere]}])

    assert inline[0] == system
    assert inline[1]["content"][0] == text
    assert inline[1]["content"][1]["image_url"]["url"] == "data:image/png;base64,YSBwaWN0dXJl"
    assert inline[1]["content"][2] == elsewhere


async def test_labels_are_read_one_by_one_and_by_unit(client: Client, fake: FakeServer) -> None:
    label = {"id": 1, "project": 2, "episode": 3, "step": 4, "annotator": 5, "annotator_kind": "person"}
    label |= {"layer": "blind", "values": {"type": "reasoning"}, "something_newer": True}
    fake.state.results = [label]
    page = await client.labels(episode=3, answer="type:reasoning")
    assert (page.results[0].values, page.next) == ({"type": "reasoning"}, None)
    counted = {"source": "majority", "people": 2, "values": {"type": "reasoning"}}
    fake.state.results = [{"project": 2, "episode": 3, "step": 4, "consensus": counted, "labels": [label]}]
    (unit,) = await client.episode_labels(3)
    assert unit.consensus is not None
    assert unit.consensus.values == unit.labels[0].values
    assert [path for _, path in fake.state.calls] == ["/api/v1/labels", "/api/v1/episodes/3/labels"]


async def test_only_missing_blobs_are_sent(client: Client, fake: FakeServer) -> None:
    first = await client.blob_put(b"one")
    digests = await client.blobs_put([b"one", b"two"], content_type="image/png")
    assert digests[0] == first
    assert [path for method, path in fake.state.calls if method == "PUT"] == [
        f"/api/v1/blobs/{digest}" for digest in digests
    ]


async def test_steps_that_follow_at_once_are_posted_together(client: Client, fake: FakeServer) -> None:
    await client.episodes_open(run=7, tasks=[1], arm="gym")
    queue = StepQueue(client, 1)
    for index in (1, 2, 3):
        queue.add(Step(index=index, thought=f"t{index}"))
    ack = await queue.flush()
    assert (ack.next_index, ack.steps_left) == (4, 3)
    assert fake.state.calls.count(("POST", "/api/v1/episodes/1/steps")) == 1


async def test_a_step_that_cannot_be_recorded_raises(client: Client, fake: FakeServer) -> None:
    await client.episodes_open(run=7, tasks=[1], arm="gym")
    fake.state.fail_next = [(400, {})]
    queue = StepQueue(client, 1)
    queue.add(Step(index=1))
    with pytest.raises(ApiError, match="made_up"):
        await queue.flush()


def test_recorded_text_is_clean() -> None:
    assert text_clean("a\x00b\ud800c") == "a\ufffdb?c"
    assert text_clean("x" * 30, limit=10) == "x" * 10 + "\n(cut here: 30 characters in all)"
    assert json_clean({"a\x00": ["\ud800", 1, None]}) == {"a\ufffd": ["?", 1, None]}


def test_a_missing_browser_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PALAESTRA_BROWSER", "/no/such/browser")
    with pytest.raises(BrowserMissing, match="apt-get install chromium-headless-shell"):
        browser_find()


def test_the_demo_plays_every_policy(
    fake: FakeServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    golds = tmp_path / "golds.ndjson"
    golds.write_text(
        "".join(f'{{"task": {task}, "answer": "42", "solution": "s"}}\n' for task in range(1, 6))
    )
    command = ["demo", "--server", fake.lab_url, "--key", "k", "--golds", str(golds), "--episodes", "6"]
    assert main(command) == 0
    out = capsys.readouterr()
    table, links = out.out.split("\n\n")
    rows = {line.split()[0]: line.split()[1:] for line in table.splitlines()[1:]}
    assert rows["solver"] == ["6", "6", "0", "0", "0"]
    for policy in ("narrator", "null", "void_seeker"):
        assert rows[policy] == ["6", "0", "6", "0", "0"]
    assert "24/24 episodes" in out.err
    opened = fake.state.episodes
    full = {number for number, one in opened.items() if one["body"].get("recording") == "full"}
    assert [opened[number]["arm"] for number in sorted(full)] == ["gym"] * 4
    match = re.search(rf"{fake.lab_url}/episodes/(\d+)/steps/(\d+)#dom\n", links)
    assert match
    assert int(match[1]) in full
    assert int(match[2]) in opened[int(match[1])]["steps"]
    match = re.search(rf"{fake.lab_url}/compare\?episodes=([\d,]+)\n", links)
    assert match
    side_by_side = [opened[int(number)] for number in match[1].split(",")]
    assert [one["arm"] for one in side_by_side] == ["text_agent", "text_zero_shot", "gym"]
    assert len({one["task"] for one in side_by_side}) == 1


def test_without_a_browser_the_demo_plays_the_text_arms_and_says_so(
    fake: FakeServer, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PALAESTRA_BROWSER", "/no/such/browser")
    assert main(["demo", "--server", fake.lab_url, "--key", "k", "--episodes", "12"]) == 1
    out = capfd.readouterr()
    assert "The demonstration stopped: " in out.err
    assert "never retrieved" not in out.err
    assert "#dom" not in out.out
    done = [one["arm"] for one in fake.state.episodes.values() if one["verdict"]]
    assert sorted(set(done)) == ["text_agent", "text_zero_shot"]


def test_the_demo_without_a_server_says_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("palaestra.http.transport.FIRST_PAUSE_S", 0.001)
    assert main(["demo", "--server", "http://127.0.0.1:1", "--key", "k"]) == 1
    error = capsys.readouterr().err
    assert "No answer from http://127.0.0.1:1 to GET" in error
    assert error.rstrip().endswith("(--server, or $PALAESTRA_SERVER)")


async def test_groups_are_iterated_once_each_until_none_comes(client: Client) -> None:
    pages = {0: ([1, 2], 7), 7: ([], 7), 9: ([3], 12), 12: ([], 12)}
    waited: list[int] = []
    origins: set[str | None] = set()

    async def groups_page(_run: int, *, after: int, origin: str | None) -> Page[GroupState]:
        origins.add(origin)
        after = 9 if after == 7 and waited else after
        groups, following = pages[after]
        states = [GroupState(group=group, task=1, size=4) for group in groups]
        return Page(results=states, next=following)

    async def wait_verdicts(_run: int, *, after: int, timeout_s: int) -> None:
        waited.append(after)
        await asyncio.sleep(0.05)

    client.groups_page, client.wait_verdicts = groups_page, wait_verdicts  # type: ignore[method-assign]

    groups = [(after, state.group) async for after, state in client.groups(7, timeout_s=0.2, origin="plain")]

    assert groups == [(0, 1), (7, 2), (12, 3)]
    assert waited[0] == 7
    assert origins == {"plain"}


def test_a_draw_is_opened_in_as_few_calls_as_its_samples_and_steps_allow() -> None:
    drawn = [(1, 4, None), (2, 8, None), (3, 4, None), (4, 4, 9)]
    items = [DrawnTask(task=task, samples_per_task=n, max_steps=steps) for task, n, steps in drawn]

    openings = Draw(sampler=1, number=1, position=0, items=items).openings

    assert openings == [
        {"tasks": [1, 3], "samples_per_task": 4, "max_steps": None},
        {"tasks": [2], "samples_per_task": 8, "max_steps": None},
        {"tasks": [4], "samples_per_task": 4, "max_steps": 9},
    ]


def test_a_pair_is_opened_in_one_call_with_guidance_and_one_without() -> None:
    prefix = {"kind": "prefix", "steps": 2}
    drawn = [(1, prefix), (1, None), (2, prefix), (2, None), (3, {"kind": "prefix", "steps": 1})]
    items = [DrawnTask(task=task, samples_per_task=4, guidance=guidance) for task, guidance in drawn]

    openings = Draw(sampler=1, number=1, position=0, items=items).openings

    assert [(one["tasks"], one.get("guidance")) for one in openings] == [
        ([1, 2], prefix),
        ([1, 2], None),
        ([3], {"kind": "prefix", "steps": 1}),
    ]


async def test_a_web_page_in_the_place_of_the_api_is_named(fake: FakeServer) -> None:
    async with Client(fake.arena_url, "key") as client:
        with pytest.raises(ApiError, match="is a web page, not the API"):
            await client.tasks(limit=1)


def test_a_group_teaches_if_judged_rewards_differ() -> None:
    judged = {"mixed": (2, False), "alike": (2, True), "alone": (1, False), "void": (0, False)}
    states = {
        name: GroupState(group=1, task=1, size=2, judged=count, degenerate=is_degenerate)
        for name, (count, is_degenerate) in judged.items()
    }

    assert [name for name, state in states.items() if state.teaches] == ["mixed"]


def test_a_server_that_goes_away_is_named_once_and_so_is_its_return(caplog: pytest.LogCaptureFixture) -> None:
    clock = iter([0.0, 1.0, 4.0, 5.0])
    absence = Absence("http://lab:1/", now=lambda: next(clock))
    for _ in range(4):
        absence.note_failure(OSError("refused"))
    absence.note_answer()
    first, last = caplog.messages
    assert first.startswith("No answer from http://lab:1 for 4 s")
    assert last == "http://lab:1 answers again."
