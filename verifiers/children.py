"""Warm child processes that verify under a timeout, so that a hang or crash costs a child, not the worker.

Children come from Python's forkserver with the heavy libraries preloaded (about 15 ms each, against 1.3 s for
a new interpreter). They share nothing with the worker's threads, and the clock runs in the worker.
"""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
import queue
import select
import threading
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext, ForkServerProcess

import psutil

from core.errors import GymError
from core.work import child_processes
from verifiers import child, wire
from verifiers.answer_text import unparsable
from verifiers.limits import REPLY_BYTES, TOGETHER_MAX, TOGETHER_TIMEOUT_S, VERIFY_TIMEOUT_S
from verifiers.types import Evidence, Gold, Verdict
from verifiers.wire import Job, Reply

logger = logging.getLogger(__name__)

POOL_SIZE = 4
# A child usually starts in 15 ms, but takes far longer while the machine is starting everything else.
READY_S = 30.0
# Verifiers only compute and never wait, so a child that used less of its timeout than this was held up.
STALLED_SHARE = 0.2
# Most verdicts arrive sooner than this, and for them the child's CPU time need not be read.
PROMPT_S = 0.1


class VerifierTimeout(GymError):
    """The verification timed out; its child was killed."""


class VerifierStalled(VerifierTimeout):
    """The verification timed out because the machine hardly let the child run; the answer is not at fault."""


class VerifierCrash(GymError):
    """The verifier raised an exception, or its child process died."""


class Child:
    """A warm child process, used by one thread at a time."""

    def __init__(self, context: ForkServerContext, *, modules: Sequence[str]) -> None:
        self.connection, theirs = context.Pipe()
        self.process: ForkServerProcess = context.Process(
            target=child.serve, args=(theirs, modules), daemon=True, name="verifier-child"
        )
        with child_processes.hide_main():
            self.process.start()
        theirs.close()
        self._answered = _watch(self.connection.fileno())
        self._ended = _watch(self.process.sentinel)
        self._is_ready = False

    def judge(self, jobs: Sequence[Job], *, timeout_s: float) -> list[Reply]:
        """Send jobs and return the replies.

        Raises ``VerifierTimeout`` or ``VerifierCrash``, after either of which the child cannot be used again.
        """
        connection: Connection = self.connection
        try:
            self.ready_wait()
            connection.send_bytes(wire.jobs_encode(jobs))
            self._wait(timeout_s)
            return wire.replies_decode(connection.recv_bytes(REPLY_BYTES * len(jobs)))
        except (EOFError, OSError, ValueError) as error:
            raise VerifierCrash("verifier_error", "The verifier's child died.") from error

    def ready_wait(self) -> None:
        """Wait until the child has imported its modules; no verification's timeout covers this time.

        Raises ``VerifierStalled`` if the child takes more than ``READY_S`` seconds.
        """
        if self._is_ready:
            return
        if not self._answered.poll(READY_S * 1000):
            raise VerifierStalled("verifier_timeout", f"The verifier's child did not start in {READY_S:g} s.")
        self._is_ready = self.connection.recv_bytes() == wire.READY

    def _wait(self, timeout_s: float) -> None:
        started = time.monotonic()
        if self._answered.poll(min(PROMPT_S, timeout_s) * 1000):
            return
        cpu_before_s = self._cpu_s()
        left_s = max(0.0, timeout_s - (time.monotonic() - started))
        if self._answered.poll(left_s * 1000):
            return
        is_stalled = self._cpu_s() - cpu_before_s < left_s * STALLED_SHARE
        raise (VerifierStalled if is_stalled else VerifierTimeout)(
            "verifier_timeout", f"The verifier took more than {timeout_s:g} s."
        )

    def _cpu_s(self) -> float:
        """Return the CPU time used so far by the child and by the processes that it forked."""
        total_s = 0.0
        with contextlib.suppress(psutil.Error):
            process = psutil.Process(self.process.pid)
            for member in (process, *process.children(recursive=True)):
                with contextlib.suppress(psutil.Error):  # the parent's time includes a fork that just ended
                    times = member.cpu_times()
                    total_s += times.user + times.system + times.children_user + times.children_system
        return total_s

    @property
    def is_alive(self) -> bool:
        return not self._ended.poll(0)

    def end(self) -> None:
        """Kill the child and reap it."""
        self.process.kill()
        self.process.join()
        self.connection.close()
        self.process.close()


