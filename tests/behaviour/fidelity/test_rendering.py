"""Pages drawn in the real enclosure, hostile ones among them: green means that the page got at nothing,
red that it did.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path
from uuid import uuid4

import pytest

from tests.behaviour.fidelity.factories import ENTRY, GREEN, RED, canary, colour, needs_drawing, page
from trajectories.behaviour.fidelity import enclosure, rendering
from trajectories.behaviour.fidelity.rendering import Page, Undrawn, page_draw
from verifiers.sandbox.enclosure import account
from verifiers.sandbox.seccomp import browser_filter

pytestmark = [pytest.mark.services, needs_drawing]

END_S = 10.0
# Whether a file can be read, by every way that a page has.
READS = """
const reads = async (address) => {
  const ways = [
    () => fetch(address).then((answer) => answer.text()),
    () => new Promise((done, fail) => {
      const request = new XMLHttpRequest();
      request.onload = () => done(request.responseText);
      request.onerror = fail;
      request.open("GET", address);
      request.send();
    }),
    () => new Promise((done) => {
      const frame = document.createElement("iframe");
      frame.onload = () => done(frame.contentDocument ? frame.contentDocument.body.textContent : "");
      frame.src = address;
      document.body.append(frame);
      setTimeout(() => done(""), 500);
    }),
  ];
  let found = "";
  for (const way of ways) found += await way().catch(() => "");
  return found;
};
"""


def test_a_page_is_drawn_at_its_size() -> None:
    picture = page_draw(page("", width=640, height=360))
    assert picture.size == (640, 360)
    assert colour(picture) == GREEN


def test_a_page_is_drawn_with_the_pixels_of_its_screenshot() -> None:
    made = page("", width=640, height=360)
    doubled = Page(files=made.files, entry=ENTRY, width=640, height=360, scale=2)
    assert page_draw(doubled).size == (1280, 720)


def test_a_page_can_read_its_own_files() -> None:
    script = READS + 'return (await reads("beside.txt")).includes("kept");'
    assert colour(page_draw(page(script, **{"beside.txt": b"kept"}))) == GREEN


def test_a_page_that_waits_for_a_timer_is_drawn_at_once() -> None:
    started = time.monotonic()
    script = "await new Promise((done) => setTimeout(done, 9000)); return true;"
    assert colour(page_draw(page(script))) == GREEN
    assert time.monotonic() - started < enclosure.WALL_S


@pytest.mark.parametrize("state", ["failed", "loading"])
def test_a_page_that_never_becomes_ready_is_not_drawn(state: str) -> None:
    html = f'<!doctype html><html data-replay="{state}"><body>Almost'
    with pytest.raises(Undrawn) as undrawn:
        page_draw(Page(files={ENTRY: html.encode()}, entry=ENTRY, width=320, height=200))
    assert undrawn.value.reason == "not_ready"


def test_a_missing_page_is_not_drawn() -> None:
    with pytest.raises(Undrawn) as undrawn:
        page_draw(Page(files={}, entry=ENTRY, width=320, height=200))
    assert undrawn.value.reason == "crashed"


def test_nothing_reaches_the_network() -> None:
    with canary() as (port, came):
        address = f"127.0.0.1:{port}"
        html = f"""<link rel="stylesheet" href="http://{address}/a.css"><img src="http://{address}/b.png">
<iframe src="http://{address}/c"></iframe><link rel="preconnect" href="http://{address}">
<form action="http://{address}/d" method="post"></form><object data="http://{address}/e"></object>"""
        script = f"""
          let found = true;
          await fetch("http://{address}/f", {{mode: "no-cors"}}).then(() => {{ found = false; }}, () => null);
          navigator.sendBeacon("http://{address}/g", "x");
          try {{ new WebSocket("ws://{address}/h"); }} catch {{}}
          const servers = [{{urls: "stun:{address}"}}];
          try {{ new RTCPeerConnection({{iceServers: servers}}).createDataChannel("i"); }} catch {{}}
          await new Promise((done) => setTimeout(done, 2000));
          return found;"""
        assert colour(page_draw(page(script, html=html))) == GREEN
    assert came == []


def test_a_page_cannot_navigate_to_the_network() -> None:
    with canary() as (port, came), pytest.raises(Undrawn):
        page_draw(page(f'location.href = "http://127.0.0.1:{port}/"; await new Promise(() => null);'))
    assert came == []


def test_no_file_of_the_host_is_readable(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    secret = tmp_path / "secret.txt"
    secret.write_text("a secret of the host")
    secret.chmod(0o644)
    places = ["/etc/passwd", "/etc/hostname", str(secret), "/root/", "/home/", "/tmp/", "/srv/", "/var/lib/"]
    script = (
        READS
        + f"""
      for (const place of {json.dumps(places)}) if (await reads("file://" + place)) return false;
      return true;"""
    )
    assert colour(page_draw(page(script))) == GREEN


def run_within(script: str, monkeypatch: pytest.MonkeyPatch, **environment: str) -> str:
    """What a script prints that stands where the browser is started, behind walls that were entered with
    ``environment`` beside this process' own."""
    monkeypatch.setattr(enclosure, "SCRIPT", script)
    with ExitStack() as stack:
        command, passed = enclosure.command(stack, files={}, flags=(), address="", is_nested=True)
        ran = subprocess.run(
            command,
            pass_fds=passed,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=True,
            cwd="/",
            **account(),
        )
    return ran.stdout


