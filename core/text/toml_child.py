"""Script of a child process that reads TOML from standard input and writes it to standard output as JSON.

It imports nothing from this project. The first line of its output is ``ok``, or ``error`` if the reason
follows.
"""

from __future__ import annotations

import json
import resource
import sys
import tomllib


def main() -> None:
    memory, cpu_s = (int(text) for text in sys.argv[1:])
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        content = tomllib.loads(sys.stdin.buffer.read().decode("utf-8-sig"))
        # No document has dates or times. Converted to text, they are rejected by the field they appear in.
        text = "ok\n" + json.dumps(content, default=str)
    except (ValueError, RecursionError) as error:
        text = f"error\n{error}"
    sys.stdout.buffer.write(text.encode("utf-8", "replace"))


if __name__ == "__main__":
    main()
