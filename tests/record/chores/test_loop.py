"""A failed chore is one failed chore, and only a loop that goes on is alive."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from threading import Event

import pytest
from django.db import connection

from core.work import redis_client
from trajectories.record import heartbeats
from trajectories.record.chores import loop
from trajectories.record.chores.loop import Chore

LOCK = 0x5445_5354
NAME = "tested"

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    redis_client.client().delete(f"{heartbeats.ALIVE}{NAME}")
    yield
    redis_client.client().delete(f"{heartbeats.ALIVE}{NAME}")


def _do(*chores: Callable[[], object], stop: Event, every_s: float = 0.01) -> None:
    made = [Chore("tested", chore, every_s) for chore in chores]
    loop.chores_do(name=NAME, lock=LOCK, chores=lambda: made, stop=stop)


def _cancelled() -> None:
    """A statement that outlasts the role's time limit."""
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = '20ms'")
        try:
            cursor.execute("SELECT pg_sleep(5)")
        finally:
            cursor.execute("SET statement_timeout = 0")


def _broken() -> None:
    raise ValueError("of this chore alone")


@pytest.mark.parametrize("failing", [_cancelled, _broken])
def test_a_chore_that_fails_is_tried_again_and_the_others_go_on(failing: Callable[[], None]) -> None:
    stop = Event()
    tries: list[str] = []
    starts: list[int] = []

    def fail() -> None:
        tries.append("failing")
        failing()

    def work() -> None:
        tries.append("working")
        if tries.count("failing") == 3:
            stop.set()

    def chores() -> list[Chore]:
        starts.append(1)
        return [Chore("fail", fail, 0.01), Chore("work", work, 0.01)]

    loop.chores_do(name=NAME, lock=LOCK, chores=chores, stop=stop)
    assert tries.count("working") >= 3
    assert len(starts) == 1  # the loop never began afresh


def test_a_loop_that_hangs_in_a_chore_is_not_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heartbeats, "ALIVE_EVERY_S", 0.02)
    monkeypatch.setattr(heartbeats, "ALIVE_S", 1)
    stop, hangs, released = Event(), Event(), Event()
    beats: list[set[str]] = []

    def hang() -> None:
        beats.append(heartbeats.alive_names([NAME]))
        hangs.set()
        released.wait(30)
        stop.set()

    working = threading.Thread(target=_do, args=(hang,), kwargs={"stop": stop})
    working.start()
    assert hangs.wait(10)
    redis_client.client().delete(f"{heartbeats.ALIVE}{NAME}")
    Event().wait(0.3)
    after = heartbeats.alive_names([NAME])
    released.set()
    working.join(10)
    assert beats == [{NAME}]
    assert after == set()
