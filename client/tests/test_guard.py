"""The navigation guard, by a table of ways to write an address and a table of ways to ask for one."""

from __future__ import annotations

import asyncio
import socket
from typing import Any, cast

import pytest
from playwright.async_api import CDPSession

from fake_server import FakeServer
from palaestra.pages.bounds import EpisodeBounds
from palaestra.pages.navigation import NO_CONTENT, NavigationGuard
from palaestra.pages.warm_page import WarmPage

ORIGIN = "http://127.0.0.1:8000"
OWN = f"{ORIGIN}/e/abc_DEF-123/"
DOCUMENT, RESOURCE, NOTHING = "document", "resource", "nothing"
# Addresses as the browser hands them over, and what a page may have there.
ADDRESSES = {
    OWN: DOCUMENT,
    OWN + "more": DOCUMENT,
    OWN + "search?q=..%2f..&back=/../": DOCUMENT,
    OWN + "more#/../../e/other/": DOCUMENT,
    OWN + "100%25.html": DOCUMENT,
    OWN + "a..b/...": DOCUMENT,
    OWN + "caf%C3%A9": DOCUMENT,
    # other episodes, in other letters
    f"{ORIGIN}/e/other/": NOTHING,
    f"{ORIGIN}/%65/other/": NOTHING,
    f"{ORIGIN}/%65/abc_DEF-123/": NOTHING,
    f"{ORIGIN}/%2565/other/": NOTHING,
    f"{ORIGIN}/E/other/": NOTHING,
    f"{ORIGIN}//e/other/": NOTHING,
    f"{ORIGIN}/e//other/": NOTHING,
    f"{ORIGIN}/e/abc_DEF-123": NOTHING,
    f"{ORIGIN}/e/abc_DEF-1234/": NOTHING,
    f"{ORIGIN}/e/ABC_DEF-123/": NOTHING,
    # steps out that only a server would take
    OWN + "..": NOTHING,
    OWN + "../other/": NOTHING,
    OWN + "%2e%2e/other/": NOTHING,
    OWN + "%2E./other/": NOTHING,
    OWN + "..%2fother/": NOTHING,
    OWN + "..%2Fother/": NOTHING,
    OWN + "..%252fother/": NOTHING,
    OWN + "%252e%252e%252fother/": NOTHING,
    OWN + "..%5cother/": NOTHING,
    OWN + "..\\other/": NOTHING,
    OWN + "a/..;/..;x=1/other/": NOTHING,
    OWN + "./more": NOTHING,
    OWN + "more%00": NOTHING,
    # static files, and what only looks like them
    f"{ORIGIN}/static/css/base.css": RESOURCE,
    f"{ORIGIN}/static/js/a.js?v=1": RESOURCE,
    f"{ORIGIN}/static/../e/other/": NOTHING,
    f"{ORIGIN}/static/%2e%2e/e/other/": NOTHING,
    f"{ORIGIN}/static/..%2fe/other/": NOTHING,
    f"{ORIGIN}/static/..%5ce/other/": NOTHING,
    f"{ORIGIN}/static": NOTHING,
    f"{ORIGIN}/staticfiles/a": NOTHING,
    f"{ORIGIN}/Static/a.js": NOTHING,
    f"{ORIGIN}//static/a.js": NOTHING,
    f"{ORIGIN}/%73tatic/a.js": NOTHING,
    # the rest of the arena
    ORIGIN: NOTHING,
    f"{ORIGIN}/": NOTHING,
    f"{ORIGIN}/healthz": NOTHING,
    f"{ORIGIN}/favicon.ico": NOTHING,
    # other origins
    "https://127.0.0.1:8000/e/abc_DEF-123/": NOTHING,
    "http://127.0.0.1/e/abc_DEF-123/": NOTHING,
    "http://127.0.0.1:80000/e/abc_DEF-123/": NOTHING,
    "http://127.0.0.1:8000.example/e/abc_DEF-123/": NOTHING,
    "http://127.0.0.1:8000@example.org/e/abc_DEF-123/": NOTHING,
    "http://user@127.0.0.1:8000/e/abc_DEF-123/": NOTHING,
    "http://localhost:8000/e/abc_DEF-123/": NOTHING,
    # other schemes
    "ws://127.0.0.1:8000/e/abc_DEF-123/": NOTHING,
    f"blob:{OWN}1": NOTHING,
    f"blob:{ORIGIN}/2b0f-1": NOTHING,
    f"filesystem:{OWN}temporary/x": NOTHING,
    f"view-source:{OWN}": NOTHING,
    "data:text/html,hello": NOTHING,
    "about:blank": NOTHING,
    "about:srcdoc": NOTHING,
    "javascript:alert(1)": NOTHING,
    "file:///etc/passwd": NOTHING,
    "chrome://version/": NOTHING,
    "": NOTHING,
}


