"""The Run tool in the worker: what it runs, what it reports, and what it never receives."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from kombu.exceptions import OperationalError as QueueUnreachable

from tasks_app.models import Gold
from tests import factories
from trajectories.models import ToolCall
from trajectories.rollouts.judging import jobs, sweeper, tool_calls
from verifiers.sandbox import Report, SandboxMissing, suites

pytestmark = pytest.mark.django_db
needs_sandbox = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed here")

SHOWN = "assert add(1, 2) == 3"
HELD_BACK = ["assert add(70, 7) == 77", "assert add(5, 5) == 10"]
PAYLOAD = {"text": "Add.", "format": "plain", "signature": "def add(a, b):", "asserts": [SHOWN]}


def call(program: str, *, variation: dict[str, Any] | None = None, **fields: Any) -> ToolCall:
    task = factories.task(kind="code", payload=PAYLOAD, answer="def add(a, b): return a + b")
    extra = {"tests": [SHOWN, *HELD_BACK], "setup": "", "pairs": [["add(9, 9)", 18]]}
    Gold.objects.filter(task=task).update(extra=extra)
    episode = factories.episode(task=task, variation={"tools": ["run"], **(variation or {})})
    made = ToolCall.objects.create(episode=episode, number=1, tool="run", input=program, **fields)
    made.refresh_from_db()
    return made


def done(program: str, **fields: Any) -> dict[str, Any]:
    """What a call came to."""
    made = call(program, **fields)
    assert tool_calls.call_do(episode_id=made.episode_id, number=1)
    made.refresh_from_db()
    assert made.status == "done"
    return dict(made.output)


@needs_sandbox
@pytest.mark.parametrize(
    ("program", "passed", "message"),
    [
        ("def add(a, b):\n    return a + b", True, ""),
        ("def add(a, b):\n    return a - b", False, "AssertionError"),
        ("def add(a, b):\n    return a / 0", False, "ZeroDivisionError: division by zero"),
        ("def plus(a, b):\n    return a + b", False, "NameError: name 'add' is not defined"),
        ("def add(a, b):\n    raise ValueError('x' * 9999)", False, "ValueError: " + "x" * 272),
    ],
)
def test_each_shown_assert_is_reported_as_passed_or_with_the_programs_own_error(
    program: str, passed: bool, message: str
) -> None:
    output = done(program)
    assert (output["passed"], output["told"], output["problem"]) == ([passed], [message], "")


@needs_sandbox
@pytest.mark.parametrize(
    ("program", "problem"),
    [
        ("def add(a, b", "SyntaxError: '(' was never closed (<program>, line 1)"),
        ("raise KeyError('k')", "KeyError: 'k'"),
        ("import os\nos._exit(0)", "the program ended or gave no readable answer"),
    ],
)
def test_a_program_that_does_not_load_is_reported_once(program: str, problem: str) -> None:
    output = done(program)
    assert (output["passed"], output["problem"]) == ([], problem)


@needs_sandbox
def test_an_endless_program_is_out_of_time(monkeypatch: Any) -> None:
    from verifiers.sandbox.limits import Limits

    monkeypatch.setattr(tool_calls, "LIMITS", Limits(cpu_s=8, own_s=1.0))
    output = done("def add(a, b):\n    print('on')\n    while True: pass")
    assert (output["problem"], output["printed"]) == ("out of time", "on\n")


@needs_sandbox
@pytest.mark.parametrize("ending", ["", "\n    import os; os._exit(0)"])
def test_output_is_reported_even_if_the_program_ends_late(ending: str) -> None:
    late = "import atexit, time\natexit.register(time.sleep, 0.5)\n"
    assert done(late + f"def add(a, b):\n    print('seen'){ending}\n    return 3")["printed"] == "seen\n"


@needs_sandbox
def test_a_program_may_close_its_output() -> None:
    assert done("import sys\nsys.stdout.close()\ndef add(a, b):\n    return 3")["passed"] == [True]


@needs_sandbox
def test_the_asserts_of_the_episode_are_run_and_the_others_are_not() -> None:
    both = {"asserts": [SHOWN, HELD_BACK[0]]}
    assert done("def add(a, b):\n    return 3", variation=both)["passed"] == [True, False]
    assert done("def add(a, b):\n    return 3")["passed"] == [True]


@needs_sandbox
def test_reported_output_is_bounded_and_storable() -> None:
    printed = done("def add(a, b):\n    print('a\\0\\ud800'.encode('utf-8', 'replace').decode() * 5000)")
    assert len(printed["printed"]) == tool_calls.PRINTED_CHARS
    assert printed["is_cut"]
    assert "\0" not in printed["printed"]
    assert done("def add(a, b):\n    print('hé')\n    return 3")["printed"] == "hé\n"


def test_the_set_up_of_the_task_is_run_and_nothing_held_back_is_sent(monkeypatch: Any) -> None:
    sent: list[bytes] = []

    def run_pair(job: bytes, **_: Any) -> Any:
        sent.append(job)
        raise OSError("no sandbox in this test")

    monkeypatch.setattr(suites.runner, "run_pair", run_pair)
    made = call("def add(a, b): return a + b")
    Gold.objects.update(
        extra={"tests": [SHOWN, *HELD_BACK], "setup": "one = 1", "pairs": [["add(9, 9)", 18]]}
    )
    assert tool_calls.call_do(episode_id=made.episode_id, number=1)
    (job,) = sent
    assert b"one = 1" in job
    assert SHOWN.encode() in job
    for secret in (*HELD_BACK, "add(9, 9)"):
        assert secret.encode() not in job


@needs_sandbox
def test_a_program_can_read_neither_the_other_asserts_nor_the_environment() -> None:
    spy = """
