"""What a person sees whose command cannot be done: a sentence, not a stack."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from django.conf import settings

pytestmark = pytest.mark.slow

NOWHERE = "postgresql://nobody:none@127.0.0.1:1/none"


def _manage(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=settings.BASE_DIR,
        env={**os.environ, "DATABASE_URL": NOWHERE, **environment},
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("create_key", "--name", "a", "--scopes", "read"), "`make up` starts it"),
        (("rejudge", "--dry-run", "--benchmark", "gsm8"), "Did you mean gsm8k?"),
    ],
)
def test_an_expected_failure_prints_a_message(arguments: tuple[str, ...], message: str) -> None:
    done = _manage(*arguments)

    assert (done.returncode, done.stdout) == (1, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_setting_that_is_not_a_number_is_named() -> None:
    done = _manage("up", LAB_PORT="eighty")

    assert done.returncode == 1
    assert "LAB_PORT" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_traceback_option_prints_the_traceback() -> None:
    done = _manage("rejudge", "--dry-run", "--benchmark", "gsm8", "--traceback")

    assert "Traceback" in done.stderr
