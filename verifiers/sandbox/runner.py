"""Runs of a pair of sandboxes, a candidate's and its checker's, under a timeout that neither controls."""

from __future__ import annotations

import os
import selectors
import signal
import socket
import subprocess
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass, field

from verifiers.sandbox import cgroups, enclosure
from verifiers.sandbox.limits import CANDIDATE_MEMORY_BYTES, OUTPUT_BYTES, REPORT_BYTES, Limits
from verifiers.sandbox.observation import Home, ProgramClock, find_program

CHUNK = 65_536
WATCH_S = 0.1
HELD_UP_SHARE = 0.2
"""Share of its own time that a program must have used to be out of time when ``wall_s`` stops it; with less,
it was held up. The share is twice the reference's time. Without it, endless loops on a busy machine would be
void."""


@dataclass
class Output:
    """A sandbox's output, truncated to ``bound`` bytes while it is read; ``is_over`` once it has ended."""

    bound: int
    data: bytearray = field(default_factory=bytearray)
    is_cut: bool = False
    is_over: bool = False

    def add(self, chunk: bytes) -> None:
        room = self.bound - len(self.data)
        self.data += chunk[:room]
        self.is_cut = self.is_cut or len(chunk) > room
        self.is_over = self.is_over or not chunk


@dataclass(frozen=True)
class PairRun:
    """Result of a run: the checker's lines, and the program's output and own time.

    ``stop`` is the reason why the program was stopped, or "". ``is_held_up`` is true if it ran out of time
    because the machine kept it from running.
    """

    lines: list[bytes]
    output: bytes
    is_output_cut: bool
    own_s: float
    stop: str
    is_held_up: bool


def run_pair(job: bytes, *, limits: Limits, hash_seed: int = 0) -> PairRun:
    """Run a job (JSON for ``inside/checker.py``). Raises ``OSError`` if a sandbox cannot be started.

    The program's time is counted from when the checker reports that the candidate is ready.
    """
    checker_out, candidate_out = Output(REPORT_BYTES), Output(OUTPUT_BYTES)
    with ExitStack() as stack:
        candidate, checker = _start(stack, job, limits=limits, hash_seed=hash_seed)
        outputs = ((checker.stdout, checker_out), (candidate.stdout, candidate_out))
        sinks = {pipe.fileno(): sink for pipe, sink in outputs if pipe}
        start = ProgramClock([])
        is_in_time = _listen(
            sinks,
            is_late=lambda: start.wall_s() > limits.start_s,
            until=lambda: b"\n" in checker_out.data,
            of=checker_out,
        )
        program = find_program(candidate.pid)
        clock = ProgramClock([program, find_program(checker.pid)])
        home = stack.enter_context(closing(Home(program)))
        if is_in_time:
            is_in_time = _listen(
                sinks,
                is_late=lambda: clock.own_s() > limits.own_s or clock.wall_s() > limits.wall_s,
                until=home.is_full,
                of=checker_out,
            )
        own_s = clock.own_s()
        stop = "too many files" if home.is_full() else "" if is_in_time else "out of time"
    lines = bytes(checker_out.data).splitlines()
    return PairRun(
        lines,
        bytes(candidate_out.data),
        is_output_cut=candidate_out.is_cut,
        own_s=own_s,
        stop=stop,
        is_held_up=stop == "out of time" and own_s < HELD_UP_SHARE * limits.own_s,
    )


def _start(
    stack: ExitStack, job: bytes, *, limits: Limits, hash_seed: int
) -> tuple[subprocess.Popen[bytes], subprocess.Popen[bytes]]:
    enclosure.huge_pages_refuse()
    ours, theirs = (stack.enter_context(end) for end in socket.socketpair())
    job_fd = enclosure.memory_open(job)
    stack.callback(os.close, job_fd)
    arguments = (str(theirs.fileno()), str(limits.cpu_s), str(CANDIDATE_MEMORY_BYTES))
    candidate = _box(stack, "candidate.py", arguments, channel=theirs, hash_seed=hash_seed)
    checker = _box(
        stack, "checker.py", (str(ours.fileno()),), channel=ours, stdin=job_fd, hash_seed=hash_seed
    )
    # From here on only the two sandboxes hold the channel, so each notices when the other ends.
    ours.close()
    theirs.close()
    return candidate, checker


def _box(
    stack: ExitStack,
    name: str,
    arguments: tuple[str, ...],
    *,
    channel: socket.socket,
    stdin: int = subprocess.DEVNULL,
    hash_seed: int,
) -> subprocess.Popen[bytes]:
    """Start a sandbox that is killed when ``stack`` exits; a checker that fails just sends no report."""
    group = stack.enter_context(cgroups.group_open())
    is_checker = name == "checker.py"
    errors = subprocess.DEVNULL if is_checker else subprocess.STDOUT
    with ExitStack() as for_start:
        calls = enclosure.filter_open()
        passed = [channel.fileno()]
        if calls is not None:
            for_start.callback(os.close, calls)
            passed.append(calls)
        text = enclosure.program_text(name)
        command = enclosure.command(text=text, arguments=arguments, filter_fd=calls, hash_seed=hash_seed)
        if group is not None:
            command = cgroups.enter_group(
                command, errors=cgroups.DROPPED if is_checker else cgroups.PASSED_ON
            )
        box = subprocess.Popen(  # noqa: S603 (a fixed command)
            command,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=errors if group is None else group,
            pass_fds=passed,
            cwd="/",
            env={},
            start_new_session=True,
            **enclosure.account(),
        )
    stack.callback(_end, box)
    return box


def _end(box: subprocess.Popen[bytes]) -> None:
    """Kill bubblewrap and with it every process in its namespace (``--die-with-parent``)."""
    box.send_signal(signal.SIGKILL)
    box.wait()
    if box.stdout is not None:
        box.stdout.close()


def _listen(
    sinks: dict[int, Output], *, is_late: Callable[[], bool], until: Callable[[], bool], of: Output
) -> bool:
    """Read all outputs until ``until`` is true or the output ``of`` ends; return False if ``is_late`` is
    first.

    Both conditions are checked at least every ``WATCH_S`` seconds.
    """
    with selectors.DefaultSelector() as selector:
        for descriptor, sink in sinks.items():
            if not sink.is_over:
                selector.register(descriptor, selectors.EVENT_READ, sink)
        while not (of.is_over or until()):
            if is_late():
                return False
            for key, _events in selector.select(WATCH_S):
                key.data.add(os.read(key.fd, CHUNK))
                if key.data.is_over:
                    selector.unregister(key.fd)
    return True
