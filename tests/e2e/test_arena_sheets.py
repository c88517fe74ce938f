"""Style sheets that a recording caches from one page of an episode to the next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

from tasks_app.starters import starter_drafts
from tests import factories
from tests.e2e.conftest import ArenaServer
from tests.e2e.test_arena_recorder import visit
from trajectories.models import Episode

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

OpenPage = Callable[..., Page]
Node = dict[str, Any]

# Notes what the recorder asks of rrweb, and the snapshot that it gets.
LISTEN = """(() => {
    let own;
    Object.defineProperty(window, "rrwebRecord", { configurable: true, get: () => own, set(told) {
        const record = Object.assign((options) => told.record({ ...options, emit(event) {
            if (event.type === 2) [window.options, window.taken] = [options, JSON.stringify(event.data.node)];
            options.emit(event);
        } }), told.record);
        own = { record };
    } });
})()"""
TAKEN = "() => window.taken && JSON.parse(window.taken)"
# What rrweb takes of the same page by itself.
AFRESH = """() => {
    let node = null;
    const emit = (event) => { if (event.type === 2) node ??= event.data.node; };
    rrwebRecord.record({ ...window.options, emit })();
    return JSON.parse(JSON.stringify(node));
}"""
STORED = "Object.entries(sessionStorage).filter(([name]) => name.startsWith('gym-sheet:'))"
MARK = """stored => {
    for (const [name, text] of stored) sessionStorage.setItem(name, text.replace(/ .*/s, ' p { --kept: 1 }'));
}"""
OTHERS = """(text) => addEventListener("DOMContentLoaded", () => {
    for (const { href } of document.styleSheets) sessionStorage.setItem(`gym-sheet:${href}`, text);
})"""
NO_STORAGE = "Object.defineProperty(window, 'sessionStorage', { get() { throw new Error('no'); } })"


def episode_of(benchmark: str) -> Episode:
    sample = starter_drafts(benchmark)[0]
    task = factories.task(kind=sample.kind, payload=dict(sample.payload), prompt=sample.prompt)
    return factories.episode(recording="full", presentation={}, task=task)


def sheets_of(node: Node) -> list[Node]:
    own = [node["attributes"]] if node.get("tagName") == "link" else []
    return own + [sheet for child in node.get("childNodes", ()) for sheet in sheets_of(child)]


def taken(page: Page) -> list[Node]:
    return sheets_of(page.wait_for_function(TAKEN).json_value())


@pytest.mark.parametrize("benchmark", ["stays", "reviews", "math", "mbpp", "wikitable"])
def test_the_style_sheets_of_every_page_are_recorded_as_rrweb_reads_them(
    benchmark: str, arena_server: ArenaServer, open_page: OpenPage
) -> None:
    episode = episode_of(benchmark)
    page = open_page()
    page.add_init_script(LISTEN)

    for _ in range(2):
        visit(page, arena_server, episode)
        sheets = taken(page)
        assert sum("_cssText" in sheet for sheet in sheets) >= 3
        assert sheets == sheets_of(page.evaluate(AFRESH))


def test_the_text_of_a_style_sheet_is_cached_for_the_next_page(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    episode = episode_of("stays")
    page = open_page()
    page.add_init_script(LISTEN)
    visit(page, arena_server, episode)
    taken(page)
    stored = page.evaluate(STORED)
    page.evaluate(MARK, stored)
    visit(page, arena_server, episode)

    texts = [sheet.get("_cssText") for sheet in taken(page)]

    assert len(stored) >= 3
    assert texts.count("p { --kept: 1 }") == len(stored)
    assert page.evaluate("[...document.styleSheets].every((sheet) => !Object.hasOwn(sheet, 'rules'))")


@pytest.mark.parametrize("stored", ["1 p { --kept: 1 }", "", "none", "97", "97 "])
def test_a_style_sheet_that_differs_from_its_cached_text_is_read_again(
    stored: str, arena_server: ArenaServer, open_page: OpenPage
) -> None:
    page = open_page()
    page.add_init_script(LISTEN)
    page.add_init_script(f"({OTHERS})({stored!r})")
    visit(page, arena_server, episode_of("gsm8k"))

    sheets = taken(page)

    assert "--kept" not in str(sheets)
    assert sheets == sheets_of(page.evaluate(AFRESH))


def test_without_session_storage_style_sheets_are_read_on_every_page(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    page = open_page()
    page.add_init_script(LISTEN)
    page.add_init_script(NO_STORAGE)
    visit(page, arena_server, episode_of("gsm8k"))

    sheets = taken(page)

    assert sum("_cssText" in sheet for sheet in sheets) >= 3
    assert sheets == sheets_of(page.evaluate(AFRESH))
