"""Child-process script: reads TOML from its input and writes the same as JSON to its output.

It imports nothing of this project. Its first line of output is ``ok``, or ``error`` before what is wrong.
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
        # No format here has dates or times: as text they are rejected where they appear.
        text = "ok\n" + json.dumps(content, default=str)
    except (ValueError, RecursionError) as error:
        text = f"error\n{error}"
    sys.stdout.buffer.write(text.encode("utf-8", "replace"))


if __name__ == "__main__":
    main()
