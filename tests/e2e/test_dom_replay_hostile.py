"""Recordings forged by hand to run a script in the viewer's browser or to report home."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from tests import factories
from tests.e2e.test_dom_replay import tab_opened
from tests.e2e.test_lab_pages import settled
from tests.record.capture.factories import chunk_make, packed
from trajectories.behaviour.dom_replay.sanitizer import Cleaner
from trajectories.models import Episode

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

OpenPage = Callable[..., Page]
Node = dict[str, Any]
NOW_MS = 1_800_000_000_000
RUN = "top.ran = parent.ran = window.ran = 1"
BEACON = "/hit"
LARGE_MS = 90_000  # where other tests keep the machine busy


class Canary(ThreadingHTTPServer):
    """A server that must never receive a request."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Hit)
        self.requests: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}{BEACON}"


class Hit(BaseHTTPRequestHandler):
    server: Canary

    def do_GET(self) -> None:
        self.server.requests.append(self.path)
        self.send_response(204)
        self.end_headers()

    do_POST = do_GET

    def log_message(self, *arguments: Any) -> None:
        return


@pytest.fixture
def canary() -> Iterator[Canary]:
    server = Canary()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


class Tree:
    """Nodes with unique ids."""

    def __init__(self, begin: int = 10) -> None:
        self.last = begin

    def text(self, content: str, **fields: Any) -> Node:
        self.last += 1
        return {"type": 3, "id": self.last, "textContent": content, **fields}

    def element(self, tag: str, *children: Node | str, svg: bool = False, **attributes: Any) -> Node:
        self.last += 1
        names = {name.rstrip("_").replace("__", "-"): value for name, value in attributes.items()}
        node = {"type": 2, "id": self.last, "tagName": tag, "attributes": names}
        within = [self.text(child) if isinstance(child, str) else child for child in children]
        return {**node, "childNodes": within, **({"isSVG": True} if svg else {})}


def hostile(url: str) -> list[Node]:
    """Everything that has ever run a script or fetched something, in a page's body."""
    tree = Tree()
    element = tree.element
    svg_run = f"<svg xmlns='http://www.w3.org/2000/svg' onload='{RUN}'><script>{RUN}</script></svg>"
    css = f"""
        @import '{url}?import';
        @font-face {{ font-family: x; src: url({url}?font) }}
        body {{ background: url({url}?css) }}
        p {{ background: image-set('{url}?set' 1x) }}
        h1 {{ background: u\\72l('{url}?escaped'); font-family: x; cursor: url({url}?cursor), auto }}
        h1 {{ --x: url({url}?var); list-style: var(--x) }}
    """
    return [
        element("h1", "The heading of the page"),
        element("script", RUN),
        element("script", src=f"{url}?script"),
        element("SCRIPT", RUN, svg=True),
        element("img", src=f"{url}?img", onerror=RUN, onload=RUN),
        element("img", src="data:image/png;base64,AAAA", onerror=RUN),
        element("img", srcset=f"{url}?srcset 1x", lowsrc=f"{url}?lowsrc"),
        element("body", onload=RUN, background=f"{url}?background"),
        element("a", "link", href=f"javascript:{RUN}", ping=f"{url}?ping"),
        element("iframe", srcdoc=f"<script>{RUN}</script>", src=f"{url}?frame", onload=RUN),
        element("iframe", src=f"javascript:{RUN}"),
        element("object", data=f"{url}?object"),
        element("embed", src=f"{url}?embed"),
        element("meta", http__equiv="refresh", content=f"0;url={url}?refresh"),
        element("base", href=f"{url}?base/"),
        element("link", rel="stylesheet", href=f"{url}?link"),
        element("link", rel="preload", as_="image", href=f"{url}?preload"),
        element("link", rel="prefetch", href=f"{url}?prefetch"),
        element("link", rel="dns-prefetch preconnect", href=url),
        element("style", css),
        element("style", _cssText=css),
        element("div", "styled", style=f"background: url({url}?style); border-image: url({url}?border)"),
        element("video", element("source", src=f"{url}?source"), src=f"{url}?video", poster=f"{url}?poster"),
        element("audio", src=f"{url}?audio", autoplay=True, onerror=RUN),
        element("form", element("input", autofocus=True, onfocus=RUN), action=f"{url}?action"),
        element("input", type="image", src=f"{url}?input", formaction=f"{url}?formaction"),
        element("details", element("summary", "more"), open="", ontoggle=RUN),
        element("marquee", "moves", onstart=RUN),
        element(
            "svg",
            element("script", RUN, svg=True),
            element("foreignObject", element("img", src=f"{url}?foreign", onerror=RUN), svg=True),
            element("use", svg=True, href=f"{url}?use#a", xlink__href="x"),
            element("image", svg=True, href=f"{url}?image"),
            element("feImage", svg=True, href=f"{url}?feimage"),
            element("set", svg=True, attributeName="href", to=f"javascript:{RUN}"),
            element("animate", svg=True, attributeName="href", values=f"javascript:{RUN}", onbegin=RUN),
            element("rect", svg=True, fill=f"url({url}?fill)", mask=f"url({url}?mask)"),
            svg=True,
            onload=RUN,
        ),
        element("img", src=f"data:image/svg+xml,{svg_run}"),
        element("canvas", rr_dataURL=f"{url}?canvas"),
        element(
            "div", "over everything", style="position:fixed;inset:-9999px;z-index:2147483647;background:red"
        ),
    ]