def decided(guard: NavigationGuard, url: str, *, kind: str, frame: str = "page") -> bool:
    """Whether the guard lets a request pass."""
    sent: list[dict[str, Any]] = []

    class Session:
        async def send(self, method: str, params: dict[str, Any]) -> None:
            sent.append({"method": method, **params})

    async def paused() -> None:
        guard._session = cast(CDPSession, Session())
        request = {"url": url, "method": "GET", "headers": {}}
        guard._decide({"frameId": frame, "requestId": "1", "resourceType": kind, "request": request})
        await asyncio.gather(*guard._tasks)

    asyncio.run(paused())
    (answer,) = sent
    is_refused = answer["method"] == "Fetch.fulfillRequest"
    assert answer.get("responseCode") == (NO_CONTENT if is_refused else None)
    return not is_refused


def guard_of(*, frame: str = "page", root: str = OWN) -> NavigationGuard:
    guard = NavigationGuard(cast(CDPSession, None))
    guard.admit(frame, EpisodeBounds.of(root))
    return guard


@pytest.mark.parametrize(("url", "most"), ADDRESSES.items())
def test_a_page_has_its_own_documents_and_static_files_and_nothing_else(url: str, most: str) -> None:
    assert decided(guard_of(), url, kind="Document") is (most == DOCUMENT)
    for kind in ("Image", "Script", "XHR", "Fetch", "Ping", "Other", "WebSocket"):
        assert decided(guard_of(), url, kind=kind) is (most != NOTHING)


@pytest.mark.parametrize(("url", "most"), ADDRESSES.items())
def test_a_frame_inside_a_page_may_do_no_more_than_the_page(url: str, most: str) -> None:
    guard = guard_of()
    guard.adopt("inner", parent="page")
    guard.adopt("innermost", parent="inner")
    for frame in ("inner", "innermost"):
        assert decided(guard, url, kind="Document", frame=frame) is (most != NOTHING)
        assert decided(guard, url, kind="XHR", frame=frame) is (most != NOTHING)


@pytest.mark.parametrize(("url", "most"), ADDRESSES.items())
def test_whoever_is_unknown_has_static_files_alone(url: str, most: str) -> None:
    guard = guard_of()
    guard.admit("another", EpisodeBounds.of(f"{ORIGIN}/e/other/"))
    for kind in ("Document", "XHR"):
        assert decided(guard, url, kind=kind, frame="") is (most == RESOURCE)


def test_a_page_that_is_gone_takes_its_frames_with_it() -> None:
    guard = guard_of()
    guard.adopt("inner", parent="page")
    guard.forget("page")
    assert not decided(guard, OWN, kind="XHR", frame="inner")


def test_a_frame_that_leads_outside_does_not_end_the_navigation_of_its_page() -> None:
    guard = guard_of()
    guard.adopt("inner", parent="page")
    decided(guard, f"{ORIGIN}/e/other/", kind="Document", frame="inner")
    bounds = guard._bounds["page"]
    assert (len(bounds.refused), bounds.refused_documents) == (1, 0)


