"""The sandbox for programs that agents write: for now, whether this machine can have one.

bubblewrap in namespaces of its own, entered as an unprivileged user: as root it would still read root's
files.
"""

from __future__ import annotations

import os
import shutil
import subprocess

NOBODY = 65534
PROBE_TIMEOUT_S = 10.0
# Nothing of the host but its programs, read-only; no network, no environment.
ENCLOSURE = (
    "--unshare-all",
    "--die-with-parent",
    "--new-session",
    "--clearenv",
    "--ro-bind", "/usr", "/usr",
    "--symlink", "usr/bin", "/bin",
    "--symlink", "usr/lib", "/lib",
    "--symlink", "usr/lib64", "/lib64",
    "--proc", "/proc",
    "--dev", "/dev",
)  # fmt: skip


def sandbox_problem() -> str | None:
    """Why no sandbox can be had here, in a sentence; None when a program was just run in one."""
    program = shutil.which("bwrap")
    if program is None:
        return "bubblewrap is not installed (apt-get install bubblewrap)."
    account = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
    try:
        done = subprocess.run(  # noqa: S603 (a fixed command)
            [program, *ENCLOSURE, "/usr/bin/true"],
            capture_output=True,
            timeout=PROBE_TIMEOUT_S,
            cwd="/",
            **account,  # type: ignore[call-overload]
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap could not be run: {error}"
    if done.returncode:
        return f"bubblewrap fails on this machine: {done.stderr.decode(errors='replace').strip()[:300]}"
    return None
