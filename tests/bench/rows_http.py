"""Rows measured over HTTP: steps, opening, whole episodes, export."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import cycle, islice
from statistics import median

import httpx
import psycopg

from tests.bench import bare, load, processor, servers
from tests.bench.installation import Installation
from tests.bench.servers import wsgi_server
from tests.bench.table import Row, middle

SECONDS = 5.0
ROUNDS = 5
TURN_S = 2.0
CONNECTIONS = 16
BATCH = 32
THOUGHT = "The train covers 60 miles in the first hour, so after three hours it has covered 180 miles. " * 6
OBSERVATION = "[e1] heading 'Question' level=1\n[e2] textbox 'Answer' focused\n[e3] button 'Submit'\n" * 12
EXPORTED_TASKS = 200_000


def rows(place: Installation) -> Iterator[Row]:
    tasks = place.question_ids()
    run = place.run_create("bench", "train")
    yield _opening(place, run, tasks)
    yield from _steps(place, run, tasks)
    yield metrics_row(place, run, tasks)
    yield _whole_episodes(place, run, tasks)
    yield from _export(place)


def _step(index: int) -> dict[str, object]:
    return {
        "index": index,
        "thought": THOUGHT[:512],
        "action": {"type": "click", "target": "e3"},
        "action_result": "ok",
        "observation": {"kind": "axtree-v2", "text": OBSERVATION[:1024]},
        "duration_ms": 812.5,
        "usage": {"prompt": 900, "completion": 140},
    }


def _opening(place: Installation, run: int, tasks: list[int]) -> Row:
    times = []
    for _ in range(5):
        begun = time.perf_counter()
        place.episodes_open(run, tasks, 1000, presentation={})
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
    episodes = [opened["id"] for opened in place.episodes_open(run, tasks, 1000)]
    singles = (_steps_request(place, episode, 1 + turn, 1) for turn in range(100) for episode in episodes)
    prepared = iter([request for request, _ in zip(singles, range(40_000), strict=False)])
    owner = place.database_url("owner")
    with psycopg.connect(owner, autocommit=True) as connection:
        connection.execute(bare.TABLE)
    served_as_the_lab = ("--blocking-threads", "4")
    with wsgi_server(
        "tests.bench.bare:application", *served_as_the_lab, workers=2, env={"DATABASE_URL": owner}
    ) as floor_server:
        # The two take turns, so that other load on the machine slows both.
        pairs = [(_insert_rate(floor_server.url), _step_rate(place, prepared)) for _ in range(ROUNDS)]
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
        note=f"medians of {ROUNDS} turns; {tail_note(pairs[-1][1])}",
    )
    batches = (
        _steps_request(place, episode, 1001 + turn * BATCH, BATCH)
        for turn in range(4)
        for episode in episodes
    )
    done = load.hammer(place.lab, iter(list(batches)), connections=CONNECTIONS, seconds=SECONDS)
    yield Row("steps, 32 a call", done.rate * BATCH, "/s", 8_000, note=tail_note(done))


def _steps_request(place: Installation, episode: object, first: int, count: int) -> bytes:
    body = {"steps": [_step(first + offset) for offset in range(count)]}
    return load.request_bytes("POST", f"{place.api}/episodes/{episode}/steps", key=place.key, body=body)


def _step_rate(place: Installation, prepared: Iterator[bytes]) -> load.Result:
    return load.hammer(place.lab, prepared, connections=CONNECTIONS, seconds=TURN_S)


def _insert_rate(url: str) -> load.Result:
    request = load.request_bytes("POST", f"{url}/insert", body={"steps": [_step(1)]})
    return load.hammer(url, cycle([request]), connections=CONNECTIONS, seconds=TURN_S)


def metrics_row(place: Installation, run: int, tasks: list[int]) -> Row:
    """Measure steps in turns with a lab without metrics; the lab with metrics is scraped every second."""
    rounds = 3 * ROUNDS
    episodes = place.episodes_open(run, tasks, 1000)
    turns = ((episode["id"], turn) for turn in range(1, 500) for episode in episodes)

    def rate(lab: str) -> float:
        requests = [_steps_request(place, *step, 1) for step in islice(turns, 8_000)]
        return load.hammer(lab, iter(requests), connections=CONNECTIONS, seconds=TURN_S / 2).rate

    with servers.lab_without_metrics(place.var_dir) as peer, servers.scraped(place.metrics, every_s=1.0):
        pairs = [(rate(peer), rate(place.lab)) for _ in range(rounds)]
    without, with_metrics = middle(pairs)
    return Row(
        "steps, one a call, scraped every second",
        with_metrics,
        "/s",
        0,
        peer=without,
        beside="the same without metrics",
        ratio_target=0.98,
        note=f"median of {rounds} turns",
    )


def _whole_episodes(place: Installation, run: int, tasks: list[int]) -> Row:
    """Measure whole episodes: open, page, step, submit and verdict, with one caller per connection."""
    seconds, opened = 6.0, 0
    begun = time.perf_counter()
    while time.perf_counter() - begun < seconds:
        opened += episodes_through(place, run, tasks, 64)
    rate = opened / (time.perf_counter() - begun)
    return Row("whole episodes over HTTP", rate, "/s", 100, note="open, page, step, submit, verdict")


def episodes_through(place: Installation, run: int, tasks: list[int], count: int, samples: int = 1) -> int:
    """Play ``count`` groups of ``samples`` episodes to their verdicts, and return the number of episodes."""
    episodes = place.episodes_open(run, tasks, count, samples_per_task=samples)
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
    return len(episodes)


def _all(url: str, requests: list[bytes]) -> None:
    done = load.hammer(url, iter(requests), connections=CONNECTIONS, seconds=60)
    if done.bad or done.answers < len(requests):
        raise RuntimeError(f"{url}: {done.answers} of {len(requests)} answered, refused: {done.bad}")


def _export(place: Installation) -> Iterator[Row]:
    """Measure an export of many tasks, and how much the lab's processes grow during it."""
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
    lab = processor.pids_of("gymsite.services.server", "lab", var_dir=place.var_dir)
    before = processor.memory_mb(lab)
    begun = time.perf_counter()
    lines = _stream_lines(url, place.key)
    seconds = time.perf_counter() - begun
    grown = processor.memory_mb(lab) - before
    yield Row(
        "task export", lines / seconds, "/s", 100_000, note=f"{lines:,} tasks, lab grew by {grown:.0f} MB"
    )


def _stream_lines(url: str, key: str) -> int:
    count = 0
    with httpx.stream(
        "GET", url, headers={"Authorization": f"Bearer {key}", "Accept-Encoding": "identity"}, timeout=120
    ) as answer:
        answer.raise_for_status()
        for chunk in answer.iter_bytes(1 << 20):
            count += chunk.count(b"\n")
    return count


def tail_note(done: load.Result) -> str:
    refused = f", REFUSED {done.bad}" if done.bad else ""
    return f"p99 {done.percentile(0.99):.0f} ms{refused}"