import gc, os, sys
def add(a, b):
    print(dict(os.environ), sys.argv, os.listdir("/box"))
    for each in gc.get_objects():
        if isinstance(each, (str, list, dict)) and ("70, " + "7") in str(each)[:4000]:
            print("FOUND", str(each)[:200])
    for path in ("/proc/self/environ", "/proc/1/environ", "/etc/passwd", "/work", "/root"):
        try:
            print("READ", path, open(path).read())
        except OSError as error:
            print(type(error).__name__)
    return 3
"""
    printed = done(spy)["printed"]
    assert "FOUND" not in printed
    assert "READ" not in printed
    assert not any(word in printed for word in ("DATABASE", "REDIS", "GYM_", "postgres"))
    assert "'HOME': '/box'" in printed


def test_without_a_sandbox_a_failed_call_is_our_fault(monkeypatch: Any) -> None:
    def missing(*_args: Any, **_kwargs: Any) -> Report:
        raise SandboxMissing("sandbox_missing", "none here")

    monkeypatch.setattr(tool_calls, "suite_run", missing)
    made = call("def add(a, b): return a + b")
    assert tool_calls.call_do(episode_id=made.episode_id, number=1)
    made.refresh_from_db()
    assert (made.status, made.output) == ("failed", {})


@pytest.mark.parametrize("status", ["running", "done", "failed"])
def test_a_call_that_is_taken_is_not_taken_again(status: str) -> None:
    made = call("x", status=status)
    assert not tool_calls.call_do(episode_id=made.episode_id, number=1)


def test_a_call_that_its_page_has_abandoned_is_not_taken(settings: Any) -> None:
    made = call("x", created_at=timezone.now() - timedelta(seconds=settings.TOOL_CALL_TIMEOUT_S + 1))
    assert not tool_calls.call_do(episode_id=made.episode_id, number=1)
    assert tool_calls.calls_due(after_s=0.0) == []


def test_the_worker_has_the_rights_that_a_call_needs(
    as_role: Callable[[str], AbstractContextManager[None]], monkeypatch: Any
) -> None:
    monkeypatch.setattr(tool_calls, "suite_run", lambda *_args, **_kwargs: Report((True,), asserts=(True,)))
    made = call("x", created_at=timezone.now() - timedelta(seconds=10))
    with as_role("gym_worker"):
        due = tool_calls.calls_due(after_s=5.0)
        tool_calls.calls_mark_sent(due)
    with as_role("gym_sandbox"):
        assert tool_calls.call_do(episode_id=made.episode_id, number=1)
    assert due == [(made.episode_id, 1)]


class Queue:
    """Takes so many calls, then none."""

    name = "judging.run_tool"

    def __init__(self, room: int) -> None:
        self.room = room
        self.taken: list[tuple[int, int, str]] = []

    def apply_async(self, *, kwargs: dict[str, int], queue: str, retry: bool, headers: object) -> None:
        if len(self.taken) == self.room:
            raise QueueUnreachable
        self.taken.append((kwargs["episode_id"], kwargs["number"], queue))


def test_a_waiting_call_is_sent_again_to_the_sandbox_until_the_queue_takes_it(
    monkeypatch: Any, settings: Any
) -> None:
    settings.RESEND_AFTER_S = [5.0]
    earlier = timezone.now() - timedelta(seconds=6)
    first, second = (call("x", created_at=earlier + timedelta(milliseconds=n)) for n in range(2))
    call("x", sent_at=timezone.now())
    queue = Queue(room=1)
    monkeypatch.setattr(jobs, "run_tool", queue)
    assert sweeper.calls_send_due() == 1
    queue.room = 9
    assert sweeper.calls_send_due() == 1
    assert sweeper.calls_send_due() == 0
    assert queue.taken == [(first.episode_id, 1, "sandbox"), (second.episode_id, 1, "sandbox")]
