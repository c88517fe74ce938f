"""Hosts of one installation: each is a network namespace with a link to the one of Postgres and Redis.

If the kernel refuses namespaces, a host is only a separate folder with its own ports, and has no link to cut.
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

NETWORK = "10.213.{host}.{end}"
_HOST = re.compile(r"^(g\d+-(\d+))\b", re.MULTILINE)  # a namespace's name contains the pid of its test run


@dataclass(frozen=True)
class Host:
    """A host. ``address`` is its own address, ``servers`` is where it reaches Postgres and Redis."""

    number: int
    name: str
    address: str
    servers: str
    has_line: bool

    def command(self, *words: str) -> list[str]:
        inside = ["ip", "netns", "exec", self.name] if self.has_line else []
        return [*inside, sys.executable, *words]

    def line_cut(self) -> None:
        """Cut the link: nothing passes any more, and nobody is notified."""
        _ip("link", "set", self._near, "down")

    def line_mend(self) -> None:
        _ip("link", "set", self._near, "up")

    @property
    def _near(self) -> str:
        return f"{self.name[:12]}a"


def namespaces_work() -> bool:
    probe = f"gymprobe{os.getpid()}"
    try:
        _ip("netns", "add", probe)
        _ip("netns", "delete", probe)
    except (OSError, subprocess.CalledProcessError):
        return False
    return True


@contextlib.contextmanager
def hosts_made(count: int) -> Iterator[list[Host]]:
    """Make ``count`` hosts and yield them; their links and namespaces are removed afterwards."""
    has_lines = namespaces_work()
    if has_lines:
        _abandoned_remove()
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(_host(number, has_lines)) for number in range(1, count + 1)]


def _abandoned_remove() -> None:
    """Remove hosts of killed runs, because their links have the addresses that new hosts need."""
    listed = subprocess.run(["ip", "netns", "list"], check=True, capture_output=True, text=True).stdout
    for name, pid in _HOST.findall(listed):
        if not Path("/proc", pid).exists():
            _ip("netns", "delete", name)


@contextlib.contextmanager
def _host(number: int, has_line: bool) -> Iterator[Host]:
    if not has_line:
        yield Host(number, f"host-{number}", "127.0.0.1", "127.0.0.1", has_line=False)
        return
    near, far = (NETWORK.format(host=number, end=end) for end in (1, 2))
    name = f"g{number}-{os.getpid()}"
    host = Host(number, name, far, near, has_line=True)
    inner = f"{name[:12]}b"
    _ip("netns", "add", name)
    try:
        _ip("link", "add", host._near, "type", "veth", "peer", "name", inner, "netns", name)
        _ip("address", "add", f"{near}/24", "dev", host._near)
        _ip("link", "set", host._near, "up")
        for words in (("address", "add", f"{far}/24", "dev", inner), ("link", "set", inner, "up")):
            _ip("-n", name, *words)
        _ip("-n", name, "link", "set", "lo", "up")
        yield host
    finally:
        _ip("netns", "delete", name)


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)
