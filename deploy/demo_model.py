"""The program behind `make demo-model`: a small language model answers questions as text and as pages."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

import httpx

from deploy.programs import key_of_demos, main_exit, program_run

PORT = 18080
BASE_URL = f"http://127.0.0.1:{PORT}/v1"
START_S = 600.0  # the first start downloads the model
NOTE = (
    "A language model of 135 million parameters, which runs on the CPU of this machine. It is weak: its "
    "mistakes are real, and its scores say nothing about other models."
)
# Numbers of tasks and samples for each benchmark and arm: 24 episodes in all. Starter tasks need no download.
TASKS, SAMPLES = 3, 2
PLAYED = [(benchmark, arm) for benchmark in ("gsm8k", "arc") for arm in ("text_zero_shot", "gym")]
# The format is enforced, because otherwise the model hardly ever writes a valid action. The token limit is
# low, because small models repeat themselves. Prompts contain the whole history, and there are no more
# concurrent episodes than the server has slots, so that it finds most of each prompt in its cache.
SETTINGS = (
    "--grammar",
    "structured",
    "--temperature",
    "0.7",
    "--max-tokens",
    "200",
    "--concurrency",
    "2",
    "--pages",
    "2",
    "--with-pictures",
)


def main() -> int:
    options = _arguments()
    key = key_of_demos(options.server, options.var_dir)
    client = [sys.executable, "-m", "palaestra"]
    with subprocess.Popen([*client, "serve-local", "--port", str(PORT)]) as model:  # noqa: S603
        try:
            _wait(model)
            environment = {**os.environ, "PALAESTRA_KEY": key}
            command = [*client, "run", "--server", options.server, *_model(), *SETTINGS]
            for benchmark, arm in PLAYED:
                run = [*command, "--benchmark", benchmark, "--arm", arm, "--limit", str(TASKS)]
                if status := program_run(run, environment=environment):
                    return status
        finally:
            model.terminate()
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", required=True, help="address of the lab")
    parser.add_argument("--var-dir", type=Path, required=True)
    return parser.parse_args()


def _model() -> list[str]:
    return [
        "--base-url",
        BASE_URL,
        "--model",
        "SmolLM2-135M-Instruct",
        "--model-note",
        NOTE,
        "--tag",
        "demo",
        "--samples",
        str(SAMPLES),
    ]


def _wait(model: subprocess.Popen[bytes]) -> None:
    """Wait until the model answers; exit if its server does not start."""
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        if model.poll() is not None:
            sys.exit("The local model did not start; see above.")
        try:
            if httpx.get(f"{BASE_URL}/models", timeout=5).is_success:
                return
        except httpx.HTTPError:
            time.sleep(0.5)
    sys.exit(f"The local model did not start within {START_S:.0f} s.")


if __name__ == "__main__":
    main_exit(main)
