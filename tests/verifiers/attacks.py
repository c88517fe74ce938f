"""Judging of programs that attack the sandbox."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest

from verifiers.builtin import code
from verifiers.sandbox import limits, suites
from verifiers.types import Evidence, Gold, Verdict

SECRET = "swordfish-4171"
# A busy machine delays programs, which their own processor clock does not count.
PATIENCE_S = 40.0
WRONG = "def answer(): return 'wrong'\n"
SHORT = limits.Limits(cpu_s=1, own_s=2.0)


@pytest.fixture
def public_folder() -> Iterator[Path]:
    """Yield a folder on the host that every user may read and write."""
    folder = Path("/tmp") / f"palaestra-escape-{os.getpid()}"
    folder.mkdir()
    folder.chmod(0o777)
    yield folder
    shutil.rmtree(folder)


def judge(program: str, test: str = f"assert answer() == {SECRET!r}") -> Verdict:
    """Return the verdict of ``code-v1`` with short limits; the test fails if it takes too long."""
    started = time.monotonic()
    with mock.patch.object(suites, "LIMITS", SHORT):
        verdict = code.code(Gold(test), Evidence(program))
    assert time.monotonic() - started < PATIENCE_S
    return verdict


def assert_caught(program: str, test: str = f"assert answer() == {SECRET!r}") -> None:
    assert not judge(program, test).correct
