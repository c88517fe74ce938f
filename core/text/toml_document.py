"""TOML documents from users, parsed in a child process with its own limits on memory and time.

Python's parser needs memory and time quadratic in a dotted key: 256 KB of ``a.a.a.a = 1`` take gigabytes.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

CHILD = Path(__file__).with_name("toml_child.py")
MEMORY_BYTES = 192 * 1024 * 1024
CPU_S = 2
TIMEOUT_S = 30.0  # long enough for a busy machine
OUTPUT_FACTOR = 8  # JSON needs more brackets and quotes than TOML
OUTPUT_MIN_BYTES = 64 * 1024
TOO_MUCH = "reading it takes more memory or time than its size allows: shorten its keys, or nest it less"


class TomlRefused(Exception):
    """Refusal of a document that cannot be read. Its message gives the reason, as the end of a sentence."""


def toml_as_json(data: bytes) -> bytes:
    """Convert TOML to JSON, with dates as text. Raises ``TomlRefused`` if it is invalid or exceeds limits."""
    command = [sys.executable, "-I", "-S", str(CHILD), str(MEMORY_BYTES), str(CPU_S)]
    try:
        done = subprocess.run(  # noqa: S603 - this interpreter and our own file
            command, input=data, capture_output=True, timeout=TIMEOUT_S, env={}, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise TomlRefused(TOO_MUCH) from error
    state, _, text = done.stdout.partition(b"\n")
    if done.returncode or len(text) > max(OUTPUT_MIN_BYTES, OUTPUT_FACTOR * len(data)):
        raise TomlRefused(TOO_MUCH)
    if state != b"ok":
        raise TomlRefused(text.decode("utf-8", "replace"))
    return text
