"""The candidate's side of a run, which loads the program and carries out the checker's requests.

Once the program has run, nothing in this process can be trusted. It only sends data and never learns which
values are right.
Arguments: the channel's file descriptor, seconds of CPU time, bytes of memory.
"""

from __future__ import annotations

import builtins
import json
import operator
import resource
import socket
import sys
import types

from verifiers.sandbox.inside.values import decode, encode

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing it takes half as long as starting Python
    from collections.abc import Callable
    from typing import Any

FILE_BYTES = 16 * 1024 * 1024
OPEN_FILES = 64
THREADS = 64
ERROR_CHARS = 300


def limits_set(cpu_s: int, memory_bytes: int) -> None:
    """Limit this process's CPU time and memory."""
    for name, bound in (
        (resource.RLIMIT_CPU, cpu_s),
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_FSIZE, FILE_BYTES),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_NPROC, THREADS),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(name, (bound, bound))


class Objects:
    """Objects that are not data, by number."""

    def __init__(self) -> None:
        self.objects: list[Any] = []

    def keep(self, value: Any) -> dict[str, Any]:
        for number, known in enumerate(self.objects):
            if known is value:
                return {"object": number}
        self.objects.append(value)
        return {"object": len(self.objects) - 1}

    def find(self, number: int) -> Any:
        return self.objects[number]


def load(source: str) -> types.ModuleType:
    """Run the program as a new module, which is neither ``__main__`` nor an existing one."""
    module = types.ModuleType("candidate")
    sys.modules["candidate"] = module
    exec(compile(source, "<program>", "exec", dont_inherit=True), module.__dict__)  # noqa: S102 (running it is the purpose)
    return module


def printed_flush(output: Any) -> None:
    """Flush what the program printed before an answer is sent, because the run may end with that answer."""
    try:  # noqa: SIM105 (importing contextlib would slow every start)
        output.flush()
    except Exception:  # noqa: BLE001, S110 (a program may close its output: then there is nothing to lose)
        pass


def serve(channel: socket.socket) -> None:
    stream = channel.makefile("rwb")
    output: Any = sys.stdout
    output.reconfigure(line_buffering=True)  # so that lines printed before an endless loop also arrive
    stream.write(b"ready\n")
    stream.flush()
    objects = Objects()
    module: types.ModuleType | None = None
    operations: dict[str, Callable[..., Any]] = {
        "name": lambda name: getattr(module, name),
        "call": lambda function, *arguments, **named: function(*arguments, **named),
        "getattr": builtins.getattr,
        "setattr": builtins.setattr,
        "getitem": operator.getitem,
        "setitem": operator.setitem,
        "len": builtins.len,
        "iter": builtins.iter,
        "next": builtins.next,
    }
    for line in stream:
        request = json.loads(line)
        try:
            if request["do"] == "load":
                module = load(request["program"])
                answer: Any = {"value": None}
            else:
                arguments = decode(request["arguments"], objects.find)
                named = {name: decode(item, objects.find) for name, item in request["named"].items()}
                answer = {"value": encode(operations[request["do"]](*arguments, **named), objects.keep)}
        except BaseException as error:  # noqa: BLE001 (SystemExit too: the program must not end this loop)
            answer = {"error": type(error).__name__, "text": str(error)[:ERROR_CHARS]}
        printed_flush(output)
        stream.write(json.dumps(answer).encode() + b"\n")
        stream.flush()


if __name__ == "__main__":
    descriptor, cpu_s, memory_bytes = map(int, sys.argv[1:])
    limits_set(cpu_s, memory_bytes)
    serve(socket.socket(fileno=descriptor))
