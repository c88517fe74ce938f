"""A real arena with its own database login, and a real browser. Run separately: see the marker ``e2e``."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from django.conf import LazySettings, settings
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from pytest_django.live_server_helper import LiveServer

from core.episodes.tokens import token_make
from tests.e2e.answers import Answering
from tests.e2e.wire import Wire
from tests.servers import servers
from trajectories.models import Episode

# Playwright's sync API keeps an event loop running in this thread, so Django would otherwise refuse every
# query.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

ROOT = Path(__file__).resolve().parent.parent.parent
START_S = 30.0
IDLE_S = 3.0
# A long limit, because programs run and pages load while other tests keep the machine busy.
EXPECTED_MS = 20_000
BROWSERS = ("chromium-headless-shell", "chromium", "google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Otherwise a second renderer shows the first URL that a new page opens.
    "--renderer-process-limit=1",
]


expect.set_options(timeout=EXPECTED_MS)


@dataclass(frozen=True)
class ArenaServer:
    url: str

    def address(self, episode: Episode, page: str = "") -> str:
        token = token_make(episode_id=episode.pk, key=settings.TOKEN_KEY)
        return f"{self.url}/e/{token}/{page}"


@pytest.fixture(scope="session")
def arena_server(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ArenaServer]:
    """Yield the arena as it is deployed, with the database login that cannot read golds."""
    port = _free_port()
    database = str(settings.DATABASES["default"]["NAME"])
    environment = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ} | {
        "GYM_PROCESS": "arena",
        "VAR_DIR": str(tmp_path_factory.mktemp("arena")),
        "BLOB_DIR": str(settings.STORAGES["blobs"]["OPTIONS"]["location"]),
        "RECORDING_DIR": str(settings.STORAGES["recordings"]["OPTIONS"]["location"]),
        "DATABASE_URL": servers.role_url("arena", database=database),
        "GYM_TOKEN_KEY": settings.TOKEN_KEY.hex(),
        "GYM_WORLD_SALT": settings.WORLD_SALT.hex(),
        "GYM_SECRET_KEY": "arena-of-the-tests",
        "ARENA_PORT": str(port),
    }
    command = [sys.executable, "-m", "gymsite.services.server", "arena"]
    process = subprocess.Popen(command, cwd=ROOT, env=environment)
    try:
        _wait_until_healthy(f"http://127.0.0.1:{port}/healthz", process)
        yield ArenaServer(url=f"http://127.0.0.1:{port}")
    finally:
        process.terminate()
        process.wait(timeout=START_S)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = os.environ.get("PALAESTRA_BROWSER") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip(f"no browser here: install one of {', '.join(BROWSERS)} or set PALAESTRA_BROWSER")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def answering() -> Answering:
    return Answering()


@pytest.fixture
def open_page(
    browser: Browser, transactional_db: None, answering: Answering
) -> Iterator[Callable[..., Page]]:
    """Return a function that opens a page in a new context, with options of ``new_context``.

    All contexts are closed at the end.
    """
    contexts: list[BrowserContext] = []

    def make(**options: Any) -> Page:
        context = browser.new_context(**options)
        contexts.append(context)
        return context.new_page()

    yield make
    for context in contexts:
        context.close()
    # A request that is still being answered, such as a prefetched page, would collide with emptying the
    # tables.
    answering.wait(timeout_s=IDLE_S)


@pytest.fixture
def lab_page(live_server: LiveServer, open_page: Callable[..., Page]) -> Callable[..., Page]:
    """Return a function that opens a blank page of a logged-in person, by default the owner."""

    def make(*, user: User | None = None, **options: Any) -> Page:
        if user is None:
            user, _ = User.objects.get_or_create(username="owner", defaults={"is_staff": True})
        client = Client()
        client.force_login(user)
        session = client.cookies[settings.SESSION_COOKIE_NAME].value
        page = open_page(base_url=live_server.url, **options)
        page.context.add_cookies(
            [{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": live_server.url}]
        )
        return page

    return make


@pytest.fixture(scope="session")
def live_door(
    live_server: LiveServer, django_db_setup: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Wire]:
    """Yield live as it is deployed, reached through a connection that tests can cut."""
    port = _free_port()
    log = tmp_path_factory.mktemp("live") / "live.log"
    environment = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ} | {
        "GYM_PROCESS": "live",
        "VAR_DIR": str(servers.var_dir),
        "DATABASE_URL": servers.role_url("lab", database=str(settings.DATABASES["default"]["NAME"])),
        "REDIS_URL": servers.redis_url,
        "LAB_PORT": str(urlsplit(live_server.url).port),
        "LIVE_PORT": str(port),
    }
    command = [sys.executable, "-m", "gymsite.services.server", "live"]
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT
        )
    wire = Wire(port)
    try:
        _wait_until_healthy(f"http://127.0.0.1:{port}/wait/health", process)
        yield wire
    finally:
        wire.cut()
        process.terminate()
        process.wait(timeout=START_S)


@pytest.fixture
def live(live_door: Wire, settings: LazySettings) -> Wire:
    """Return the intact connection to live, which the lab's pages use."""
    settings.LIVE_URL = f"http://127.0.0.1:{live_door.port}"
    live_door.mend()
    return live_door


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_healthy(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = monotonic() + START_S
    with httpx.Client(transport=httpx.HTTPTransport(retries=3)) as client:
        while monotonic() < deadline and process.poll() is None:
            try:
                if client.get(url).status_code == 200:
                    return
            except httpx.TransportError:
                continue
    raise RuntimeError("the arena did not start")