def changes(url: str) -> list[dict[str, Any]]:
    """The same attacks as changes after the snapshot, and attacks that only events allow."""
    later = Tree()
    later.last = 5_000
    picture = later.element("img", src=f"{url}?later", onerror=RUN)
    attributes = {
        "onclick": RUN,
        "onmouseover": RUN,
        "style": {"background": f"url({url}?changed)"},
        "src": url,
    }
    rule = f"* {{ background: url({url}?rule) }}"
    return [
        {"source": 0, "adds": [{"parentId": 3, "nextId": None, "node": picture}]},
        {
            "source": 0,
            "attributes": [{"id": 11, "attributes": attributes}, {"id": 21, "attributes": attributes}],
        },
        {"source": 2, "type": 2, "id": 11, "x": 1, "y": 1},
        {"source": 2, "type": 5, "id": 11},
        {"source": 8, "id": 40, "adds": [{"rule": rule, "index": 0}]},
        {
            "source": 15,
            "id": 1,
            "styleIds": [9],
            "styles": [{"styleId": 9, "rules": [{"rule": rule, "index": 0}]}],
        },
        {"source": 10, "family": "x", "fontSource": f"url({url}?face)", "buffer": False},
        {"source": 9, "id": 11, "type": 0, "commands": [{"property": "drawImage", "args": [f"{url}?draw"]}]},
    ]


def page_of(nodes: list[Node]) -> Node:
    body = {"type": 2, "id": 3, "tagName": "body", "attributes": {}, "childNodes": nodes}
    head = {"type": 2, "id": 4, "tagName": "head", "attributes": {}, "childNodes": []}
    html = {"type": 2, "id": 2, "tagName": "html", "attributes": {}, "childNodes": [head, body]}
    doctype = {"type": 1, "id": 5, "name": "html", "publicId": "", "systemId": ""}
    return {"type": 0, "id": 1, "childNodes": [doctype, html]}


def recording(nodes: list[Node], later: list[dict[str, Any]]) -> list[dict[str, Any]]:
    meta = {"type": 4, "data": {"href": "https://gym/", "width": 900, "height": 600}}
    full = {"type": 2, "data": {"node": page_of(nodes), "initialOffset": {"top": 0, "left": 0}}}
    events = [meta, full, *({"type": 3, "data": data} for data in later)]
    return [{**event, "timestamp": NOW_MS + place} for place, event in enumerate(events)]


