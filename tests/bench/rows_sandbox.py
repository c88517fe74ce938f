"""Rows of programs: sandbox starts, and verdicts through the sandbox queue."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from statistics import median

import psycopg

from tests.bench.installation import Installation
from tests.bench.rows_judging import latencies_ms
from tests.bench.table import Row, middle
from verifiers import registry
from verifiers.sandbox import enclosure
from verifiers.types import Evidence, Gold

AT_ONCE = 2
TURN_S = 1.5
ROUNDS = 3
DRAINED = 60
ONE_BY_ONE = 30
BESIDE_A_LOOP = 15
ENDLESS = "while True: pass"
PROGRAM = "def area(a, b):\n    return a * b\n"
GOLD = Gold(
    PROGRAM,
    extra={
        "tests": ["assert area(2, 3) == 6", "assert area(1, 1) == 1", "assert area(10, 4) == 40"],
        "pairs": [[f"area({n}, 7)", 7 * n] for n in range(20)],
    },
)
RUN_KINDS = {"code-v1": "eval", "code_strict-v1": "train"}


def rows(place: Installation) -> Iterator[Row]:
    registry.discover()
    yield _starts()
    task = _task(place)
    runs = {verifier_id: place.run_create(verifier_id, kind) for verifier_id, kind in RUN_KINDS.items()}
    for verifier_id, run in runs.items():
        yield _drain(place, run, task, verifier_id)
    yield from _one_by_one(place, runs["code_strict-v1"], task)


def _starts() -> Row:
    walled = _rate(_start_walled)
    bare = _rate(_start_bare)
    note = f"{AT_ONCE} at once; a verdict takes two"
    return Row(
        "sandbox starts", walled, "/s", 0, peer=bare, beside="the same Python without walls", note=note
    )


def _start_walled() -> None:
    calls = enclosure.filter_open()
    command = enclosure.command(text="pass", filter_fd=calls)
    passed = [] if calls is None else [calls]
    subprocess.run(command, check=True, cwd="/", env={}, pass_fds=passed, **enclosure.account())
    for descriptor in passed:
        os.close(descriptor)


def _start_bare() -> None:
    python, _ = enclosure.interpreter()
    subprocess.run([python, *enclosure.PYTHON_OPTIONS, "-c", "pass"], check=True, cwd="/", env={})


def _rate(once: Callable[[], object], *, at_once: int = AT_ONCE) -> float:
    begun = time.perf_counter()

    def again(_thread: int) -> int:
        count = 0
        while time.perf_counter() - begun < TURN_S:
            once()
            count += 1
        return count

    with ThreadPoolExecutor(at_once) as threads:
        count = sum(threads.map(again, range(at_once)))
    return count / (time.perf_counter() - begun)


_TASK = """
WITH benchmark AS (
    INSERT INTO tasks_app_benchmark (id, title, kind, license, source, verifier_official, verifier_training)
    VALUES ('bench_programs', 'Programs', 'free_answer', '', '', 'code-v1', 'code_strict-v1') RETURNING id
), task AS (
    INSERT INTO tasks_app_task (benchmark_id, split, key, kind, prompt, payload, tags, guess_rate,
        oracle_steps, gap_eligible, gap_reason, content_hash, created_at, updated_at)
    SELECT id, 'test', '1', 'free_answer', 'Write area(a, b).',
        '{"text": "Write area(a, b).", "format": "plain"}', '{}', 0, 2, true, '', '', now(), now()
    FROM benchmark RETURNING id
)
INSERT INTO tasks_app_gold (task_id, version, is_current, status, answer, accepted, solution, extra, source,
    created_at)
SELECT id, 1, true, 'valid', %(answer)s, '{}', '', %(extra)s::jsonb, '', now() FROM task RETURNING task_id"""


def _task(place: Installation) -> int:
    parameters = {"answer": GOLD.answer, "extra": json.dumps(GOLD.extra)}
    with psycopg.connect(place.database_url("owner")) as owner:
        row = owner.execute(_TASK, parameters).fetchone()
    return row[0] if row else 0


_SUBMIT = """
WITH ep AS (UPDATE trajectories_episode SET status = 'submitted' WHERE id = ANY(%(ids)s) RETURNING id),
stored AS (
    INSERT INTO trajectories_submission (episode_id, answer, channel)
    SELECT id, to_jsonb(%(program)s::text), 'page' FROM ep RETURNING episode_id)
SELECT pg_notify('submission', '') FROM stored"""


def _submit(place: Installation, ids: list[object], program: str = PROGRAM) -> None:
    with psycopg.connect(place.database_url("owner"), autocommit=True) as owner:
        owner.execute(_SUBMIT, {"ids": ids, "program": program})


def _drain(place: Installation, run: int, task: int, verifier_id: str) -> Row:
    evidence = Evidence(PROGRAM)

    def judge() -> object:
        return registry.run(verifier_id, gold=GOLD, evidence=evidence)

    # The two take turns, so that other load on the machine affects both.
    pairs = [(_rate(judge, at_once=1), _drain_rate(place, run, task)) for _ in range(ROUNDS)]
    bare, ours = middle(pairs)
    share = ours / _rate(judge)
    return Row(
        f"{verifier_id}, its queue draining",
        ours,
        "/s",
        0,
        peer=bare,
        beside="its function in a loop",
        ratio_target=0.8,
        note=f"{share:.0%} of {AT_ONCE} such loops at once; {DRAINED} submissions of a run of kind "
        f"{RUN_KINDS[verifier_id]}, two at once",
    )


def _drain_rate(place: Installation, run: int, task: int) -> float:
    ids = [episode["id"] for episode in place.episodes_open(run, [task], DRAINED)]
    _submit(place, ids)
    return DRAINED / max(latencies_ms(place, ids)) * 1000


def _one_by_one(place: Installation, run: int, task: int) -> Iterator[Row]:
    """Measure submissions one after the other's verdict, then again while a program loops endlessly."""
    alone = _median_ms(place, run, task, count=ONE_BY_ONE)
    note = "from arrival to the verdict's row, both verdicts of a run of kind train"
    yield Row("verdict of a program p50", alone, "ms", 150, is_lower_better=True, note=note)
    looping = [episode["id"] for episode in place.episodes_open(run, [task], 1)]
    _submit(place, looping, ENDLESS)
    beside = _median_ms(place, run, task, count=BESIDE_A_LOOP)
    (loop_ms,) = latencies_ms(place, looping)
    note = f"the endless loop had its verdict after {loop_ms / 1000:.1f} s"
    yield Row("the same beside an endless loop p50", beside, "ms", 300, is_lower_better=True, note=note)


def _median_ms(place: Installation, run: int, task: int, *, count: int) -> float:
    latencies = []
    for episode in place.episodes_open(run, [task], count):
        _submit(place, [episode["id"]])
        latencies += latencies_ms(place, [episode["id"]])
    return median(latencies)
