"""Turns of callers in a lane: what a quiet one waits for beside a noisy one."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable

import pytest

from gymsite.door.turns import SHARED_S, Turns
from tests.door.conftest import Door, everything


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def make(clock: Clock) -> Callable[[int], Turns[str]]:
    return lambda threads: Turns(threads=threads, clock=clock)


def _drain(turns: Turns[str], count: int) -> list[str]:
    """Jobs as one thread takes them, each done before the next."""
    taken = []
    for _ in range(count):
        caller, job = turns.get()
        taken.append(job)
        turns.done(caller)
    assert len(turns) == 0
    return taken


def test_callers_take_turns(make: Callable[[int], Turns[str]]) -> None:
    turns = make(1)
    for caller, count in (("a", 4), ("b", 2), ("c", 1)):
        for number in range(count):
            turns.put(caller, f"{caller}{number}")
    assert _drain(turns, 7) == ["a0", "b0", "c0", "a1", "b1", "a2", "a3"]


def test_a_caller_alone_has_all_threads(make: Callable[[int], Turns[str]]) -> None:
    turns = make(4)
    for number in range(5):
        turns.put("a", str(number))
    assert [turns.get()[1] for _ in range(4)] == ["0", "1", "2", "3"]
    assert len(turns) == 1


def test_half_of_the_threads_are_free_for_others(make: Callable[[int], Turns[str]], clock: Clock) -> None:
    turns = make(4)
    turns.put("quiet", "q0")
    turns.done(turns.get()[0])
    for number in range(6):
        turns.put("noisy", f"n{number}")
    assert [turns.get()[1] for _ in range(2)] == ["n0", "n1"]
    assert turns._take() is None
    turns.put("quiet", "q1")
    assert turns.get() == ("quiet", "q1")
    turns.done("quiet")
    turns.done("noisy")
    assert turns.get() == ("noisy", "n2")
    assert turns._take() is None


def test_what_was_held_is_taken_when_the_others_have_gone(
    make: Callable[[int], Turns[str]], clock: Clock
) -> None:
    turns = make(4)
    turns.put("quiet", "q")
    turns.done(turns.get()[0])
    for number in range(6):
        turns.put("noisy", f"n{number}")
    assert [turns.get()[1] for _ in range(2)] == ["n0", "n1"]
    clock.now += SHARED_S + 1
    turns.done("noisy")
    assert [turns.get()[1] for _ in range(3)] == ["n2", "n3", "n4"]
    assert (len(turns), turns._take()) == (1, None)
    turns.done("noisy")
    assert turns.get()[1] == "n5"


def test_no_job_is_lost_between_many_threads() -> None:
    turns: Turns[int] = Turns(threads=4)
    seen: list[int] = []

    def work() -> None:
        while True:
            caller, job = turns.get()
            seen.append(job)
            turns.done(caller)
            if len(seen) == 3_000:
                all_done.set()

    all_done = threading.Event()
    for _ in range(4):
        threading.Thread(target=work, daemon=True).start()
    for number in range(3_000):
        turns.put(number % 7 % 3, number)
    assert all_done.wait(30)
    assert sorted(seen) == list(range(3_000))
    assert len(turns) == 0


def test_a_full_lane_refuses_those_who_fill_it(make: Callable[[int], Turns[str]]) -> None:
    turns = make(1)
    for number in range(10):
        assert not turns.share_is_used("noisy", most=10)
        turns.put("noisy", str(number))
    assert turns.share_is_used("noisy", most=10)
    for number in range(5):
        assert not turns.share_is_used("quiet", most=10)
        turns.put("quiet", str(number))
    assert turns.share_is_used("quiet", most=10)
    assert not turns.share_is_used("third", most=10)


def test_a_request_waits_for_one_of_each_other_caller_and_not_for_all(door: Door) -> None:
    go, order = threading.Event(), []

    def slow(environ: dict[str, str]) -> tuple[str, list[tuple[str, str]], bytes]:
        order.append(environ["HTTP_X_CALLER"])
        go.wait(10)
        return "200 OK", [("Content-Length", "0")], b""

    door.handlers["/slow"] = slow
    clients = [_send(door, "noisy") for _ in range(20)]
    while not order:
        go.wait(0.01)
    clients.append(_send(door, "quiet"))
    go.wait(0.2)  # it is in the lane behind all others
    go.set()
    for client in clients:
        everything(client)
        client.close()
    assert len(order) == 21
    assert order.index("quiet") <= 2


def _send(door: Door, caller: str) -> socket.socket:
    client = door.connect()
    client.sendall(
        f"GET /slow HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Caller: {caller}\r\n\r\n".encode()
    )
    return client
