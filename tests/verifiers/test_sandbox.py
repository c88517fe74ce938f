from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from typing import Any

import pytest

from verifiers import sandbox
from verifiers.sandbox import enclosure, seccomp

pytestmark = pytest.mark.slow


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed here")
def test_a_program_runs_in_a_sandbox() -> None:
    assert sandbox.sandbox_problem() is None


def test_a_missing_bubblewrap_is_reported(monkeypatch: Any) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    assert "apt-get install bubblewrap" in str(sandbox.sandbox_problem())


def test_a_failing_bubblewrap_is_reported(monkeypatch: Any, tmp_path: Any) -> None:
    failing = tmp_path / "bwrap"
    failing.write_text("#!/bin/sh\necho 'no permissions to create a new namespace' >&2\nexit 1\n")
    failing.chmod(0o755)
    for folder in (tmp_path, *tmp_path.parents[:-1]):
        folder.chmod(0o755)
    monkeypatch.setattr(shutil, "which", lambda _name: str(failing))
    assert "no permissions" in str(sandbox.sandbox_problem())


def test_a_hanging_bubblewrap_is_reported(monkeypatch: Any) -> None:
    def hang(*_args: Any, **_kwargs: Any) -> None:
        raise subprocess.TimeoutExpired("bwrap", 10)

    monkeypatch.setattr(shutil, "which", lambda _name: "/usr/bin/bwrap")
    monkeypatch.setattr(subprocess, "run", hang)
    assert "could not be run" in str(sandbox.sandbox_problem())


def test_under_root_programs_get_an_unprivileged_user() -> None:
    taken = {entry.pw_uid for entry in pwd.getpwall()}
    assert enclosure.SANDBOX_UID not in taken
    assert enclosure.account().get("user") == (enclosure.SANDBOX_UID if os.geteuid() == 0 else None)


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed here")
@pytest.mark.skipif(seccomp.seccomp_filter() is None, reason="no filter for this machine's system calls")
@pytest.mark.parametrize(
    ("body", "is_allowed"),
    [
        ("threading.Thread(target=print).start()", True),
        ("os.fork()", False),
        ("os.posix_spawn('/usr/bin/true', ['true'], {})", False),
        ("socket.socket(socket.AF_UNIX)", False),
        ("socket.socketpair()", False),
    ],
)
def test_the_filter_allows_threads_and_refuses_processes_and_sockets(body: str, is_allowed: bool) -> None:
    program = f"import os, socket, threading\ndef f():\n    {body}\n    return 1\n"
    report = sandbox.suite_run(program, sandbox.Suite(names=["f"], asserts=["assert f() == 1"]))
    assert report.is_pass is is_allowed
    assert is_allowed or "PermissionError" in report.detail
