"""The checker's side of a run, which evaluates setup, asserts and comparisons and asks the candidate for
values.

It shares neither memory nor files with the candidate. It reads its job from standard input and writes lines
of JSON with the job's nonce to standard output: when the candidate is ready, after the asserts, and at the
end. A program that exits during the comparisons has therefore still passed its asserts.
"""

from __future__ import annotations

import json
import resource
import socket
import sys

from verifiers.sandbox.inside.values import decode, encode, is_same

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing it takes half as long as starting Python
    from collections.abc import Callable, Iterator
    from typing import Any

REPLY_BYTES = 4 * 1024 * 1024
MEMORY_BYTES = 512 * 1024 * 1024
DETAIL_CHARS = 300
FLOAT_TOLERANCE = 1e-6


class CandidateError(Exception):
    """The program raised an exception, exited, or sent something unreadable."""


class CandidateStop(CandidateError, StopIteration):
    """An iterator in the candidate is exhausted."""


class Remote:
    """A proxy for an object that stays with the candidate and equals only itself.

    The candidate's ``__eq__``, which might always return True, is therefore never called.
    """

    __slots__ = ("_link", "_number")

    def __init__(self, link: Link, number: int) -> None:
        object.__setattr__(self, "_link", link)
        object.__setattr__(self, "_number", number)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self._link.request("call", self, *arguments, **named)

    def __getattr__(self, name: str) -> Any:
        return self._link.request("getattr", self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        self._link.request("setattr", self, name, value)

    def __getitem__(self, key: Any) -> Any:
        return self._link.request("getitem", self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._link.request("setitem", self, key, value)

    def __len__(self) -> int:
        try:
            return int(self._link.request("len", self))
        except CandidateError as error:
            raise TypeError(str(error)) from error  # ``list`` takes this error for "length unknown"

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[Any]:
        iterator = self._link.request("iter", self)
        try:
            while True:
                yield self._link.request("next", iterator)
        except CandidateStop:
            return


class Link:
    """Sends requests to the candidate, one at a time."""

    def __init__(self, channel: socket.socket) -> None:
        self.stream = channel.makefile("rwb")
        self.remotes: dict[int, Remote] = {}

    def is_ready(self) -> bool:
        return self.stream.readline(64) == b"ready\n"

    def request(self, do: str, *arguments: Any, **named: Any) -> Any:
        return self._send(
            do=do,
            arguments=[encode(item, self._number) for item in arguments],
            named={name: encode(item, self._number) for name, item in named.items()},
        )

    def load(self, program: str) -> None:
        self._send(do="load", program=program)

    def _send(self, **request: Any) -> Any:
        try:
            self.stream.write(json.dumps(request).encode() + b"\n")
            self.stream.flush()
            line = self.stream.readline(REPLY_BYTES)
            reply = json.loads(line)
            if "value" in reply:
                return decode(reply["value"], self._remote)
            name, text = str(reply["error"]), str(reply["text"])
        except Exception as error:
            raise CandidateError("the program ended or gave no readable answer") from error
        raise (CandidateStop if name == "StopIteration" else CandidateError)(f"{name}: {text}")

    def _number(self, value: Any) -> dict[str, Any]:
        if type(value) is not Remote:
            raise CandidateError(f"{type(value).__name__} cannot be handed to the program")
        return {"object": value._number}

    def _remote(self, number: int) -> Remote:
        return self.remotes.setdefault(number, Remote(self, number))


def prepare(link: Link, job: dict[str, Any]) -> dict[str, Any]:
    """Collect the names that asserts may use: the program's first, then those that the setup defines."""
    names: dict[str, Any] = {"__name__": "checker"}
    link.load(job["program"])
    for name in job["names"]:
        try:
            names[name] = link.request("name", name)
        except CandidateError:  # each assert that calls a missing function fails
            continue
    exec(compile(job["setup"], "<setup>", "exec"), names)  # noqa: S102 (from the task, not the answer)
    return names


def check(names: dict[str, Any], tests: list[str]) -> list[tuple[bool, str]]:
    """Evaluate each assert and return whether it passed, with the reason if it failed."""

    def holds(test: str) -> bool:
        exec(compile(test, "<test>", "exec"), names)  # noqa: S102 (from the task)
        return True

    return [attempt(holds, test) for test in tests]


def compare(names: dict[str, Any], pairs: list[tuple[str, Any]]) -> list[tuple[bool, str]]:
    """Compare each call's value with the expected one; return whether they are the same, and any error."""

    def has_value(pair: tuple[str, Any]) -> bool:
        call, value = pair
        return is_same(eval(call, names), decode(value, _no_object), FLOAT_TOLERANCE)  # noqa: S307 (of the task)

    return [attempt(has_value, pair) for pair in pairs]


def attempt(claim: Callable[[Any], bool], of: Any) -> tuple[bool, str]:
    try:
        return claim(of), ""
    except Exception as error:  # noqa: BLE001 (any exception is a failure)
        return False, _describe(error)


def _describe(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:DETAIL_CHARS]


def evaluate(names: dict[str, Any], calls: list[str]) -> list[Any]:
    """Encode each call's value in JSON as a list of one, which is empty if it fails or returns no data."""
    values: list[Any] = []
    for call in calls:
        try:
            values.append([encode(eval(call, names), _no_object)])  # noqa: S307 (of the task)
        except Exception:  # noqa: BLE001
            values.append([])
    return values


def _no_object(_value: Any) -> Any:
    raise ValueError("objects cannot be compared")


def run(link: Link, job: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the results of the asserts, then the results of all tests."""
    try:
        names = prepare(link, job)
    except Exception as error:  # noqa: BLE001 (a program that does not load passes nothing)
        nothing, detail = [False] * len(job["asserts"]), _describe(error)
        yield {"passed": nothing, "detail": detail, "details": []}
        yield {"passed": [*nothing, *[False] * len(job["pairs"])], "detail": detail, "values": []}
        return
    results = check(names, job["asserts"])
    details = [detail for _, detail in results]
    detail = next(filter(None, details), "")
    yield {"passed": [passed for passed, _ in results], "detail": detail, "details": details}
    results += compare(names, job["pairs"])
    detail = detail or next((detail for _, detail in results if detail), "")
    values = evaluate(names, job["calls"])
    yield {"passed": [passed for passed, _ in results], "detail": detail, "values": values}


def report_write(report: dict[str, Any]) -> None:
    sys.__stdout__.write(json.dumps(report) + "\n")  # type: ignore[union-attr]
    sys.__stdout__.flush()  # type: ignore[union-attr]


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    job = json.load(sys.stdin)
    link = Link(socket.socket(fileno=int(sys.argv[1])))
    if link.is_ready():
        report_write({"nonce": job["nonce"], "is_started": True})
        for report in run(link, job):
            report_write({"nonce": job["nonce"], **report})


if __name__ == "__main__":
    main()
