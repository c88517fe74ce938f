"""A cgroup (version 2) around each sandbox, on machines that delegate one to us.

It bounds what a process's limits do not count, such as the kernel's own memory and cached files, and gives
programs less of the processor than the servers beside them. Layout and rules: "Control Group v2" in the
kernel's documentation, and "Control Group APIs and Delegation" in systemd's.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from verifiers.sandbox.limits import GROUP_CPU_WEIGHT, GROUP_MEMORY_BYTES, GROUP_PROCESSES

logger = logging.getLogger(__name__)

ROOT = Path("/sys/fs/cgroup")
OWN = Path("/proc/self/cgroup")
# cgroup v2 forbids processes in a group whose children have limits ("no internal processes"): ours move here.
LEAF = "palaestra"
BOX = "sandbox-"
REQUIRED, OPTIONAL = ("memory", "pids"), ("cpu",)
DELEGATION_MARKS = ("user.delegate", "trusted.delegate")
TRIES = 20
END_S = 1.0
POLL_S = 0.005
# Enters the group whose cgroup.procs is its standard error, then becomes the command. Rights are those of
# the worker, which opened the file.
ENTER = 'echo 0 >&2 && exec "$@" 2>{}'
PASSED_ON, DROPPED = "&1", "/dev/null"

_numbers = itertools.count(1)
_parent: Path | None = None


class Undelegated(Exception):
    """No cgroup is delegated to us; says why."""


def problem() -> str | None:
    """Explain why sandboxes get no cgroup here, and what bounds programs then; None if they can."""
    try:
        find_delegated()
    except Undelegated as reason:
        return (
            f"No cgroup is delegated to Palaestra ({reason}), so programs of agents are bounded by "
            "the limits of their process alone: memory, time, no processes, no shared memory, few files. "
            "`systemd-run --user --scope --property=Delegate=yes make up` delegates one."
        )
    return None


def find_delegated() -> Path:
    """Find the cgroup in which we may create others. Raises ``Undelegated``."""
    if not (ROOT / "cgroup.controllers").is_file():
        raise Undelegated("the machine has no cgroups of version 2")
    paths = [line[3:] for line in OWN.read_text().splitlines() if line.startswith("0::")]
    group = ROOT / "".join(paths).lstrip("/")
    group = group.parent if group.name == LEAF else group
    written = (group, group / "cgroup.procs", group / "cgroup.subtree_control")
    if not all(os.access(path, os.W_OK) for path in written) or not _is_ours(group):
        raise Undelegated(f"{group} is not ours")
    missing = set(REQUIRED) - _controllers(group)
    if missing:
        raise Undelegated(f"{group} lacks the controllers {', '.join(sorted(missing))}")
    return group


def _is_ours(group: Path) -> bool:
    """Return whether the group is delegated to us. Root may write to any group: only systemd's mark tells."""
    if os.geteuid() != 0:
        return True
    with contextlib.suppress(OSError):
        return bool(set(DELEGATION_MARKS) & set(os.listxattr(group)))
    return False


def _controllers(group: Path) -> set[str]:
    return set((group / "cgroup.controllers").read_text().split())


def prepare() -> None:
    """Let sandboxes of this process and those that it forks have groups, if one is delegated.

    Everything that runs in the delegated group moves to a leaf of it. Call it before any sandbox starts.
    """
    global _parent
    try:
        group = find_delegated()
        _leave(group)
    except (Undelegated, OSError) as error:
        logger.warning("sandboxes get no cgroup: %s", error)
        return
    for left in group.glob(f"{BOX}*"):  # of a worker that was killed
        with contextlib.suppress(OSError):
            left.rmdir()
    _parent = group


def _leave(group: Path) -> None:
    leaf = group / LEAF
    _make(leaf)
    enabled = [f"+{name}" for name in (*REQUIRED, *OPTIONAL) if name in _controllers(group)]
    for attempt in itertools.count(1):
        for process in (group / "cgroup.procs").read_text().split():
            with contextlib.suppress(ProcessLookupError):
                (leaf / "cgroup.procs").write_text(process)
        try:
            (group / "cgroup.subtree_control").write_text(" ".join(enabled))
        except OSError:  # a process was forked meanwhile
            if attempt == TRIES:
                raise
        else:
            return


@contextlib.contextmanager
def group_open() -> Iterator[int | None]:
    """Open a new group and yield a descriptor of its ``cgroup.procs``; None if none is delegated.

    In the end all that runs in the group is killed.
    """
    if _parent is None:
        yield None
        return
    group = _parent / f"{BOX}{os.getpid()}-{next(_numbers)}"
    _make(group)
    try:
        _limit(group)
        processes = os.open(group / "cgroup.procs", os.O_WRONLY)
        try:
            yield processes
        finally:
            os.close(processes)
    finally:
        _end(group)


def enter_group(command: Sequence[str], *, errors: str) -> list[str]:
    """Return the command, to run in the group whose descriptor is its stderr; ``errors`` go there instead."""
    return ["/bin/sh", "-c", ENTER.format(errors), "sh", *command]


def _make(group: Path) -> None:
    group.mkdir(exist_ok=True)


def _limit(group: Path) -> None:
    (group / "memory.max").write_text(str(GROUP_MEMORY_BYTES))
    (group / "pids.max").write_text(str(GROUP_PROCESSES))
    # Older kernels, and those without swap or the controller, lack some of these files.
    for name, value in (("memory.swap.max", 0), ("memory.oom.group", 1), ("cpu.weight", GROUP_CPU_WEIGHT)):
        if (group / name).exists():
            (group / name).write_text(str(value))


def _end(group: Path) -> None:
    """Kill the group and remove it; the next worker removes what is still dying."""
    with contextlib.suppress(OSError):
        (group / "cgroup.kill").write_text("1")
    deadline = time.monotonic() + END_S
    while time.monotonic() < deadline:
        try:
            group.rmdir()
        except OSError:
            time.sleep(POLL_S)
        else:
            return
