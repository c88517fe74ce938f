"""The enclosure, which is bubblewrap around a single Python process, run as a user who owns no files."""

from __future__ import annotations

import ctypes
import os
import shutil
import stat
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

from verifiers.sandbox.limits import HOME_BYTES
from verifiers.sandbox.seccomp import seccomp_filter

# An unused uid: not Postgres's, not `nobody`'s, and none that systemd assigns (61184 to 65519).
SANDBOX_UID = 60_721
HOME = "/box"
INSIDE = Path(__file__).with_name("inside")
SYSTEM_PYTHONS = ("/usr/local/bin/python3", "/usr/bin/python3")

# The base of every sandbox. Only the host's /usr is visible, read-only: no /proc, no /etc, no temporary
# folders, no sockets, no network.
BARE = (
    "--unshare-all",
    "--die-with-parent",
    "--new-session",
    "--clearenv",
    "--setenv", "PATH", "/usr/bin",
    "--setenv", "HOME", HOME,
    "--setenv", "TMPDIR", HOME,
    "--setenv", "LANG", "C.UTF-8",
    "--ro-bind", "/usr", "/usr",
    "--symlink", "usr/bin", "/bin",
    "--symlink", "usr/lib", "/lib",
    "--symlink", "usr/lib64", "/lib64",
)  # fmt: skip
# After these options everything is read-only except the home folder, which is a small tmpfs.
WALLS = (
    *BARE,
    "--dev", "/dev",
    "--remount-ro", "/dev",
    "--size", str(HOME_BYTES),
    "--tmpfs", HOME,
    "--chdir", HOME,
)  # fmt: skip
# No site packages, no bytecode, none of the caller's paths.
PYTHON_OPTIONS = ("-S", "-s", "-B", "-P")
MISSING = "bubblewrap is not installed (apt-get install bubblewrap)."
PROBE_TIMEOUT_S = 10.0
PR_SET_THP_DISABLE = 41
PROBE = "import json, os, resource, socket; print(os.listdir('/box'))"


def bubblewrap() -> str | None:
    """Find bubblewrap, or return None if it is not installed."""
    return shutil.which("bwrap")


@cache
def interpreter() -> tuple[str, tuple[str, ...]]:
    """Choose the Python that runs programs, and return it with the bind options that it needs besides
    ``/usr``.

    This is our own Python if it is under ``/usr``, else the system's. If there is no system Python, it is our
    own with its folder bound, provided that the sandbox's user may read it (unlike a pyenv under ``/root``).
    """
    base = Path(sys.base_prefix)
    own = base / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}"
    if base.is_relative_to("/usr") and own.exists():
        return str(own), ()
    for system in map(Path, SYSTEM_PYTHONS):
        if system.exists():
            return str(system), ()
    return str(own), ("--ro-bind", str(base), str(base)) if _is_public(base) else ()


def _is_public(folder: Path) -> bool:
    return all(path.stat().st_mode & stat.S_IXOTH for path in (folder, *folder.parents))


def account() -> dict[str, Any]:
    """Return the arguments that make ``subprocess`` switch from root to another user before bubblewrap."""
    if os.geteuid() != 0:
        return {}
    return {"user": SANDBOX_UID, "group": SANDBOX_UID, "extra_groups": []}


@cache
def huge_pages_refuse() -> None:
    """Disable huge pages for this process and those that it starts from now on.

    Otherwise a mapped page of 4 kB could keep the 2 MB around it in memory, while ``RLIMIT_AS`` counts only 4
    kB.
    """
    ctypes.CDLL(None).prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0)


@cache
def program_text(name: str) -> str:
    """Return the source of a program in ``inside``, preceded by that of the one module that it imports."""
    shared = "verifiers.sandbox.inside.values"
    values = (INSIDE / "values.py").read_text(encoding="utf-8")
    return (
        "import sys, types\n"
        f"module = types.ModuleType({shared!r})\n"
        f"exec({values!r}, module.__dict__)\n"
        f"sys.modules[{shared!r}] = module\n"
        "names = {'__name__': '__main__'}\n"
        f"exec({(INSIDE / name).read_text(encoding='utf-8')!r}, names)\n"
    )


def filter_open() -> int | None:
    """Open a descriptor of the system-call filter, or return None if there is none for this machine."""
    code = seccomp_filter()
    return None if code is None else memory_open(code)


def memory_open(content: bytes) -> int:
    """Open a file in memory, positioned at its start."""
    descriptor = os.memfd_create("sandbox", 0)
    os.write(descriptor, content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def command(
    *, text: str, arguments: tuple[str, ...] = (), filter_fd: int | None = None, hash_seed: int = 0
) -> list[str]:
    """Build the command that runs Python source inside. Raises ``FileNotFoundError`` without bubblewrap."""
    program = bubblewrap()
    if program is None:
        raise FileNotFoundError(MISSING)
    python, bound = interpreter()
    seccomp = () if filter_fd is None else ("--seccomp", str(filter_fd))
    return [
        program, *WALLS, *bound, "--remount-ro", "/", "--setenv", "PYTHONHASHSEED", str(hash_seed), *seccomp,
        python, *PYTHON_OPTIONS, "-c", text, *arguments,
    ]  # fmt: skip


def sandbox_problem() -> str | None:
    """Explain in a sentence why no sandbox works here; return None if a test program runs in one."""
    if bubblewrap() is None:
        return MISSING
    calls = filter_open()
    try:
        done = subprocess.run(  # noqa: S603 (a fixed command)
            command(text=PROBE, filter_fd=calls),
            capture_output=True,
            timeout=PROBE_TIMEOUT_S,
            cwd="/",
            env={},
            pass_fds=() if calls is None else (calls,),
            **account(),
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap could not be run: {error}"
    finally:
        if calls is not None:
            os.close(calls)
    if done.returncode or done.stdout != b"[]\n":
        return f"bubblewrap fails on this machine: {done.stderr.decode(errors='replace').strip()[:300]}"
    return None
