"""An evaluation run through verifiers, with the model at OPENAI_BASE_URL or else the stand-in."""

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from stand_in import PLAIN, endpoint

from palaestra import Client

server, key = os.environ["PALAESTRA_SERVER"], os.environ["PALAESTRA_KEY"]


async def main() -> None:
    async with Client(server, key) as client:
        run = await client.run_create(name="verifiers", kind="eval", observation="axtree-v2")
        with contextlib.ExitStack() as stack:
            address = os.environ.get("OPENAI_BASE_URL") or stack.enter_context(endpoint())
            play(run.id, address)
        for episode in (await client.episodes_page(run=run.id)).results:
            print(
                f"group {episode.group}:",
                episode.verdict.outcome,
                episode.verdict.reward,
                episode.verdict.reason,
            )


def play(run: int, address: str) -> None:
    taskset = {"id": "palaestra_vf", "server": server, "benchmark": "gsm8k", "limit": 1}
    config = {
        "model": "m",
        "client": {"base_url": address, "api_key_var": "PALAESTRA_KEY"},
        "env": {"taskset": taskset, "run": run, "settings": {"presentation": PLAIN}},
    }
    tools = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}  # finds uv next to vf-eval
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "eval.json"
        path.write_text(json.dumps(config))
        command = [tools / "vf-eval", "@", path, "-r", "2", "--no-push", "--no-rich"]
        done = subprocess.run(
            [*command, "--output-dir", folder], env=environment, cwd=folder, capture_output=True, text=True
        )
        lines = (done.stdout + done.stderr).splitlines()
        print("\n".join(line[line.index("task=") :] for line in lines if "rollout done" in line))


asyncio.run(main())