def episode_with(events: list[dict[str, Any]]) -> Episode:
    episode = factories.episode(recording="full")
    span = {"first_ms": NOW_MS, "last_ms": NOW_MS + len(events), "has_snapshot": True}
    chunk_make(episode, 1, packed(events), step=1, **span)
    factories.step(episode, 2)
    factories.step(episode, 3, thought="The step after it.")
    return episode


@pytest.mark.parametrize("is_cleaned", [True, False])
def test_a_hostile_recording_runs_nothing_and_sends_no_request(
    is_cleaned: bool,
    canary: Canary,
    lab_page: OpenPage,
    live_server: LiveServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Cleaned or not: policy and sandbox alone must hold it, too."""
    if not is_cleaned:
        monkeypatch.setattr(Cleaner, "clean", lambda self, data: None)
    episode = episode_with(recording(hostile(canary.url), changes(canary.url)))
    page = lab_page(viewport={"width": 1280, "height": 900})
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))

    page.goto(f"/episodes/{episode.pk}/steps/2#dom")
    state = page.frame_locator("[data-dom-frame]").locator(
        "html[data-replay=ready], html[data-replay=failed]"
    )
    expect(state).to_have_count(1)
    if is_cleaned:
        frame = tab_opened(page, episode, 2)
        expect(frame.get_by_role("heading", name="The heading of the page")).to_be_attached()
    # The replayed frame cannot be queried: it runs no scripts, not even those of a test.
    assert [one.evaluate("window.ran") for one in (page.main_frame, *page.main_frame.child_frames)] == [
        None
    ] * 2
    page.keyboard.press("j")
    expect(page.locator("#step")).to_have_attribute("data-step", "3")
    settled(page)

    assert canary.requests == []
    own = (live_server.url, "data:", *(() if is_cleaned else (canary.url,)))
    assert [url for url in requests if not url.startswith(own)] == []
    assert {url for url in requests if "logout" in url} == set()


@pytest.mark.parametrize(
    "nodes",
    [
        [Tree().element("p", "x" * 1_000_000)],
        [Tree().element("p", "</script><script>top.ran=1</script><!--", title='"></iframe>')],
        [Tree().element("form", Tree().element("input", name="appendChild"), name="createElement")],
        [Tree().element("style", "*{display:none!important}html{filter:invert(1)}")],
        [Tree().element("style", "a{" * 50_000)],
        [Tree().element("x-own", "an element of its own", isCustom=True)],
    ],
    ids=["a megabyte", "end of script", "clobbering", "hiding", "endless rule", "custom element"],
)
def test_hostile_pages_break_nothing_around_their_replay(nodes: list[Node], lab_page: OpenPage) -> None:
    episode = episode_with(recording(nodes, []))
    page = lab_page(viewport={"width": 1280, "height": 900})

    page.goto(f"/episodes/{episode.pk}/steps/2#dom")
    state = page.frame_locator("[data-dom-frame]").locator(
        "html[data-replay=ready], html[data-replay=failed]"
    )
    expect(state).to_have_count(1)
    settled(page)

    assert page.evaluate("window.ran") is None
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.keyboard.press("j")
    expect(page.locator("#step")).to_have_attribute("data-step", "3")


def laughs(tree: Tree, *, levels: int, each: int) -> Node:
    groups = [tree.element("g", tree.element("path", svg=True, d="M0 0h9v9z"), svg=True, id="g0")]
    for level in range(1, levels + 1):
        parts = [tree.element("use", svg=True, href=f"#g{level - 1}", x=str(n)) for n in range(each)]
        groups.append(tree.element("g", *parts, svg=True, id=f"g{level}"))
    return tree.element("svg", *groups, svg=True)


def nest(tree: Tree, depth: int) -> Node:
    node = tree.element("i", "deep")
    for _ in range(depth):
        node = tree.element("i", node)
    return node


def grown(node: Node) -> list[dict[str, Any]]:
    """Two trees, of which the second comes to hang on the deepest node of the first."""
    added = {"parentId": node["id"] - node["depth"], "nextId": None, "node": nest(Tree(begin=9_000), 300)}
    return [{"source": 0, "adds": [added]}]


@pytest.mark.parametrize(
    "node",
    [laughs(Tree(), levels=9, each=10), {**nest(Tree(), 300), "depth": 300}],
    ids=["references", "depth"],
)
def test_a_recording_that_would_freeze_the_tab_is_not_replayed(node: Node, lab_page: OpenPage) -> None:
    page = lab_page(viewport={"width": 1280, "height": 900})
    episode = episode_with(recording([node], grown(node) if "depth" in node else []))
    page.goto(f"/episodes/{episode.pk}/steps/2#dom")
    place = page.locator(".shot-dom, [data-of-view~=dom]").first
    expect(place).to_contain_text("too large or too intricate", timeout=LARGE_MS)
    page.keyboard.press("j")
    expect(page.locator("#step")).to_have_attribute("data-step", "3")


def test_as_much_as_is_replayed_leaves_the_tab_to_its_reader(lab_page: OpenPage) -> None:
    tree = Tree()
    nodes = [
        laughs(tree, levels=3, each=30),
        nest(tree, 400),
        *(tree.element("b", "x") for _ in range(5_000)),
    ]
    episode = episode_with(recording(nodes, []))
    page = lab_page(viewport={"width": 1280, "height": 900})
    page.goto(f"/episodes/{episode.pk}/steps/2#dom")
    ready = page.frame_locator("[data-dom-frame]").locator("html[data-replay=ready]")
    expect(ready).to_have_count(1, timeout=LARGE_MS)
    page.keyboard.press("j")
    expect(page.locator("#step")).to_have_attribute("data-step", "3")


def test_a_replay_that_hung_its_tab_is_not_opened_again_by_itself(lab_page: OpenPage) -> None:
    episode = episode_with(recording([Tree().element("p", "text")], []))
    page = lab_page()
    address = f"/episodes/{episode.pk}/steps/2"
    page.goto(address)
    # As a tab that was ended while the replay was opened leaves it.
    page.evaluate(f"sessionStorage.setItem('palaestra:replay:{address}/dom', 'opened')")
    page.goto(f"{address}/replay")
    settled(page)
    expect(page.get_by_role("status").get_by_text("It may freeze this tab")).to_be_visible()
    page.get_by_role("button", name="Open it anyway").press("Enter")
    expect(page.locator("[data-dom-state]")).to_be_focused()
    ready = page.frame_locator("[data-dom-frame]").locator("html[data-replay=ready]")
    expect(ready).to_have_count(1)
    page.reload()
    expect(ready).to_have_count(1)


def test_a_replay_is_scrolled_as_far_as_the_page_was(lab_page: OpenPage) -> None:
    tall = Tree().element("div", "long", style="height: 5000px")
    episode = episode_with(recording([tall], [{"source": 3, "id": 1, "x": 0, "y": 700}]))
    page = lab_page()
    page.goto(f"/episodes/{episode.pk}/steps/2/dom")
    expect(page.locator("html")).to_have_attribute("data-replay", "ready")

    assert page.evaluate("document.querySelector('iframe').contentWindow.scrollY") == 700


def test_the_frame_of_the_replay_cannot_run_scripts(lab_page: OpenPage) -> None:
    episode = episode_with(recording([Tree().element("p", "text")], []))
    page = lab_page()
    page.goto(f"/episodes/{episode.pk}/steps/2/dom")
    expect(page.locator("html")).to_have_attribute("data-replay", "ready")

    assert page.locator("iframe").get_attribute("sandbox") == "allow-same-origin"
    assert page.locator("iframe").get_attribute("src") is None
