"""Checks whether this machine can run a sandbox."""

from __future__ import annotations

import os
import subprocess

from verifiers.sandbox import enclosure

PROBE_TIMEOUT_S = 10.0
PROBE = "import json, os, resource, socket; print(os.listdir('/box'))"


def sandbox_problem() -> str | None:
    """Why no sandbox works here, in a sentence; None if a test program just ran in one."""
    if enclosure.bubblewrap() is None:
        return "bubblewrap is not installed (apt-get install bubblewrap)."
    calls = enclosure.filter_open()
    try:
        done = subprocess.run(  # noqa: S603 (a fixed command)
            enclosure.command(text=PROBE, filter_fd=calls),
            capture_output=True,
            timeout=PROBE_TIMEOUT_S,
            cwd="/",
            env={},
            pass_fds=() if calls is None else (calls,),
            **enclosure.account(),
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap could not be run: {error}"
    finally:
        if calls is not None:
            os.close(calls)
    if done.returncode or done.stdout != b"[]\n":
        return f"bubblewrap fails on this machine: {done.stderr.decode(errors='replace').strip()[:300]}"
    return None
