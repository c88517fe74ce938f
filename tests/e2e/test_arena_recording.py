"""The DOM recording of pages of episodes with ``recording: full``, in a real browser against a real arena."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest
from playwright.sync_api import Page, Request, Route, expect

from core.storage import blobs
from tasks_app.starters import starter_drafts
from tests import factories
from tests.e2e.conftest import ArenaServer
from tests.e2e.test_arena_recorder import arrived, visit
from trajectories.models import Episode, PageEvent, RecordingChunk

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

OpenPage = Callable[..., Page]
Events = list[dict[str, Any]]
TRIES = 100
META, FULL, INCREMENTAL = 4, 2, 3
MOUSE, INPUT = 1, 5
DAY_MS = 86_400_000
GZIP_MAGIC = b"\x1f\x8b"


def episode_make(**fields: Any) -> Episode:
    return factories.episode(**{"recording": "full", "presentation": {}, **fields})


def chunks(episode: Episode) -> list[RecordingChunk]:
    return list(RecordingChunk.objects.filter(episode=episode).order_by("received_at", "page", "seq"))


def text_of(chunk: RecordingChunk) -> str:
    with blobs.blob_open(chunk.sha256, storage="recordings") as file:
        return gzip.decompress(file.read()).decode()


def events(episode: Episode) -> Events:
    return [event for chunk in chunks(episode) for event in json.loads(text_of(chunk))]


def recorded(page: Page, episode: Episode, matches: Callable[[Events], bool]) -> Events:
    """The recorded events of an episode, once they match."""
    for _ in range(TRIES):
        # A chunk is noted before its bytes are kept.
        with suppress(FileNotFoundError):
            if matches(seen := events(episode)):
                return seen
        page.evaluate("new Promise((done) => setTimeout(done, 50))")
    raise AssertionError(f"{[(e['type'], e['data'].get('source')) for e in events(episode)]} after all tries")


def texts_in(node: dict[str, Any]) -> str:
    return node.get("textContent", "") + "".join(texts_in(child) for child in node.get("childNodes", ()))


def has_snapshot(seen: Events) -> bool:
    return any(event["type"] == FULL for event in seen)


def inputs(seen: Events) -> list[str]:
    return [event["data"]["text"] for event in seen if event["data"].get("source") == INPUT]


def test_the_first_snapshot_shows_the_page_as_it_was(arena_server: ArenaServer, open_page: OpenPage) -> None:
    episode = episode_make(task=factories.task(payload={"text": "How many doors?", "format": "plain"}))
    page = open_page(viewport={"width": 900, "height": 600})
    visit(page, arena_server, episode)

    seen = recorded(page, episode, has_snapshot)

    assert [event["type"] for event in seen[:2]] == [META, FULL]
    assert seen[0]["data"] == {"href": "https://gym/", "width": 900, "height": 600}
    assert "How many doors?" in texts_in(seen[1]["data"]["node"])
    first = chunks(episode)[0]
    assert (first.seq, first.has_snapshot) == (1, True)
    assert first.first_ms == seen[0]["timestamp"]
    assert first.page in {event.page for event in arrived(page, episode, "load")}


def test_recording_puts_no_frame_into_the_page(arena_server: ArenaServer, open_page: OpenPage) -> None:
    episode = episode_make()
    page = open_page()
    frames: list[str] = []
    page.on("frameattached", lambda frame: frames.append(frame.url))
    visit(page, arena_server, episode)
    page.get_by_role("textbox").fill("1")

    recorded(page, episode, lambda seen: "1" in inputs(seen))
    assert frames == []


def test_styles_are_in_the_snapshot(arena_server: ArenaServer, open_page: OpenPage) -> None:
    episode = episode_make()
    page = open_page()
    visit(page, arena_server, episode)

    snapshot = next(e for e in recorded(page, episode, has_snapshot) if e["type"] == FULL)

    assert json.dumps(snapshot).count("_cssText") >= 2
    assert '"tagName": "script"' not in json.dumps(snapshot)


def test_typed_text_follows_the_snapshot(arena_server: ArenaServer, open_page: OpenPage) -> None:
    episode = episode_make()
    page = open_page()
    visit(page, arena_server, episode)

    page.get_by_role("textbox").press_sequentially("12")

    seen = recorded(page, episode, lambda seen: "12" in inputs(seen))
    assert inputs(seen)[:2] == ["1", "12"]
    assert [chunk.seq for chunk in chunks(episode)] == list(range(1, len(chunks(episode)) + 1))
    times = [event["timestamp"] for event in seen]
    assert times == sorted(times)


def test_no_chunk_holds_the_token(arena_server: ArenaServer, open_page: OpenPage) -> None:
    episode = episode_make()
    address = arena_server.address(episode)
    token = address.rstrip("/").rpartition("/")[2]
    page = open_page()
    visit(page, arena_server, episode)

    page.evaluate("document.body.append(document.createElement('a'), location.href)")
    page.evaluate("document.querySelector('a').href = location.pathname + 'done'")
    page.get_by_role("textbox").fill(f"{address} {token}")

    seen = recorded(page, episode, lambda seen: bool(inputs(seen)))
    texts = "".join(map(text_of, chunks(episode)))
    assert inputs(seen) == ["https://gym/ ***"]
    assert '"https://gym/done"' in texts
    assert token not in texts
    assert arena_server.url not in texts


def test_passwords_are_masked(arena_server: ArenaServer, open_page: OpenPage) -> None:
    episode = episode_make()
    page = open_page()
    visit(page, arena_server, episode)

    page.evaluate("document.querySelector('input').type = 'password'")
    page.locator("input").fill("hunter2")

    recorded(page, episode, lambda seen: "*******" in inputs(seen))
    assert "hunter2" not in "".join(map(text_of, chunks(episode)))


@pytest.mark.parametrize("recording", ["off", "events"])
def test_episodes_without_full_recording_send_none(
    recording: str, arena_server: ArenaServer, open_page: OpenPage
) -> None:
    page = open_page()
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    episode = episode_make(recording=recording)
    visit(page, arena_server, episode)
    page.get_by_role("textbox").fill("1")
    page.goto(arena_server.address(episode, "done"))

    assert not [url for url in requests if url.endswith("/recording") or "rrweb" in url]
    assert not RecordingChunk.objects.filter(episode=episode).exists()


def test_no_change_is_lost_when_the_form_is_submitted(arena_server: ArenaServer, open_page: OpenPage) -> None:
    episode = episode_make()
    page = open_page()
    visit(page, arena_server, episode)
    recorded(page, episode, has_snapshot)

    page.get_by_role("textbox").press_sequentially("789")
    page.get_by_role("button").click()
    expect(page.get_by_role("heading")).to_have_text("Answer recorded")

    recorded(page, episode, lambda seen: "789" in inputs(seen))
    first = [chunk for chunk in chunks(episode) if chunk.page == chunks(episode)[0].page]
    assert [chunk.seq for chunk in first] == list(range(1, len(first) + 1))
    submitted = PageEvent.objects.filter(episode=episode, kind="submit")
    assert [event.page for event in submitted] == [first[0].page]


def test_a_page_that_is_left_at_once_sends_its_snapshot(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    episode = episode_make()
    page = open_page()
    visit(page, arena_server, episode)
    page.goto(arena_server.address(episode))
    page.wait_for_selector("html[data-settled=true]", state="attached")

    recorded(page, episode, lambda _: len({c.page for c in chunks(episode) if c.has_snapshot}) == 2)


@pytest.mark.parametrize("status", [503, 429])
def test_a_chunk_that_fails_is_sent_again_and_stored_once(
    status: int, arena_server: ArenaServer, open_page: OpenPage
) -> None:
    episode = episode_make()
    page = open_page()
    failures: list[str] = []

    def flaky(route: Route) -> Any:
        if len(failures) < 2:
            failures.append(route.request.url)
            return route.abort() if len(failures) == 1 else route.fulfill(status=status)
        return route.continue_()

    page.route("**/recording", flaky)
    visit(page, arena_server, episode)
    page.get_by_role("textbox").fill("5")

    recorded(page, episode, lambda seen: "5" in inputs(seen))
    assert len(failures) == 2
    assert [chunk.seq for chunk in chunks(episode)] == list(range(1, len(chunks(episode)) + 1))


def test_the_marker_does_not_wait_for_the_recording(arena_server: ArenaServer, open_page: OpenPage) -> None:
    page = open_page()
    page.route("**/recording", lambda route: None)

    visit(page, arena_server, episode_make())

    expect(page.locator("html")).to_have_attribute("data-settled", "true")


def test_the_server_compresses_a_snapshot_that_the_page_could_not(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    episode = episode_make()
    page = open_page()
    page.add_init_script("delete window.CompressionStream")
    visit(page, arena_server, episode)

    assert has_snapshot(recorded(page, episode, has_snapshot))


def test_a_snapshot_is_compressed_and_small_chunks_are_sent_as_they_are(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    page = open_page()
    bodies: list[bytes] = []

    def note(request: Request) -> None:
        if request.url.endswith("/recording"):
            bodies.append(request.post_data_buffer or b"")

    page.on("request", note)
    visit(page, arena_server, episode_make())
    with page.expect_request(lambda request: b'"text":"5"' in (request.post_data_buffer or b"")):
        page.get_by_role("textbox").fill("5")

    assert bodies[0].startswith(GZIP_MAGIC)
    assert bodies[-1].startswith(b"[{")


def test_chunks_carry_the_step_of_the_harness(arena_server: ArenaServer, open_page: OpenPage) -> None:
    episode = episode_make()
    page = open_page(extra_http_headers={"X-Gym-Step": "2"})
    visit(page, arena_server, episode)
    recorded(page, episode, has_snapshot)
    page.evaluate("document.documentElement.dataset.step = 3")
    page.get_by_role("textbox").fill("1")

    recorded(page, episode, lambda seen: "1" in inputs(seen))
    assert {chunk.step for chunk in chunks(episode)} == {2, 3}


def test_recorded_times_are_real_where_the_page_has_a_virtual_clock(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    sample = starter_drafts("stays")[0]
    task = factories.task(kind=sample.kind, payload=dict(sample.payload), prompt=sample.prompt)
    episode = episode_make(task=task, virtual_start=datetime(2029, 2, 28, 9, tzinfo=UTC))
    page = open_page()
    visit(page, arena_server, episode)
    page.mouse.move(100, 100)
    page.mouse.move(300, 300, steps=5)

    seen = recorded(page, episode, lambda seen: any(e["data"].get("source") == MOUSE for e in seen))

    now_ms = page.evaluate("performance.timeOrigin + performance.now()")
    assert page.evaluate("Date.now()") - now_ms > DAY_MS
    assert all(0 <= now_ms - event["timestamp"] < DAY_MS for event in seen)
    moves = [move for e in seen if e["data"].get("source") == MOUSE for move in e["data"]["positions"]]
    assert all(-60_000 < move["timeOffset"] <= 0 for move in moves)


# A route that is lifted just before leaving would let the recorder's next try through on a slow machine.
UNSENT_UNTIL_LEFT = """(() => {
    const send = window.fetch;
    let isLeft = false;
    addEventListener("pagehide", () => { isLeft = true; });
    window.fetch = (url, more) =>
        isLeft || !url.endsWith("recording") ? send(url, more) : Promise.reject(new TypeError("held back"));
})()"""


def test_a_page_that_is_left_sends_changes_before_a_snapshot_too_large_to_send(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    episode = episode_make(task=factories.task(payload={"text": "word " * 20_000, "format": "plain"}))
    page = open_page()
    page.add_init_script(UNSENT_UNTIL_LEFT)
    visit(page, arena_server, episode)
    page.get_by_role("textbox").fill("77")
    page.goto(arena_server.address(episode, "done"))
    page.wait_for_selector("html[data-settled=true]", state="attached")

    recorded(page, episode, lambda seen: "77" in inputs(seen))
    left = next(chunk for chunk in chunks(episode) if "77" in inputs(json.loads(text_of(chunk)))).page
    assert not [chunk for chunk in chunks(episode) if chunk.page == left and chunk.has_snapshot]


GARBAGE = """async (nonce) => {
    const post = async (body, claim) => {
        const headers = { "X-Gym-Chunk": claim };
        return (await fetch("recording", { method: "POST", body, headers })).status;
    };
    const claim = (seq) => JSON.stringify({ page: nonce, seq, events: 1, first_ms: 1, last_ms: 1 });
    const bytes = new Uint8Array([31, 139, 8, 1, 2, 3]);
    return [await post("x", ""), await post("[", claim(900)), await post("{}", claim(901)),
        await post(bytes, claim(902)), await post("[1]", "[".repeat(400))];
}"""


def test_an_agent_that_posts_garbage_breaks_nothing(arena_server: ArenaServer, open_page: OpenPage) -> None:
    episode = episode_make()
    page = open_page()
    visit(page, arena_server, episode)
    assert has_snapshot(recorded(page, episode, has_snapshot))

    statuses = page.evaluate(GARBAGE, chunks(episode)[0].page)

    assert statuses == [400, 204, 400, 204, 400]
    page.get_by_role("textbox").fill("9")
    page.get_by_role("button").click()
    expect(page.get_by_role("heading")).to_have_text("Answer recorded")
