"""The browser: one process that can reach only a single host and port."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from urllib.parse import urlsplit

from playwright.async_api import Browser, Playwright
from playwright.async_api import Error as PlaywrightError

from palaestra.errors import BrowserMissing
from palaestra.protocol.pages import BROWSER_SETTING, BROWSERS

DEFAULT_PORTS = {"http": 80, "https": 443}
# A second --disable-features replaces Playwright's own, so Playwright's entries are repeated here. With
# RenderDocument disabled, an origin keeps its frame from page to page, and a navigation costs 12 ms instead
# of 18 ms (measured on 2 cores).
DISABLED_FEATURES = (
    "RenderDocument",
    "PaintHolding",
    "DeferSpeculativeRFHCreation",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "BackForwardCache",
    "DestroyProfileOnBrowserClose",
    "GlobalMediaControls",
    "HttpsUpgrades",
    "LensOverlay",
    "MediaRouter",
    "Translate",
)
ARGUMENTS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--block-new-web-contents",
    # Neither the host rules nor the navigation guard see this traffic. WebSockets are sent to a proxy that
    # does not exist, and WebRTC may send UDP only through a proxy.
    "--proxy-server=http=direct://;https=direct://;socks=127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    # These make screenshots deterministic: scrolling is immediate, and all images are decoded first.
    "--disable-smooth-scrolling",
    "--disable-checker-imaging",
    f"--disable-features={','.join(DISABLED_FEATURES)}",
)
INSTALL_HINT = (
    "No browser was found. Install one (Debian: apt-get install chromium-headless-shell; elsewhere: "
    f"playwright install chromium-headless-shell) or name one with {BROWSER_SETTING}=/path/to/chromium."
)


def browser_find() -> str | None:
    """Return the browser's path from the setting or ``PATH``; None means Playwright's own download.

    Raises ``BrowserMissing`` if the setting names a file that cannot be run.
    """
    named = os.environ.get(BROWSER_SETTING, "").strip()
    if named:
        path = shutil.which(named)
        if path is None:
            raise BrowserMissing(f"{BROWSER_SETTING} names {named!r}, which cannot be run. {INSTALL_HINT}")
        return path
    return next((path for name in BROWSERS if (path := shutil.which(name))), None)


async def browser_launch(
    playwright: Playwright, *, origin: str, environment: Mapping[str, str] | None = None
) -> Browser:
    """Start a headless browser that can resolve only the host and port of ``origin``.

    ``environment`` holds additional variables. Raises ``BrowserMissing`` if no browser is found or it does
    not start.
    """
    path = browser_find()
    if path is None and not os.path.exists(playwright.chromium.executable_path):
        raise BrowserMissing(INSTALL_HINT)
    # Chromium's own sandbox refuses to start as root, in which case the navigation guard is the only
    # protection.
    as_root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    arguments = [*ARGUMENTS, *as_root, f"--host-resolver-rules={build_resolver_rules(origin)}"]
    try:
        return await playwright.chromium.launch(
            executable_path=path,
            args=arguments,
            headless=True,
            env={**os.environ, **environment} if environment else None,
        )
    except PlaywrightError as failure:
        reason = str(failure).splitlines()[0]
        raise BrowserMissing(f"The browser {path or 'of Playwright'} does not start: {reason}") from failure


def build_resolver_rules(origin: str) -> str:
    """Return Chromium host rules that leave only one host and port reachable; the first match wins."""
    parts = urlsplit(origin)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    authority = f"{host}:{parts.port or DEFAULT_PORTS[parts.scheme]}"
    return f"MAP {authority} {authority},MAP * ~NOTFOUND"
