"""Rows of replays: the drawing of pages in the enclosure, and the memory that it takes."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

from tests.bench.installation import BASE_DIR, Installation
from tests.bench.table import Row, middle
from trajectories.behaviour.fidelity import enclosure, rendering
from trajectories.behaviour.fidelity.rendering import Page

ROUNDS = 8
ELEMENTS = 1_500
WIDTH, HEIGHT = 1280, 720
FOLDER = "/page"
SCRIPT = "vendor/rrweb/replay.min.js"
MEGABYTE = 1_000_000


def rows(_place: Installation) -> Iterator[Row]:
    page = _page()
    rendering.page_draw(page)
    with tempfile.TemporaryDirectory() as folder, _Watch() as watch:
        pairs = [(_bare_s(page, Path(folder)), _walled_s(page)) for _ in range(ROUNDS)]
        most = watch.most
    bare, walled = middle(pairs)
    yield Row(
        "replays drawn, one after another",
        60 / walled,
        "/min",
        20,
        peer=60 / bare,
        beside="the same Chromium and page without walls",
        note=f"{WIDTH} by {HEIGHT}, {ELEMENTS} elements",
    )
    yield Row(
        "memory of a replay being drawn",
        most / MEGABYTE,
        "MB",
        enclosure.MEMORY_BYTES / MEGABYTE / 2,
        is_lower_better=True,
        note="all processes together, programs and libraries left out",
    )


class _Watch:
    """The peak memory of processes started by this one, sampled as often as drawing samples it."""

    def __init__(self) -> None:
        self.most = 0
        self._done = Event()
        self._thread = Thread(target=self._look, daemon=True)

    def __enter__(self) -> _Watch:
        self._own = rendering.measure_memory(_own_pid())
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._done.wait(enclosure.WATCH_S):
            self.most = max(self.most, rendering.measure_memory(_own_pid()) - self._own)


def _own_pid() -> int:
    return int(Path("/proc/self").resolve().name)


def _page() -> Page:
    boxes = "".join(
        f'<p style="border:1px solid #{place % 4096:03x}">Room {place}</p>' for place in range(ELEMENTS)
    )
    html = (
        f'<!doctype html><html><meta charset="utf-8"><script src="{FOLDER}/replay.js"></script><body>{boxes}'
        "<script>document.documentElement.dataset.replay = rrwebReplay ? 'ready' : 'failed'</script>"
    )
    script = (BASE_DIR / "static" / SCRIPT).read_bytes()
    files = {f"{FOLDER}/page.html": html.encode(), f"{FOLDER}/replay.js": script}
    return Page(files=files, entry=f"{FOLDER}/page.html", width=WIDTH, height=HEIGHT)


def _walled_s(page: Page) -> float:
    begun = time.perf_counter()
    rendering.page_draw(page)
    return time.perf_counter() - begun


def _bare_s(page: Page, folder: Path) -> float:
    """Time the drawing of a page without the enclosure or Chromium's sandbox, which root cannot use."""
    for name, content in page.files.items():
        (folder / Path(name).name).write_bytes(content.replace(FOLDER.encode() + b"/", b""))
    begun = time.perf_counter()
    subprocess.run(
        [
            *(
                enclosure.browser_program()[0],
                *enclosure.BROWSER,
                *enclosure.LOOK,
                "--no-sandbox",
                "--dump-dom",
            ),
            *(f"--window-size={page.width},{page.height}", f"--virtual-time-budget={enclosure.VIRTUAL_MS}"),
            *(f"--screenshot={folder}/picture.png", f"--user-data-dir={folder}/profile"),
            f"file://{folder}/page.html",
        ],
        check=True,
        capture_output=True,
    )
    return time.perf_counter() - begun