class ChildPool:
    """A thread-safe pool of up to ``size`` children; callers wait if all of them are busy.

    Children start when first needed, or all together by ``warm``. ``modules`` register further verifiers.
    """

    def __init__(self, size: int = POOL_SIZE, *, modules: Sequence[str] = ()) -> None:
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(["verifiers.preload"])
        self._start_lock = threading.Lock()
        self._slots: queue.LifoQueue[Child | None] = queue.LifoQueue()
        self.size = size
        self.modules = tuple(modules)
        for _ in range(size):
            self._slots.put(None)

    def warm(self) -> None:
        """Start every child that is not running."""
        children = [self._usable(self._slots.get()) for _ in range(self.size)]
        for held in children:
            with contextlib.suppress(VerifierStalled, EOFError, OSError):  # the next verification reports it
                held.ready_wait()
            self._slots.put(held)

    def verify(
        self, verifier_id: str, *, gold: Gold, evidence: Evidence, timeout_s: float = VERIFY_TIMEOUT_S
    ) -> Verdict:
        """Judge in a child within ``timeout_s`` seconds. Raises ``VerifierTimeout`` and ``VerifierCrash``."""
        (reply,) = self._judge([Job(verifier_id, gold, evidence)], timeout_s=timeout_s)
        if reply.verdict is None:
            raise VerifierCrash("verifier_error", f"{verifier_id} failed: {reply.crash}")
        return reply.verdict

    def verify_together(self, jobs: Sequence[Job]) -> list[Verdict | None]:
        """Judge up to ``TOGETHER_MAX`` jobs in one child with one message.

        Jobs without a verdict get None. A job that hangs or crashes may deprive others of their verdicts, so
        the caller should judge these one by one.
        """
        try:
            replies = self._judge(jobs[:TOGETHER_MAX], timeout_s=TOGETHER_TIMEOUT_S)
        except (VerifierTimeout, VerifierCrash):
            replies = []
        verdicts = [reply.verdict for reply in replies]
        return verdicts + [None] * (len(jobs) - len(verdicts))

    def _judge(self, jobs: Sequence[Job], *, timeout_s: float) -> list[Reply]:
        survivor = None
        slot = self._slots.get()
        try:
            worker = self._usable(slot)
            try:
                replies = worker.judge(jobs, timeout_s=timeout_s)
            except (VerifierTimeout, VerifierCrash):
                worker.end()
                raise
            if replies and replies[-1].is_spent:
                worker.end()
            else:
                survivor = worker
        finally:
            self._slots.put(survivor)
        return replies

    def close(self) -> None:
        """Kill all children; for tests and for a worker that shuts down."""
        for _ in range(self.size):
            slot = self._slots.get()
            if slot is not None:
                slot.end()
            self._slots.put(None)

    def _usable(self, slot: Child | None) -> Child:
        if slot is not None and slot.is_alive:
            return slot
        if slot is not None:
            slot.end()
        with self._start_lock:  # multiprocessing keeps its list of children without a lock
            return Child(self._context, modules=self.modules)


def _watch(descriptor: int) -> select.poll:
    waiting = select.poll()
    waiting.register(descriptor, select.POLLIN)
    return waiting


def judge_guarded(
    pool: ChildPool, *, verifier_id: str, gold: Gold, evidence: Evidence, timeout_s: float = VERIFY_TIMEOUT_S
) -> Verdict:
    """Judge an answer; if that fails, decide whether the answer or the verifier is at fault.

    A crash is retried once, since the child may have died for another reason; so is a timeout of a child that
    hardly ran, since the machine may have stalled. If the verifier hangs or crashes on the answer but accepts
    the gold as an answer, the answer is at fault and is incorrect (``unparsable_answer``). Otherwise the
    failure is ours and is raised: ``VerifierTimeout`` or ``VerifierCrash``, whose ``code`` is the void
    verdict's reason, or ``VerifierStalled``, after which the caller should judge the answer again later.
    """

    def verify(evidence: Evidence) -> Verdict:
        return pool.verify(verifier_id, gold=gold, evidence=evidence, timeout_s=timeout_s)

    try:
        try:
            return verify(evidence)
        except (VerifierCrash, VerifierStalled):
            return verify(evidence)
    except (VerifierTimeout, VerifierCrash) as failure:
        logger.warning("%s: %s on an answer", verifier_id, failure.code)
        try:
            proof = verify(gold.as_evidence())
        except VerifierStalled:
            raise
        except (VerifierTimeout, VerifierCrash):
            proof = None
        if proof is None or not proof.correct:
            logger.error("%s fails on its own gold too", verifier_id)
            raise
        if isinstance(failure, VerifierStalled):
            # The gold was judged, so the machine has recovered, and only a faulty answer fails again.
            with contextlib.suppress(VerifierTimeout, VerifierCrash):
                return verify(evidence)
        return unparsable(gold=proof.parsed_gold)
