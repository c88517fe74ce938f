"""A verifier may hang, crash or eat the machine: one child pays, and the verdict names whose fault it was."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from verifiers.children import ChildPool, VerifierCrash, VerifierStalled, VerifierTimeout, judge_guarded
from verifiers.limits import TOGETHER_MAX
from verifiers.types import Evidence, Gold, Verdict
from verifiers.wire import Job

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
SHORT_S = 0.5
LONG_S = 2.0  # enough to get a share of a busy machine
GOLD = Gold("42")
LAST_WORDS = """
import os, signal, sys, threading, time
from tests.verifiers.test_children import ask, pool_of
if __name__ == "__main__":
    pool = pool_of(1)
    pid = ask(pool, "42").parsed_answer.split()[0]
    threading.Thread(target=ask, args=(pool, sys.argv[1])).start()
    time.sleep(0.3)
    print(pid, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""

UNGUARDED = """
from tests.verifiers.test_children import ask, pool_of
print("imported", flush=True)
ask(pool_of(1), "42")
"""


def pool_of(size: int) -> ChildPool:
    return ChildPool(size, modules=["tests.verifiers.misbehaviour"])


def ask(pool: ChildPool, answer: str, *, gold: Gold = GOLD, timeout_s: float = 10.0) -> Verdict:
    return pool.verify("misbehaving-v1", gold=gold, evidence=Evidence(answer), timeout_s=timeout_s)


def judge(pool: ChildPool, answer: str, *, gold: Gold = GOLD, timeout_s: float = 10.0) -> Verdict:
    return judge_guarded(
        pool, verifier_id="misbehaving-v1", gold=gold, evidence=Evidence(answer), timeout_s=timeout_s
    )


def pid_of(verdict: Verdict) -> int:
    return int(verdict.parsed_answer.split()[0])


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state not in "ZX"


def wait_until_gone(pid: int, *, seconds: float = 5.0) -> bool:
    deadline = time.monotonic() + seconds
    while is_running(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not is_running(pid)


@pytest.fixture(scope="module")
def pool() -> Iterator[ChildPool]:
    pool = pool_of(2)
    yield pool
    pool.close()


def test_a_verdict_comes_from_a_child_process_without_our_environment(pool: ChildPool) -> None:
    verdict = ask(pool, "42")
    pid, _, environment = verdict.parsed_answer.split()
    assert verdict.correct
    assert int(pid) != os.getpid()
    assert environment == "0"


def test_a_child_is_reused(pool: ChildPool) -> None:
    assert pid_of(ask(pool, "42")) == pid_of(ask(pool, "41"))


@pytest.mark.parametrize("way", ["sleep", "long_c_loop"])
def test_a_hang_is_a_timeout_that_costs_one_child(pool: ChildPool, way: str) -> None:
    before = pid_of(ask(pool, "42"))
    with pytest.raises(VerifierTimeout):
        ask(pool, way, timeout_s=SHORT_S)
    assert wait_until_gone(before)
    assert ask(pool, "42").correct


@pytest.mark.parametrize("way", ["eat_memory", "die", "fail"])
def test_a_crash_is_reported_and_the_next_verification_works(pool: ChildPool, way: str) -> None:
    with pytest.raises(VerifierCrash):
        ask(pool, way)
    assert ask(pool, "42").correct


@pytest.mark.parametrize("way", ["sleep", "eat_memory", "die", "fail"])
def test_a_failure_caused_by_the_answer_is_incorrect(pool: ChildPool, way: str) -> None:
    verdict = judge(pool, way, timeout_s=SHORT_S * 4)
    assert (verdict.correct, verdict.reason) == (False, "unparsable_answer")


@pytest.mark.parametrize(
    ("way", "timeout_s", "error"), [("sleep", SHORT_S, VerifierTimeout), ("fail", 10, VerifierCrash)]
)
def test_a_failure_on_the_gold_itself_is_ours(
    pool: ChildPool, way: str, timeout_s: float, error: type[Exception]
) -> None:
    with pytest.raises(error) as caught:
        judge(pool, way, gold=Gold(way), timeout_s=timeout_s)
    assert caught.value.code in {"verifier_timeout", "verifier_error"}


def test_an_unreadable_gold_is_ours(pool: ChildPool) -> None:
    with pytest.raises(VerifierCrash):
        judge_guarded(pool, verifier_id="numeric-v1", gold=Gold("many"), evidence=Evidence("3"))


def test_a_child_that_died_on_its_own_blames_nobody(pool: ChildPool) -> None:
    os.kill(pid_of(ask(pool, "42")), signal.SIGKILL)
    assert judge(pool, "42").correct


def test_each_of_four_threads_gets_its_own_verdicts() -> None:
    pool = pool_of(4)
    golds = [Gold(str(number)) for number in range(400)]
    with ThreadPoolExecutor(4) as threads:
        verdicts = list(threads.map(lambda gold: ask(pool, gold.answer, gold=gold), golds))
    assert all(verdict.correct for verdict in verdicts)
    pool.close()


@pytest.mark.parametrize(("way", "error"), [("sleep", VerifierStalled), ("long_c_loop", VerifierTimeout)])
def test_a_child_that_did_not_run_is_distinguished_from_one_that_timed_out(
    pool: ChildPool, way: str, error: type[Exception]
) -> None:
    with pytest.raises(VerifierTimeout) as raised:
        ask(pool, way, timeout_s=LONG_S)
    assert type(raised.value) is error


def test_the_start_of_a_child_is_no_part_of_a_verifications_time() -> None:
    pool = ChildPool(1, modules=["tests.verifiers.slow_to_import"])
    verdict = pool.verify("numeric-v1", gold=GOLD, evidence=Evidence("42"), timeout_s=SHORT_S)
    assert verdict.correct
    pool.close()


def test_a_child_does_not_import_the_main_module_of_its_worker(tmp_path: Path) -> None:
    program = tmp_path / "unguarded.py"
    program.write_text(UNGUARDED)
    run = subprocess.run(
        [sys.executable, program], env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=60
    )
    assert (run.returncode, run.stdout) == (0, "imported\n"), run.stderr


class Machine:
    """Lets a pool verify, or stand still, by turns: True is a stall."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *turns: bool) -> None:
        self.turns = list(turns)
        verify = ChildPool.verify

        def verify_by_turns(pool: ChildPool, *args: Any, **kwargs: Any) -> Verdict:
            if self.turns and self.turns.pop(0):
                raise VerifierStalled("verifier_timeout", "stood still")
            return verify(pool, *args, **kwargs)

        monkeypatch.setattr(ChildPool, "verify", verify_by_turns)


@pytest.mark.parametrize("turns", [(True,), (True, True), (True, True, False)])
def test_a_machine_that_stalled_and_runs_again_harms_no_answer(
    pool: ChildPool, monkeypatch: pytest.MonkeyPatch, turns: tuple[bool, ...]
) -> None:
    Machine(monkeypatch, *turns)
    assert judge(pool, "42").correct


def test_a_machine_that_goes_on_standing_still_blames_nobody(
    pool: ChildPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    Machine(monkeypatch, True, True, True)
    with pytest.raises(VerifierStalled):
        judge(pool, "42")


def test_an_answer_on_which_alone_the_verifier_stands_still_is_at_fault(
    pool: ChildPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    Machine(monkeypatch, True, True, False, True)
    assert judge(pool, "42").reason == "unparsable_answer"


@pytest.mark.parametrize("way", ["long_c_loop", "fail"])
def test_an_answer_that_fails_once_the_machine_runs_again_is_at_fault(
    pool: ChildPool, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    Machine(monkeypatch, True, True, False)
    assert judge(pool, way, timeout_s=LONG_S).reason == "unparsable_answer"


def test_what_a_fork_of_the_child_computes_counts_as_the_childs(pool: ChildPool) -> None:
    with pytest.raises(VerifierTimeout) as raised:
        ask(pool, "loop_in_fork", timeout_s=LONG_S)
    assert type(raised.value) is VerifierTimeout


def together(pool: ChildPool, *answers: str) -> list[bool | None]:
    jobs = [Job("misbehaving-v1", GOLD, Evidence(answer)) for answer in answers]
    return [verdict and verdict.correct for verdict in pool.verify_together(jobs)]


def test_batched_jobs_return_in_order(pool: ChildPool) -> None:
    assert together(pool, "42", "41", "42") == [True, False, True]
    assert together(pool) == []


@pytest.mark.parametrize("way", ["sleep", "long_c_loop", "die"])
def test_a_job_that_ends_the_child_leaves_its_batch_to_be_judged_singly(pool: ChildPool, way: str) -> None:
    assert together(pool, "42", way, "42") == [None, None, None]
    verdicts = [judge(pool, answer, timeout_s=LONG_S) for answer in ("42", way, "42")]
    assert [verdict.correct for verdict in verdicts] == [True, False, True]


def test_a_verifier_that_raises_loses_no_other_job(pool: ChildPool) -> None:
    assert together(pool, "42", "fail", "42") == [True, None, True]


def test_jobs_after_an_out_of_memory_are_left_to_another_child(pool: ChildPool) -> None:
    assert together(pool, "42", "run_out_of_memory", "42") == [True, None, None]
    assert together(pool, "42", "41") == [True, False]


def test_jobs_past_the_maximum_batch_are_left(pool: ChildPool) -> None:
    answers = ["42"] * (TOGETHER_MAX + 1)
    assert together(pool, *answers) == [True] * TOGETHER_MAX + [None]


def test_a_child_that_uses_too_much_memory_is_replaced(pool: ChildPool) -> None:
    before = pid_of(ask(pool, "grow"))
    assert pid_of(ask(pool, "42")) != before


def test_a_lone_surrogate_reaches_the_verifier_and_returns_readable(pool: ChildPool) -> None:
    verdict = pool.verify("numeric-v1", gold=Gold("42"), evidence=Evidence("\ud800"))
    assert verdict.reason == "unparsable_answer"
    with pytest.raises(VerifierCrash, match=r"no \?"):
        ask(pool, "say \ud800")


def test_a_hang_in_one_thread_does_not_delay_the_others() -> None:
    pool = pool_of(2)
    pool.warm()
    with ThreadPoolExecutor(2) as threads:
        hang = threads.submit(ask, pool, "sleep", timeout_s=3.0)
        answers = [threads.submit(ask, pool, "42") for _ in range(20)]
        assert all(answer.result().correct for answer in answers)
        assert not hang.done()
        with pytest.raises(VerifierTimeout):
            hang.result()
    pool.close()


@pytest.mark.parametrize("way", ["sleep", "long_c_loop"])
def test_children_do_not_outlive_a_killed_worker(way: str) -> None:
    worker = subprocess.run(
        [sys.executable, "-c", LAST_WORDS, way], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert worker.returncode == -signal.SIGKILL
    assert wait_until_gone(int(worker.stdout))
