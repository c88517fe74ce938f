from __future__ import annotations

import shutil
import subprocess
from typing import Any

import pytest

from verifiers import sandbox


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed here")
def test_a_program_runs_in_a_sandbox_here() -> None:
    assert sandbox.sandbox_problem() is None


def test_a_missing_bubblewrap_is_said(monkeypatch: Any) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    assert "apt-get install bubblewrap" in str(sandbox.sandbox_problem())


def test_a_bubblewrap_that_fails_is_said(monkeypatch: Any, tmp_path: Any) -> None:
    failing = tmp_path / "bwrap"
    failing.write_text("#!/bin/sh\necho 'no permissions to create a new namespace' >&2\nexit 1\n")
    failing.chmod(0o755)
    for folder in (tmp_path, *tmp_path.parents[:-1]):
        folder.chmod(0o755)
    monkeypatch.setattr(shutil, "which", lambda _name: str(failing))
    assert "no permissions" in str(sandbox.sandbox_problem())


def test_a_bubblewrap_that_hangs_is_said(monkeypatch: Any) -> None:
    def hang(*_args: Any, **_kwargs: Any) -> None:
        raise subprocess.TimeoutExpired("bwrap", 10)

    monkeypatch.setattr(shutil, "which", lambda _name: "/usr/bin/bwrap")
    monkeypatch.setattr(subprocess, "run", hang)
    assert "could not be run" in str(sandbox.sandbox_problem())
