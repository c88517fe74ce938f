"""The walls around a browser that draws what somebody recorded: bubblewrap, entered as a user who owns
nothing, without network, environment, any file of the host but programs and fonts, or the system calls that
drawing needs nothing of.

The browser keeps its own sandbox within them, where the kernel lets user namespaces be nested.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Literal

from core import browsers
from trajectories.fidelity.limits import BOX_BYTES, FILE_BYTES, PROCESSES, SHARED_BYTES
from verifiers.sandbox import enclosure
from verifiers.sandbox.enclosure import BARE, memory_open
from verifiers.sandbox.seccomp import browser_filter

PICTURE = "/box/picture.png"
PAGE = "/box/page.html"
# The beginning of the page afterwards, where it says how it went, and the picture.
SCRIPT = f'"$@" >{PAGE} || exit 1; head -c 2000 {PAGE}; cat {PICTURE}'

WALLS = (
    *BARE,
    "--ro-bind-try", "/etc/fonts", "/etc/fonts",
    "--ro-bind-try", "/var/cache/fontconfig", "/var/cache/fontconfig",
    "--proc", "/proc",
    "--dev", "/dev",
    "--size", str(SHARED_BYTES), "--tmpfs", "/dev/shm",  # noqa: S108 (a new one)
    "--size", str(BOX_BYTES), "--tmpfs", "/box",
    "--chdir", "/box",
)  # fmt: skip
# As Playwright starts it where colours, letters and bars are concerned: screenshots come from there.
LOOK = ("--hide-scrollbars", "--force-color-profile=srgb", "--mute-audio")
BROWSER = (
    "--headless",
    "--disable-gpu",
    "--no-first-run",
    "--disable-breakpad",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--allow-file-access-from-files",  # a page's fonts are files beside it; there are no others
    "--js-flags=--max-old-space-size=512",
)


MissingReason = Literal["no_sandbox", "no_browser"]


class EnclosureMissing(Exception):
    """No page can be drawn on this machine."""

    def __init__(self, reason: MissingReason, message: str) -> None:
        super().__init__(message)
        self.reason = reason


def command(
    stack: ExitStack, *, files: Mapping[str, bytes], flags: tuple[str, ...], address: str, is_nested: bool
) -> tuple[list[str], list[int]]:
    """The command that draws ``address`` and prints how it went and the picture, and the descriptors that it
    needs. ``files`` are all that the page may read, by absolute path. Raises ``EnclosureMissing``.

    To be started without an environment: walls clear that of the browser, not of bubblewrap's own process.
    """
    bubblewrap = enclosure.bubblewrap()
    if bubblewrap is None:
        raise EnclosureMissing("no_sandbox", "bubblewrap is not installed (apt-get install bubblewrap).")
    browser, bound = browser_program()
    given: list[str] = []
    passed: list[int] = []

    def passed_on(content: bytes) -> str:
        descriptor = memory_open(content)
        stack.callback(os.close, descriptor)
        passed.append(descriptor)
        return str(descriptor)

    for path, content in files.items():
        given += ["--perms", "0444", "--file", passed_on(content), path]
    code = browser_filter()
    seccomp = () if code is None else ("--seccomp", passed_on(code))
    limits = ("prlimit", f"--nproc={PROCESSES}", f"--fsize={FILE_BYTES}", "--core=0")
    own = () if is_nested else ("--no-sandbox",)
    line = (
        "nice", "-n", "10", bubblewrap, *WALLS, *bound, *given, "--remount-ro", "/", *seccomp,
        *limits, "sh", "-c", SCRIPT, "sh", browser, *BROWSER, *LOOK, *own, *flags,
        "--dump-dom", f"--screenshot={PICTURE}", address,
    )  # fmt: skip
    return list(line), passed


def browser_program() -> tuple[str, tuple[str, ...]]:
    """The browser's program, and what has to be bound for it beside ``/usr``."""
    found = browsers.browser_find()
    if found is None:
        raise EnclosureMissing(
            "no_browser", "No Chromium was found (apt-get install chromium-headless-shell)."
        )
    program = found.resolve()
    if program.is_relative_to("/usr"):
        return str(program), ()
    folder = program.parent
    if os.geteuid() == 0 and not _is_public(folder):
        raise EnclosureMissing("no_browser", f"Another user cannot read the Chromium in {folder}.")
    return str(program), ("--ro-bind", str(folder), str(folder))


def _is_public(folder: Path) -> bool:
    return all(path.stat().st_mode & stat.S_IXOTH for path in (folder, *folder.parents))
