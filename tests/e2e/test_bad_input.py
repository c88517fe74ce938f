"""What agents and harnesses may write, on every page of a trajectory: none of it runs, asks or covers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Request, expect
from pytest_django.live_server_helper import LiveServer

from core.storage import blobs
from tests import factories
from tests.e2e.test_lab_pages import settled
from tests.lab.long_scene import picture_make
from trajectories.behaviour.facts import store
from trajectories.models import Blob, Episode, PageEvent, SiteEvent

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

LabPage = Callable[..., Page]
MARKUP = (
    "</textarea></title></pre></script><script>window.ran=1;alert(1)</script>"
    "<img src='https://evil.example/i.png' onerror='window.ran=1'><svg onload='window.ran=1'></svg>"
    "<style>body{display:none}*{position:fixed;inset:0;background:url(https://evil.example/b)}</style>"
    "<iframe src='https://evil.example/f' srcdoc='<script>parent.ran=1</script>'></iframe>"
    "<meta http-equiv=refresh content='0;url=https://evil.example/m'><base href='https://evil.example/'>"
    "<link rel=stylesheet href='https://evil.example/c.css'><a href='javascript:window.ran=1'>x</a>"
    "<div style='position:fixed;inset:0;z-index:99999'>covered</div>"
    "\"'><b hx-get=/logout/ hx-trigger=load>{{ 7|add:7 }}{% include 'x' %}${7*7}"
)
BIDI = "\u202egnp.exe\u202c\u2066\u2067abc\u200b\ufeff\U000e0041"
TEXTS = {
    "markup and directions": BIDI + MARKUP,
    "a megabyte": "W" * 1_000_000,
    "marks": "a" + "\u0301\u0489" * 50_000,
    "lines": "start" + "\n" * 100_000 + "end",
}
HOSTILE_FILES: dict[str, bytes] = {
    "svg": b"<svg xmlns='http://www.w3.org/2000/svg'><script>top.ran=1;fetch('//evil.example')</script></svg>",
    "page": b"<!DOCTYPE html><script>window.ran=1</script><img src=https://evil.example/p.png>",
    "gif that is a script": b"GIF89a/*" + b"\x00" * 32 + b"*/=1;window.ran=1;<script>window.ran=1</script>",
    "json that is a page": b"[]<script>window.ran=1</script>",
    "pdf": b"%PDF-1.7\n\x00\x01<script>window.ran=1</script>",
    "utf-7": b"+ADw-script+AD4-window.ran=1+ADw-/script+AD4-",
}


@pytest.fixture
def watched(lab_page: LabPage, live_server: LiveServer) -> Iterator[Callable[..., Page]]:
    """A logged-in page after which nothing may have run, asked anyone else, or opened a dialog."""
    pages: list[Page] = []
    foreign: list[str] = []

    def note(request: Request) -> None:
        if not request.url.startswith((live_server.url, "data:", "file:", "blob:")):
            foreign.append(request.url)

    def make(**options: Any) -> Page:
        page = lab_page(**options)
        page.on("request", note)
        page.on("dialog", lambda dialog: (foreign.append(f"dialog {dialog.message}"), dialog.dismiss()))
        page.on("popup", lambda popup: foreign.append(f"popup {popup.url}"))
        pages.append(page)
        return page

    yield make
    assert foreign == []
    for page in pages:
        assert page.evaluate("window.ran") is None


def hostile(text: str, *, steps: int = 2) -> Episode:
    """An episode in which every text that others write is this one."""
    short = text[:190]
    run = factories.run(name=short or "-", model=short)
    task = factories.task(prompt=text[:5_000], payload={"text": text[:5_000], "format": "plain"})
    episode = factories.episode(group=factories.group(run=run, task=task))
    shot = picture_make("search")
    for index in range(1, steps + 1):
        factories.step(
            episode,
            index,
            thought=text,
            raw=text,
            action={"type": "type", "target": short, "text": text},
            action_type="type",
            observation_text=f'page "{text}"\n[e1] button "{short}"',
            observation_kind=short[:32],
            url=f"https://gym/{text[:4_000]}",
            parse_error=text,
            screenshot=shot,
            more={short: text[:10_000]},
        )
        data = {
            "name": short,
            "role": short,
            "title": short,
            "value": text[:2_000],
            "box": [1e300, "x", None],
        }
        PageEvent.objects.create(
            episode=episode, page=short[:32], seq=index, step=index, kind="input", at_ms=1.0, data=data
        )
        SiteEvent.objects.create(
            episode=episode, seq=index, step=index, kind="page_served", data={short: short}
        )
    factories.submission(episode, text[:5_000])
    factories.verdict(episode)
    store.facts_compute([episode.pk])
    return episode


def is_uncovered(page: Page) -> bool:
    """Whether what stands in the middle of the heading is the heading."""
    return page.evaluate(
        """() => { const one = document.querySelector("h1"), box = one.getBoundingClientRect();
        const hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
        return one === hit || one.contains(hit); }"""
    )


@pytest.mark.parametrize("name", TEXTS)
def test_no_page_of_a_trajectory_runs_what_it_shows(watched: Callable[..., Page], name: str) -> None:
    episode = hostile(TEXTS[name])
    other = hostile(TEXTS[name])
    page = watched(viewport={"width": 400, "height": 800})
    step = f"/episodes/{episode.pk}/steps/2"
    for path in (
        f"/episodes/{episode.pk}/",
        step,
        f"{step}?find=script",
        f"{step}/changes",
        f"/episodes/{episode.pk}/prompt",
        f"/compare?episodes={episode.pk},{other.pk}",
        f"/runs/{episode.run_id}/",
        f"/tasks/{episode.task_id}/",
    ):
        shows_text(page, path)


def test_no_list_runs_what_it_shows(watched: Callable[..., Page]) -> None:
    for text in TEXTS.values():
        hostile(text)
    page = watched(viewport={"width": 400, "height": 800})
    for path in ("/episodes/", "/tasks/", "/"):
        shows_text(page, path)


def shows_text(page: Page, path: str) -> None:
    """The page runs nothing, hides nothing, and is no wider than the window."""
    page.goto(path)
    settled(page)
    assert is_uncovered(page), path
    assert page.evaluate("document.documentElement.scrollWidth") <= 400, path
    assert page.evaluate("window.ran") is None, path


def test_every_tab_and_the_matches_show_hostile_texts_as_text(watched: Callable[..., Page]) -> None:
    episode = hostile(BIDI + MARKUP)
    page = watched(viewport={"width": 1280, "height": 800})
    page.goto(f"/episodes/{episode.pk}/steps/1")
    settled(page)
    for tab in page.get_by_role("tab").all():
        tab.click()
        settled(page)
        expect(page.locator(".panel.is-open")).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("<script>window.ran=1")
    page.keyboard.press("Enter")
    expect(page.locator("[data-matches-count]")).to_have_text(
        "1 of 2 steps: in thought, action, tree, address"
    )
    expect(page.locator(".thought mark").first).to_have_text("<script>window.ran=1")
    expect(page.locator(".thought .invisible").first).to_have_text("U+202E")
    assert is_uncovered(page)


@pytest.mark.parametrize("name", ["markup and directions", "marks"])
def test_the_file_taken_away_runs_nothing_where_it_is_opened(
    watched: Callable[..., Page], name: str, tmp_path: Path
) -> None:
    episode = hostile(TEXTS[name])
    page = watched()
    page.goto(f"/episodes/{episode.pk}/")
    settled(page)
    with page.expect_download() as download:
        page.get_by_role("link", name="HTML file", exact=True).click()
    taken = tmp_path / "episode.html"
    download.value.save_as(taken)
    page.goto(taken.as_uri())
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.locator("img").first).to_be_visible()
    assert is_uncovered(page)


def test_a_blob_that_is_opened_runs_nothing(watched: Callable[..., Page]) -> None:
    page = watched()
    for content in HOSTILE_FILES.values():
        opened_blob_runs_nothing(page, content)


def opened_blob_runs_nothing(page: Page, content: bytes) -> None:
    """Neither by itself nor in the step whose screenshot and observation it is said to be."""
    stored = blobs.blob_store(content)
    Blob.objects.create(sha256=stored.sha256, size=stored.size, content_type=stored.content_type)
    episode = factories.episode()
    factories.step(episode, 1, screenshot=stored.sha256, observation_sha256=stored.sha256)
    answer = page.request.get(f"/blobs/{stored.sha256}")
    assert answer.headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert answer.headers["x-content-type-options"] == "nosniff"
    is_shown = answer.headers["content-type"].split(";")[0] in ("image/gif", "text/plain", "application/json")
    assert is_shown != answer.headers.get("content-disposition", "").startswith("attachment")
    if is_shown:
        page.goto(f"/blobs/{stored.sha256}")
        assert page.evaluate("window.ran") is None
    page.goto(f"/episodes/{episode.pk}/steps/1")
    settled(page)
    assert page.evaluate("window.ran") is None
    expect(page.get_by_text("Its file is damaged or not a picture.")).to_be_visible()
    expect(page.get_by_role("link", name="The observation as a file")).to_be_visible()


def test_missing_files_have_a_message_and_the_rest_works(watched: Callable[..., Page]) -> None:
    episode = hostile("plain", steps=1)
    gone = "e" * 64
    Blob.objects.create(sha256=gone, size=1, content_type="image/png")
    factories.step(episode, 2, thought="Gone.", screenshot=gone, observation_sha256=gone)
    factories.step(episode, 3, thought="Never came.", screenshot="f" * 64, observation_sha256="f" * 64)
    lost = picture_make("offer", shade=9)
    factories.step(episode, 4, thought="Lost.", screenshot=lost)
    Path(blobs.storages["blobs"].path(blobs._name(lost))).unlink()
    page = watched()
    page.goto(f"/episodes/{episode.pk}/steps/1")
    settled(page)
    for message in (
        "Its file is missing from the store.",
        "It was announced but has not been uploaded.",
        "Its file is missing from the store, or damaged.",
    ):
        page.keyboard.press("j")
        settled(page)
        expect(page.get_by_text(message, exact=True)).to_be_visible()
        expect(page.locator(".thought")).to_be_visible()
        page.keyboard.press("3")
        expect(page.get_by_role("tabpanel", name="Changes")).to_contain_text("missing or damaged")
        page.keyboard.press("1")
    page.goto(f"/blobs/{gone}")
    expect(page.get_by_text("This file is not in the store")).to_be_visible()
    for path in ("export.html", "export.json", f"compare?episodes={episode.pk}"):
        start = "" if path.startswith("compare") else f"episodes/{episode.pk}/"
        assert page.request.get(f"/{start}{path}").ok


def test_no_search_in_a_trajectory_is_too_strange(watched: Callable[..., Page]) -> None:
    episode = hostile("plain")
    page = watched()
    for sought in ("%00", "%F0%28", "x" * 5_000, "%E2%80%AE", "%25_%5C"):
        assert page.goto(f"/episodes/{episode.pk}/steps/1?find={sought}").ok, sought
        settled(page)
        assert page.request.get(f"/episodes/{episode.pk}/find.json?find={sought}").ok, sought