def test_the_enclosed_process_does_not_inherit_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = {"DATABASE_URL": "postgresql://gym_worker:secret@127.0.0.1/gym", "GYM_SECRET": "secret"}
    printed = run_within("cat /proc/self/environ", monkeypatch, **ours)
    held = dict(variable.split("=", 1) for variable in printed.split("\0") if variable)
    assert held == {"PATH": "/usr/bin", "HOME": "/box", "TMPDIR": "/box", "LANG": "C.UTF-8", "PWD": "/box"}


def test_no_enclosed_process_has_the_environment_of_the_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of bubblewrap itself, which is among them, walls cannot clear what it was started with."""
    monkeypatch.setenv("GYM_SECRET", "a-canary")
    monkeypatch.setattr(enclosure, "SCRIPT", "cat /proc/[0-9]*/environ; echo seen")
    monkeypatch.setattr(rendering, "_is_nested", lambda: True)
    printed: list[bytes] = []
    monkeypatch.setattr(rendering, "_picture", printed.append)
    page_draw(page(""))
    assert b"HOME=/box" in printed[0]
    assert printed[0].endswith(b"seen\n")
    assert b"canary" not in printed[0]


@pytest.mark.skipif(browser_filter() is None, reason="system calls have other numbers here")
def test_the_browser_runs_under_a_system_call_filter(monkeypatch: pytest.MonkeyPatch) -> None:
    printed = run_within("cat /proc/self/status", monkeypatch)
    assert _filters(printed) == _filters(Path("/proc/self/status").read_text()) + 1


def test_an_endless_page_is_killed_with_all_its_processes() -> None:
    name = f"{uuid4().hex}.html"
    endless = page("for (;;) {}")
    made = Page(files={f"/page/{name}": endless.files[ENTRY]}, entry=f"/page/{name}", width=320, height=200)
    with pytest.raises(Undrawn) as undrawn:
        page_draw(made, wall_s=3)
    assert undrawn.value.reason == "out_of_time"
    assert _ends(name)


def test_a_page_that_takes_all_memory_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rendering, "MEMORY_BYTES", 400 * 1024 * 1024)
    script = """
      const held = [];
      for (let round = 0; round < 200; round += 1) {
        held.push(new Uint8Array(16 * 1024 * 1024).fill(round + 1));
        await new Promise((done) => setTimeout(done, 1));
      }
      return held.length > 0;"""
    with pytest.raises(Undrawn) as undrawn:
        page_draw(page(script))
    # Its own limit may end the process of the page before ours does.
    assert undrawn.value.reason in ("out_of_memory", "crashed", "not_ready")


def test_a_page_with_oversized_files_is_not_drawn() -> None:
    with pytest.raises(Undrawn) as undrawn:
        page_draw(page("", large=bytes(enclosure.FILES_BYTES)))
    assert undrawn.value.reason == "too_large"


def test_a_window_of_an_impossible_size_is_not_drawn() -> None:
    with pytest.raises(Undrawn) as undrawn:
        page_draw(page("", width=100_000, height=10))
    assert undrawn.value.reason == "too_large"


def test_a_page_whose_script_fails_has_the_failure_colour() -> None:
    assert colour(page_draw(page("return false;"))) == RED


def test_the_memory_of_a_process_is_measured() -> None:
    held = bytes(64 * 1024 * 1024)
    assert rendering.measure_memory(int(Path("/proc/self").resolve().name)) > len(held)


def _filters(status: str) -> int:
    match = re.search(r"^Seccomp_filters:\s+([0-9]+)$", status, re.MULTILINE)
    assert match
    return int(match[1])


def _ends(name: str) -> bool:
    """Whether every process with this name in its command line has ended; the kernel may take a while."""
    deadline = time.monotonic() + END_S
    while time.monotonic() < deadline:
        if not any(name in line for line in _command_lines()):
            return True
        time.sleep(0.05)
    return False


def _command_lines() -> list[str]:
    lines = []
    for process in Path("/proc").iterdir():
        try:
            lines.append((process / "cmdline").read_bytes().decode(errors="replace"))
        except OSError:
            continue
    return lines
