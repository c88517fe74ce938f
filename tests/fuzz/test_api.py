"""Every call to the API, with requests made from its own schema, valid and not.

Held for each answer: no server error, a documented status and type, a body as its schema says, invalid
requests refused and valid ones accepted, methods that do not exist refused, and no call without a key.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.services.canaries import manage
from tests.services.installations import Up
from tests.services.kills import installed

pytestmark = pytest.mark.fuzz

FOLDER = Path(__file__).parent
SEED = os.environ.get("FUZZ_SEED", "20261123")
EXAMPLES = os.environ.get("FUZZ_EXAMPLES", "15")  # for each call, beside those that cover its schema
ROOM = {"ACTIVE_EPISODES_MAX": "1000000"}
SCOPES = "read,trainer,golds"


def test_answers_are_as_the_schema_says_whatever_is_sent(tmp_path: Path) -> None:
    with installed(Up(tmp_path / "var", extra=ROOM)) as installation:
        key = manage(installation.up, "create_key", "--name", "fuzz", "--scopes", SCOPES)
        schema = f"http://127.0.0.1:{installation.up.ports['LAB_PORT']}/api/v1/schema"
        command = [
            *(sys.executable, "-m", "schemathesis.cli", "--config-file", str(FOLDER / "schemathesis.toml")),
            *("run", schema, "--header", f"Authorization: Bearer {key}"),
            *("--checks", "all", "--continue-on-failure", "--phases", "coverage,fuzzing,stateful"),
            *("--seed", SEED, "--max-examples", EXAMPLES, "--generation-database", "none", "--no-shrink"),
            *("--suppress-health-check", "all", "--no-color"),
        ]
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env={
                **os.environ,
                "SCHEMATHESIS_HOOKS": "tests.fuzz.hooks",
                "PYTHONPATH": str(FOLDER.parents[1]),
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        logs = "".join(path.read_text() for path in (installation.up.var_dir / "logs").glob("*.log"))
    print(done.stdout)
    assert done.returncode == 0
    assert "Traceback" not in logs
