"""A cgroup (version 2) around each sandbox, on machines that delegate one to us.

The cgroup limits what process limits do not count, such as the kernel's own memory and cached files, and
gives programs a smaller share of the CPU than the servers on the same machine. "Control Group v2" in the
kernel's documentation and "Control Group APIs and Delegation" in systemd's describe the layout and the rules.
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
# This shell command enters the group whose cgroup.procs is its standard error, then becomes the given
# command. It needs no rights to the file, because the worker opened it.
ENTER = 'echo 0 >&2 && exec "$@" 2>{}'
PASSED_ON, DROPPED = "&1", "/dev/null"

_numbers = itertools.count(1)
_parent: Path | None = None


class Undelegated(Exception):
    """No cgroup is delegated to us; the message gives the reason."""


def problem() -> str | None:
    """Explain why sandboxes get no cgroup here and what limits programs instead; None if they get one."""
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
    """Find the cgroup in which we may create child groups. Raises ``Undelegated``."""
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
    """Return whether a group is delegated to us; since root may write to any, it must have systemd's mark."""
    if os.geteuid() != 0:
        return True
    with contextlib.suppress(OSError):
        return bool(set(DELEGATION_MARKS) & set(os.listxattr(group)))
    return False


def _controllers(group: Path) -> set[str]:
    return set((group / "cgroup.controllers").read_text().split())


def prepare() -> None:
    """Set up groups for the sandboxes of this process and its forks, if a cgroup is delegated to us.

    Every process in the delegated group is moved to a leaf of it. Call this before any sandbox starts.
    """
    global _parent
    try:
        group = find_delegated()
        _leave(group)
    except (Undelegated, OSError) as error:
        logger.warning("sandboxes get no cgroup: %s", error)
        return
    for left in group.glob(f"{BOX}*"):  # left over from a worker that was killed
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
        except OSError:  # a process was forked in the meantime
            if attempt == TRIES:
                raise
        else:
            return


@contextlib.contextmanager
def group_open() -> Iterator[int | None]:
    """Create a group and yield a descriptor of its ``cgroup.procs``; None if no cgroup is delegated to us.

    On exit, every process in the group is killed.
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
    """Wrap a command: it enters the group that its stderr is open on, then sends its stderr to ``errors``."""
    return ["/bin/sh", "-c", ENTER.format(errors), "sh", *command]


def _make(group: Path) -> None:
    group.mkdir(exist_ok=True)


def _limit(group: Path) -> None:
    (group / "memory.max").write_text(str(GROUP_MEMORY_BYTES))
    (group / "pids.max").write_text(str(GROUP_PROCESSES))
    # Older kernels, and kernels without swap or the CPU controller, lack some of these files.
    for name, value in (("memory.swap.max", 0), ("memory.oom.group", 1), ("cpu.weight", GROUP_CPU_WEIGHT)):
        if (group / name).exists():
            (group / name).write_text(str(value))


def _end(group: Path) -> None:
    """Kill the group's processes and remove it; a group that is still dying is removed by the next worker."""
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
