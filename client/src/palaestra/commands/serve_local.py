"""``palaestra serve-local``: serve a small model on the CPU as an OpenAI-compatible endpoint."""

from __future__ import annotations

import argparse
import contextlib
import threading
from pathlib import Path
from typing import Any

from palaestra.commands import count
from palaestra.local_model import FOLDER, MODEL, PORT, model_find, server_start


def add(commands: Any) -> None:
    """Add this subcommand and its arguments."""
    parser = commands.add_parser("serve-local", help="serve a small model on the CPU", description=__doc__)
    parser.add_argument("--port", type=count, default=PORT)
    parser.add_argument("--threads", type=count, help="default: one per core, except for one core")
    parser.add_argument(
        "--folder", type=Path, default=FOLDER, help=f"folder of the model's file; default: {FOLDER}"
    )
    parser.set_defaults(command=command, title="The local model")


def command(options: argparse.Namespace) -> int:
    """Serve until interrupted."""
    server = server_start(model_find(options.folder), port=options.port, threads=options.threads)
    print(f"{MODEL} at {server.listening_address}/v1", flush=True)  # type: ignore[attr-defined]
    with contextlib.suppress(KeyboardInterrupt):
        threading.Event().wait()
    return 0
