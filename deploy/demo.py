"""The program behind `make demo`: real questions, if available, for scripted policies in a browser."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

import httpx

from deploy.programs import TIMEOUT_S, key_of_demos, main_exit, program_run

BASE_DIR = Path(__file__).resolve().parent.parent
FILES = {"gsm8k": "gsm8k/train.jsonl", "math": "math/train.jsonl"}


def main() -> int:
    options = arguments_read(__doc__)
    return played(options, "demo")


def played(options: argparse.Namespace, *command: str) -> int:
    """Load the official files, run a client command that needs golds, and return its exit status."""
    key = key_of_demos(options.server, options.var_dir)
    for benchmark, name in FILES.items():
        if (options.data / name).exists():
            _load(benchmark, options.data / name, options.var_dir)
        else:
            sys.stderr.write(f"{options.data / name} is missing: {benchmark} has only its starter tasks.\n")
    golds = _golds_export(options.server, key, options.var_dir)
    client = [sys.executable, "-m", "palaestra", *command, "--server", options.server, "--golds", str(golds)]
    return program_run(client, environment={**os.environ, "PALAESTRA_KEY": key})


def arguments_read(description: str | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--server", required=True, help="address of the lab")
    parser.add_argument("--var-dir", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True, help="folder of the official files")
    return parser.parse_args()


def _load(benchmark: str, path: Path, var_dir: Path) -> None:
    command = [sys.executable, "manage.py", "load_benchmark", benchmark, "--file", str(path.resolve())]
    environment = {**os.environ, "VAR_DIR": str(var_dir.resolve())}
    subprocess.run(command, cwd=BASE_DIR, env=environment, check=True)  # noqa: S603 - our own program


def _golds_export(server: str, key: str, var_dir: Path) -> Path:
    """Write the golds of all tasks to a file that only its owner can read."""
    target = var_dir / "secrets" / "golds.ndjson"
    url, headers = f"{server}/api/v1/golds/export", {"Authorization": f"Bearer {key}"}
    with (
        httpx.stream("GET", url, headers=headers, timeout=TIMEOUT_S) as answer,
        os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file,
    ):
        answer.raise_for_status()
        for part in answer.iter_bytes():
            file.write(part)
    return target


if __name__ == "__main__":
    main_exit(main)
