"""Rows measured over HTTP: steps, opening, whole episodes, export."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from statistics import median

import psycopg

from tests.bench import bare, load
from tests.bench.installation import BASE_DIR, Installation, free_ports
from tests.bench.table import Row

SECONDS = 5.0
ROUNDS = 5
TURN_S = 2.0
CONNECTIONS = 16
BATCH = 32
THOUGHT = "The train covers 60 miles in the first hour, so after three hours it has covered 180 miles. " * 6
OBSERVATION = "[e1] heading 'Question' level=1\n[e2] textbox 'Answer' focused\n[e3] button 'Submit'\n" * 12
EXPORTED_TASKS = 200_000


def rows(place: Installation) -> Iterator[Row]:
    tasks = _tasks(place)
    run = place.call("POST", "/runs", {"name": "bench", "kind": "train", "model": "none", "simulated": True})[
        "id"
    ]
    yield _opening(place, run, tasks)
    yield from _steps(place, run, tasks)
    yield _whole_episodes(place, run, tasks)
    yield from _export(place)


def _tasks(place: Installation) -> list[int]:
    results = place.call("GET", "/tasks?limit=1000")["results"]
    return [task["id"] for task in results if task["benchmark"] in ("gsm8k", "math")]


def _step(index: int) -> dict[str, object]:
    return {
        "index": index,
        "thought": THOUGHT[:512],
        "action": {"type": "click", "target": "e3"},
        "action_result": "ok",
        "observation": {"kind": "axtree-v1", "text": OBSERVATION[:1024]},
        "duration_ms": 812.5,
        "usage": {"prompt": 900, "completion": 140},
    }


def _open(
    place: Installation, run: int, tasks: list[int], count: int, **more: object
) -> list[dict[str, object]]:
    asked = {"run": run, "tasks": [tasks[place % len(tasks)] for place in range(count)], **more}
    return place.call("POST", "/episodes", asked)["episodes"]


def _opening(place: Installation, run: int, tasks: list[int]) -> Row:
    times = []
    for _ in range(5):
        begun = time.perf_counter()
        _open(place, run, tasks, 1000)
        times.append((time.perf_counter() - begun) * 1000)
    return Row(
        "1,000 episodes opened",
        min(times),
        "ms",
        150,
        is_lower_better=True,
        note=f"median {sorted(times)[2]:.0f} ms",
    )


def _steps(place: Installation, run: int, tasks: list[int]) -> Iterator[Row]:
    episodes = [opened["id"] for opened in _open(place, run, tasks, 1000, max_steps=1_000_000)]
    singles = (_steps_request(place, episode, 1 + turn, 1) for turn in range(100) for episode in episodes)
    prepared = iter([request for request, _ in zip(singles, range(40_000), strict=False)])
    with _bare(place) as url:
        # Turn and turn about: what else the machine does then meets both.
        pairs = [(_insert_rate(url), _step_rate(place, prepared)) for _ in range(ROUNDS)]
    floor = median(pair[0].rate for pair in pairs)
    ours = median(pair[1].rate for pair in pairs)
    yield Row(
        "steps, one a call",
        ours,
        "/s",
        0,
        peer=floor,
        beside="bare INSERT view",
        ratio_target=0.6,
        note=f"medians of {ROUNDS} turns; {_note(pairs[-1][1])}",
    )
    batches = (
        _steps_request(place, episode, 1001 + turn * BATCH, BATCH)
        for turn in range(4)
        for episode in episodes
    )
    done = load.hammer(place.lab, iter(list(batches)), connections=CONNECTIONS, seconds=SECONDS)
    yield Row("steps, 32 a call", done.rate * BATCH, "/s", 8_000, note=_note(done))


def _steps_request(place: Installation, episode: object, first: int, count: int) -> bytes:
    body = {"steps": [_step(first + offset) for offset in range(count)]}
    return load.request_bytes("POST", f"{place.api}/episodes/{episode}/steps", key=place.key, body=body)


def _step_rate(place: Installation, prepared: Iterator[bytes]) -> load.Result:
    return load.hammer(place.lab, prepared, connections=CONNECTIONS, seconds=TURN_S)


def _insert_rate(url: str) -> load.Result:
    request = load.request_bytes("POST", f"{url}/insert", body={"steps": [_step(1)]})
    return load.hammer(url, cycle([request]), connections=CONNECTIONS, seconds=TURN_S)


@contextlib.contextmanager
def _bare(place: Installation) -> Iterator[str]:
    """The floor, served as the lab is: granian, two workers, four threads each."""
    with psycopg.connect(place.database_url("owner"), autocommit=True) as owner:
        owner.execute(bare.TABLE)
    port = free_ports(1)[0]
    command = [
        str(Path(sys.executable).with_name("granian")),
        "--interface",
        "wsgi",
        "--port",
        str(port),
        "--workers",
        "2",
        "--blocking-threads",
        "4",
        "--no-log",
        "tests.bench.bare:application",
    ]
    env = {**os.environ, "DATABASE_URL": place.database_url("owner")}
    server = subprocess.Popen(command, cwd=BASE_DIR, env=env)
    url = f"http://127.0.0.1:{port}"
    try:
        _wait_port(url)
        yield url
    finally:
        server.terminate()
        server.wait(10)


def _wait_port(url: str) -> None:
    for _ in range(200):
        with contextlib.suppress(OSError):
            load.Connection(url).close()
            return
        time.sleep(0.05)
    raise RuntimeError(f"nothing listens at {url}")


def _whole_episodes(place: Installation, run: int, tasks: list[int]) -> Row:
    """Open, page, step, submit, verdict, by as many callers as there are connections."""
    seconds, opened = 6.0, 0
    begun = time.perf_counter()
    while time.perf_counter() - begun < seconds:
        opened += _episodes_through(place, run, tasks, 64)
    rate = opened / (time.perf_counter() - begun)
    return Row("whole episodes over HTTP", rate, "/s", 100, note="open, page, step, submit, verdict")


def _episodes_through(place: Installation, run: int, tasks: list[int], count: int) -> int:
    episodes = _open(place, run, tasks, count)
    for request in (
        lambda episode: load.request_bytes("GET", str(episode["start_url"])),
        lambda episode: load.request_bytes("POST", f"{episode['start_url']}submit", form="answer=42"),
    ):
        _all(place.arena, [request(episode) for episode in episodes])
    _all(place.lab, [_steps_request(place, episode["id"], 1, 1) for episode in episodes])
    waits = [
        load.request_bytes("GET", f"{place.live}/wait/episodes/{episode['id']}?timeout=20", key=place.key)
        for episode in episodes
    ]
    _all(place.live, waits)
    return count


def _all(url: str, requests: list[bytes]) -> None:
    done = load.hammer(url, iter(requests), connections=CONNECTIONS, seconds=60)
    if done.bad or done.answers < len(requests):
        raise RuntimeError(f"{url}: {done.answers} of {len(requests)} answered, refused: {done.bad}")


def _export(place: Installation) -> Iterator[Row]:
    """Export of many tasks, and how much the lab's processes grow by it."""
    with psycopg.connect(place.database_url("owner"), autocommit=True) as owner:
        owner.execute(
            """
            INSERT INTO tasks_app_task (benchmark_id, split, key, kind, prompt, payload, tags, guess_rate,
                oracle_steps, gap_eligible, gap_reason, content_hash)
            SELECT 'gsm8k', 'bench', n::text, 'free_answer', repeat('word ', 40),
                jsonb_build_object('text', repeat('word ', 40), 'format', 'plain'),
                '{}', 0, 2, true, '', n::text
            FROM generate_series(1, %s) n""",
            [EXPORTED_TASKS],
        )
        owner.execute("ANALYZE tasks_app_task")
    url = f"{place.api}/tasks/export?benchmark=gsm8k&split=bench"
    before = _lab_memory_mb(place)
    begun = time.perf_counter()
    lines = _stream_lines(url, place.key)
    seconds = time.perf_counter() - begun
    grown = _lab_memory_mb(place) - before
    yield Row(
        "task export", lines / seconds, "/s", 100_000, note=f"{lines:,} tasks, lab grew by {grown:.0f} MB"
    )


def _stream_lines(url: str, key: str) -> int:
    import httpx

    count = 0
    with httpx.stream(
        "GET", url, headers={"Authorization": f"Bearer {key}", "Accept-Encoding": "identity"}, timeout=120
    ) as answer:
        answer.raise_for_status()
        for chunk in answer.iter_bytes(1 << 20):
            count += chunk.count(b"\n")
    return count


def _lab_memory_mb(place: Installation) -> float:
    """Resident memory of every process that serves the lab."""
    total = 0
    for status in Path("/proc").glob("[0-9]*/status"):
        with contextlib.suppress(OSError):
            command = (status.parent / "cmdline").read_bytes()
            is_ours = f"VAR_DIR={place.var_dir}".encode() in (status.parent / "environ").read_bytes()
            if b"gymsite.services.serve\0lab" in command and is_ours:
                fields = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
                total += int(fields.get("VmRSS", "0 kB").split()[0])
    return total / 1024


def _note(done: load.Result) -> str:
    refused = f", REFUSED {done.bad}" if done.bad else ""
    return f"p99 {done.percentile(0.99):.0f} ms{refused}"