# ---- ways to ask, in a real browser; {0} is another episode that is open there
ELEMENT = "document.body.append(Object.assign(document.createElement('%s'), {%s}))"
LINK = (
    "document.head.append(Object.assign(document.createElement('link'), "
    "{rel: '%s', href: '{0}', as: 'script'}))"
)
BLOB = "URL.createObjectURL(new Blob([`%s`], {type: '%s'}))"
ASK = "fetch('${location.origin}{0}', {mode: 'no-cors'})"
IN_FRAME = "<script>" + ASK + "</script>"
WAYS = {
    "letters": "fetch('{0}')",
    "a percent sign": "fetch('/%65/tok-two/')",
    "two percent signs": "fetch('/%2565/tok-two/')",
    "a capital": "fetch('/E/tok-two/')",
    "two slashes": "fetch(location.origin + '/{0}')",
    "backslashes": "fetch('\\\\e\\\\tok-two\\\\')",
    "dots": "fetch('/e/tok-one/../tok-two/')",
    "encoded dots": "fetch('/e/tok-one/%2e%2e/tok-two/')",
    "an encoded slash": "fetch('/e/tok-one/..%2ftok-two/')",
    "by way of static files": "fetch('/static/..%2fe/tok-two/')",
    "a redirect": "fetch('away', {mode: 'no-cors'})",
    "a request that outlives the page": "fetch('{0}', {keepalive: true, method: 'POST'})",
    "a beacon": "navigator.sendBeacon('{0}', 'x')",
    "the old way": "const x = new XMLHttpRequest(); x.open('GET', '{0}'); x.send()",
    "a stream of events": "new EventSource('{0}')",
    "a socket": "new WebSocket(location.origin.replace('http', 'ws') + '{0}')",
    "a picture": "new Image().src = '/%65/tok-two/'",
    "a style": ELEMENT
    % ("style", "textContent: '@import url({0}); body { background: url(/%65/tok-two/) }'"),
    "a font": "new FontFace('x', 'url({0})').load()",
    "a film": ELEMENT % ("video", "src: '{0}', preload: 'auto'"),
    "an object": ELEMENT % ("object", "data: '{0}'"),
    "an embedded page": ELEMENT % ("embed", "src: '{0}'"),
    "a frame": ELEMENT % ("iframe", "src: '{0}'"),
    "a frame of a blob": ELEMENT % ("iframe", f"src: {BLOB % (IN_FRAME, 'text/html')}"),
    "a frame of data": ELEMENT % ("iframe", f"src: 'data:text/html,' + encodeURIComponent(`{IN_FRAME}`)"),
    "a frame of its own source": ELEMENT % ("iframe", f"srcdoc: `{IN_FRAME}`"),
    "an empty frame": "const f = document.createElement('iframe'); document.body.append(f); "
    "f.contentWindow.fetch('{0}')",
    "a form in a frame": ELEMENT % ("iframe", "name: 'inner'")
    + "; "
    + ELEMENT % ("form", "id: 'out', target: 'inner', action: '{0}'")
    + "; document.querySelector('#out').submit()",
    "a module": "import('{0}')",
    "a worker": "new Worker('{0}')",
    "a worker of a blob": f"new Worker({BLOB % (ASK, 'text/javascript')})",
    "a worker of data": f"new Worker('data:text/javascript,' + encodeURIComponent(`{ASK}`))",
    "a socket in a worker": "new Worker("
    + BLOB % ("new WebSocket('${location.origin.replace(/^http/, 'ws')}{0}')", "text/javascript")
    + ")",
    "a worker that pages share": f"new SharedWorker({BLOB % (ASK, 'text/javascript')})",
    "a service worker": "navigator.serviceWorker.register('{0}')",
    "a worklet": "new AudioContext().audioWorklet.addModule('{0}')",
    "a link that is prefetched": LINK % "prefetch",
    "a link that is preloaded": LINK % "preload",
    "a manifest": LINK % "manifest",
    "an icon": LINK % "icon",
    "a ping": "const a = document.createElement('a'); a.href = '#x'; a.ping = '{0}'; "
    "document.body.append(a); a.click()",
    "a window": "window.open('{0}')",
    "the page itself": "location = '{0}'",
    "a page of a blob": f"location = {BLOB % (IN_FRAME, 'text/html')}",
    "a file system": "location = 'filesystem:' + location.origin + '/temporary{0}'",
}
GRACE_S = 0.3


