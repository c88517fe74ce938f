"""Rows of verifiers: verdicts per second of two killable children, and of a process that only judges."""

from __future__ import annotations

import contextlib
import multiprocessing
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, islice
from multiprocessing.connection import Connection

from tests.bench.installation import Installation
from tests.bench.table import Row, middle
from verifiers import registry
from verifiers.children import ChildPool
from verifiers.limits import TOGETHER_MAX
from verifiers.types import Evidence, Gold
from verifiers.wire import Job

CHILDREN = 2
ROUNDS = 5
TURN_S = 0.25


def rows(_place: Installation) -> Iterator[Row]:
    registry.discover()
    pool = ChildPool(CHILDREN)
    pool.warm()
    with _loopers() as loopers:
        for verifier_id, plugin in registry.VERIFIERS.items():
            if not plugin.needs_sandbox:
                yield _row(pool, loopers, verifier_id)
    pool.close()


def _row(pool: ChildPool, loopers: list[Connection], verifier_id: str) -> Row:
    jobs = _jobs(verifier_id)
    _bare_rate(loopers, verifier_id)
    _pool_rate(lambda: _together(pool, jobs))
    # The two take turns, so that other load on the machine affects both.
    pairs = [
        (_bare_rate(loopers, verifier_id), _pool_rate(lambda: _together(pool, jobs))) for _ in range(ROUNDS)
    ]
    both, ours = middle(pairs)
    alone = _pool_rate(lambda: _alone(pool, jobs[:32]))
    return Row(
        f"{verifier_id}, two children",
        ours,
        "/s",
        0,
        peer=both / CHILDREN,
        beside="its function in a loop, one of two processes that do it at once",
        ratio_target=0.8,
        note=f"{ours / both:.0%} of both; {TOGETHER_MAX} to a message, one to a message {alone:,.0f}/s; "
        "its own examples",
    )


@contextlib.contextmanager
def _loopers() -> Iterator[list[Connection]]:
    """Run processes that call a verifier in a loop and report their speed."""
    context = multiprocessing.get_context("forkserver")
    ends = []
    for _ in range(CHILDREN):
        ours, theirs = context.Pipe()
        context.Process(target=_looper, args=(theirs,), daemon=True).start()
        theirs.close()
        ends.append(ours)
    yield ends
    for end in ends:
        end.close()


def _looper(connection: Connection) -> None:
    registry.discover()
    with contextlib.suppress(EOFError):
        while True:
            connection.send(_loop_rate(_jobs(connection.recv())))


def _bare_rate(loopers: list[Connection], verifier_id: str) -> float:
    for looper in loopers:
        looper.send(verifier_id)
    return sum(looper.recv() for looper in loopers)


def _jobs(verifier_id: str) -> list[Job]:
    examples = registry.VERIFIERS.get(verifier_id).examples
    each = [Job(verifier_id, Gold(item.gold, extra=item.extra), Evidence(item.answer)) for item in examples]
    return list(islice(cycle(each), TOGETHER_MAX))


def _loop_rate(jobs: list[Job]) -> float:
    check = registry.VERIFIERS.get(jobs[0].verifier).check
    count, begun = 0, time.perf_counter()
    while time.perf_counter() - begun < TURN_S:
        for job in jobs:
            check(job.gold, job.evidence)
        count += len(jobs)
    return count / (time.perf_counter() - begun)


def _pool_rate(ask: Callable[[], int]) -> float:
    """Return the verdicts per second while one thread per child keeps asking."""
    begun = time.perf_counter()

    def keep_asking(_thread: int) -> int:
        count = 0
        while time.perf_counter() - begun < TURN_S:
            count += ask()
        return count

    with ThreadPoolExecutor(CHILDREN) as threads:
        count = sum(threads.map(keep_asking, range(CHILDREN)))
    return count / (time.perf_counter() - begun)


def _together(pool: ChildPool, jobs: list[Job]) -> int:
    """Judge jobs together and return the number of verdicts; it is lower if a child grew and was replaced."""
    count = sum(verdict is not None for verdict in pool.verify_together(jobs))
    if not count:
        raise RuntimeError(f"{jobs[0].verifier} brought no verdict")
    return count


def _alone(pool: ChildPool, jobs: list[Job]) -> int:
    for job in jobs:
        pool.verify(job.verifier, gold=job.gold, evidence=job.evidence)
    return len(jobs)
