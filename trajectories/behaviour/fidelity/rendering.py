"""Rendering of a page in the sandbox, which returns a picture or raises the reason why there is none."""

from __future__ import annotations

import io
import os
import re
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from PIL import Image

from core.storage import thumbnails
from trajectories.behaviour.fidelity import enclosure
from trajectories.behaviour.fidelity.enclosure import (
    FILES,
    FILES_BYTES,
    MEMORY_BYTES,
    OUTPUT_BYTES,
    SIDE,
    VIRTUAL_MS,
    WALL_S,
    WATCH_S,
    EnclosureMissing,
    MissingReason,
)
from verifiers.sandbox.enclosure import account

PNG = b"\x89PNG\r\n\x1a\n"
CHUNK = 65_536
STATE = re.compile(rb'<html\b[^>]*\bdata-replay="([a-z]+)"')
READY = "ready"
PROBE = '<!doctype html><html data-replay="ready"><body style="background:#0a0">'


UndrawnReason = Literal["too_large", "out_of_time", "out_of_memory", "crashed", "not_ready", "unreadable"]
PROC = Path("/proc")
# Shared memory is not counted, because the processes share programs and libraries.
OWN = re.compile(rb"^(?:RssAnon|RssShmem):\s+([0-9]+) kB$", re.MULTILINE)
PROCESSES_MOST = 1_000


@dataclass(frozen=True, kw_only=True)
class Page:
    """A self-contained page, which sets ``<html data-replay="ready">`` once it can be captured.

    ``files`` are by absolute path; ``width`` and ``height`` are in CSS pixels, ``scale`` is in device pixels
    per CSS pixel.
    """

    files: Mapping[str, bytes]
    entry: str
    width: int
    height: int
    scale: float = 1.0


class Undrawn(Exception):
    """Raised when a page could not be rendered."""

    def __init__(self, reason: UndrawnReason) -> None:
        super().__init__(reason)
        self.reason = reason


def page_draw(page: Page, *, wall_s: float = WALL_S) -> Image.Image:
    """Render a page as an RGB picture.

    Raises ``Undrawn`` if this page cannot be rendered, and ``EnclosureMissing`` if no page can. All processes
    of the sandbox end after ``wall_s`` seconds at the latest.
    """
    _check(page)
    problem = drawing_problem()
    if problem:
        raise EnclosureMissing(*problem)
    return _draw(page, wall_s=wall_s, is_nested=_is_nested())


def drawing_problem() -> tuple[MissingReason, str] | None:
    """Return why no page can be rendered on this machine, as a reason and a sentence.

    Returns None once a page has been rendered.
    """
    try:
        _is_nested()
    except EnclosureMissing as missing:
        return missing.reason, str(missing)
    return None


@cache
def _is_nested() -> bool:
    """Return whether the browser's own sandbox works inside this one, as some kernels do not nest namespaces.

    A test page is rendered once per process. Failures are not cached, because the machine may just have been
    too busy. Raises ``EnclosureMissing`` if the page cannot be rendered either way.
    """
    page = Page(files={"/page/probe.html": PROBE.encode()}, entry="/page/probe.html", width=64, height=64)
    try:
        _draw(page, wall_s=WALL_S, is_nested=True)
    except Undrawn as undrawn:
        if undrawn.reason != "crashed":
            raise _broken(undrawn) from None
    else:
        return True
    try:
        _draw(page, wall_s=WALL_S, is_nested=False)
    except Undrawn as undrawn:
        raise _broken(undrawn) from None
    return False


def _broken(undrawn: Undrawn) -> EnclosureMissing:
    message = f"Chromium does not draw within bubblewrap here ({undrawn.reason})."
    return EnclosureMissing("no_sandbox", message)


def _check(page: Page) -> None:
    size = sum(map(len, page.files.values()))
    pixels = max(page.width, page.height) * page.scale
    if len(page.files) > FILES or size > FILES_BYTES or not 1 <= pixels <= SIDE:
        raise Undrawn("too_large")


def _draw(page: Page, *, wall_s: float, is_nested: bool) -> Image.Image:
    flags = (
        f"--window-size={page.width},{page.height}",
        f"--force-device-scale-factor={page.scale:g}",
        f"--virtual-time-budget={VIRTUAL_MS}",
    )
    with ExitStack() as stack:
        command, passed = enclosure.command(
            stack, files=page.files, flags=flags, address=f"file://{page.entry}", is_nested=is_nested
        )
        box = subprocess.Popen(  # noqa: S603 (a fixed command)
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            pass_fds=passed,
            cwd="/",
            env={},
            start_new_session=True,
            **account(),
        )
        stack.callback(_end, box)
        output = _output(box, wall_s=wall_s)
    return _picture(output)


def _output(box: subprocess.Popen[bytes], *, wall_s: float) -> bytes:
    """Read everything that the sandbox prints.

    Raises ``Undrawn`` if it exceeds its time, memory or output.
    """
    if box.stdout is None:
        raise RuntimeError("an enclosure has no output")
    deadline = time.monotonic() + wall_s
    output = bytearray()
    with selectors.DefaultSelector() as selector:
        selector.register(box.stdout, selectors.EVENT_READ)
        while True:
            if time.monotonic() > deadline:
                raise Undrawn("out_of_time")
            if measure_memory(box.pid) > MEMORY_BYTES:
                raise Undrawn("out_of_memory")
            if not selector.select(WATCH_S):
                continue
            piece = os.read(box.stdout.fileno(), CHUNK)
            if not piece:
                return bytes(output)
            output += piece
            if len(output) > OUTPUT_BYTES:
                raise Undrawn("too_large")


def _picture(output: bytes) -> Image.Image:
    head, sign, body = output.partition(PNG)
    state = STATE.search(head)
    if state is None or not sign:
        raise Undrawn("crashed")
    if state[1].decode() != READY:
        raise Undrawn("not_ready")
    picture = thumbnails.picture_open(io.BytesIO(sign + body))
    if picture is None:
        raise Undrawn("unreadable")
    return picture


def _end(box: subprocess.Popen[bytes]) -> None:
    """Kill bubblewrap, which ends all processes in its namespace (``--die-with-parent``)."""
    box.send_signal(signal.SIGKILL)
    box.wait()
    if box.stdout is not None:
        box.stdout.close()


def measure_memory(pid: int) -> int:
    """Return the bytes of unshared memory that a process and its descendants hold.

    Processes that have ended count 0.
    """
    total, waiting, seen = 0, [pid], 0
    while waiting and seen < PROCESSES_MOST:
        process = waiting.pop()
        seen += 1
        total += sum(int(size) for size in OWN.findall(_read(f"{process}/status")))
        for task in _tasks(process):
            waiting += map(int, _read(f"{process}/task/{task}/children").split())
    return total * 1024


def _tasks(pid: int) -> list[str]:
    try:
        return [path.name for path in (PROC / str(pid) / "task").iterdir()]
    except OSError:
        return []


def _read(name: str) -> bytes:
    try:
        return (PROC / name).read_bytes()
    except OSError:
        return b""