@pytest.mark.parametrize("way", WAYS)
async def test_no_page_reaches_another_episode_of_its_browser(
    way: str, page: WarmPage, fake: FakeServer
) -> None:
    fake.state.pages["x"] = (
        "<!doctype html><html data-settled='true'><title>t</title><h1>Question</h1></html>"
    )
    fake.state.episodes = {n: {"token": f"tok-{name}", "events": []} for n, name in ((1, "one"), (2, "two"))}
    # Both are open in one browser, so that the guard knows the other's address.
    page._guard.admit("another page", EpisodeBounds.of(f"{fake.arena_url}/e/tok-two/"))
    try:
        await page.begin(f"{fake.arena_url}/e/tok-one/x")
        await page.observe(acted=False)
        fake.state.requests.clear()
        script = WAYS[way].replace("{0}", "/e/tok-two/")
        await page.page.evaluate(f"void (async () => {{ {script} }})().catch(() => 0)")
        await asyncio.sleep(GRACE_S)
    finally:
        page._guard.forget("another page")
    paths = [path for _, path, _ in fake.state.requests]
    assert [path for path in paths if not path.startswith("/e/tok-one/")] == []
    assert not [path for path in paths if "tok-two" in path]
    assert ("GET", "/secret") not in fake.state.calls


async def test_no_page_sends_packets_to_an_address_of_its_choice(page: WarmPage, fake: FakeServer) -> None:
    fake.state.pages["x"] = "<!doctype html><html data-settled='true'><title>t</title></html>"
    fake.state.episodes[1] = {"token": "tok-one", "events": []}
    await page.begin(f"{fake.arena_url}/e/tok-one/x")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as heard:
        heard.bind(("127.0.0.1", 0))
        heard.setblocking(False)
        server = f"stun:127.0.0.1:{heard.getsockname()[1]}"
        await page.page.evaluate(
            """async (server) => { window.peer = new RTCPeerConnection({iceServers: [{urls: server}]});
            peer.createDataChannel("a"); await peer.setLocalDescription(await peer.createOffer()); }""",
            server,
        )
        await asyncio.sleep(GRACE_S)
        with pytest.raises(BlockingIOError):
            heard.recv(2000)


async def test_documents_that_stay_blank_are_not_requested_and_make_a_history(
    page: WarmPage, fake: FakeServer
) -> None:
    fake.state.pages |= {name: f"<html data-settled='true'><title>{name}</title></html>" for name in "ab"}
    fake.state.episodes[1] = {"token": "tok-one", "events": []}
    fake.state.requests.clear()
    bounds = EpisodeBounds.of(f"{fake.arena_url}/e/tok-one/")
    bounds.is_blank, bounds.as_of, bounds.step = True, 3, 2
    await page.begin(f"{bounds.root}a", bounds=bounds)
    await page.observe(acted=False, with_text=False)
    assert fake.state.requests == []

    bounds.is_blank = False
    await page.go(f"{bounds.root}b")
    view = await page.observe(acted=True)
    assert view is not None
    assert view.title == "b"
    assert await page.back()
    view = await page.observe(acted=True)
    assert view is not None
    assert view.title == "a"
    assert not await page.back()
    assert [path for _, path, _ in fake.state.requests if path[-1] in "ab"] == [
        "/e/tok-one/b",
        "/e/tok-one/a",
    ]
