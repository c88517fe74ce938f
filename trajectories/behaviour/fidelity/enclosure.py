"""The sandbox around a browser that renders untrusted recordings.

It is bubblewrap, run as a user who owns nothing. It has no network, no environment variables and no files of
the host except programs and fonts, and system calls that rendering does not need are refused. If the kernel
allows nested user namespaces, the browser keeps its own sandbox inside.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Literal

from core.web import browsers
from verifiers.sandbox import enclosure
from verifiers.sandbox.enclosure import BARE, memory_open
from verifiers.sandbox.seccomp import browser_filter

WALL_S = 12.0  # seconds for one picture, from the browser's start
VIRTUAL_MS = 12_000  # on the page's virtual clock, which skips ahead while the page is idle
# The memory limit for all processes of the sandbox together, measured every ``WATCH_S`` seconds. Limiting the
# address space would not work, because Chromium reserves too much of it.
MEMORY_BYTES = 1024 * 1024 * 1024
WATCH_S = 0.1
PROCESSES = 250  # processes and threads together
BOX_BYTES = 96 * 1024 * 1024  # the browser's home, the only place where it can write files
SHARED_BYTES = 256 * 1024 * 1024
FILE_BYTES = 64 * 1024 * 1024
OUTPUT_BYTES = 48 * 1024 * 1024  # the most that is read of the sandbox's output
FILES = 400
FILES_BYTES = 96 * 1024 * 1024  # all files of a page together
SIDE = 4_096  # the most pixels on the longer side of a picture


PICTURE = "/box/picture.png"
PAGE = "/box/page.html"
# Prints the beginning of the rendered page, which shows whether the page was ready, and then the picture.
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
# The flags with which Playwright starts its browser, since most screenshots come from it.
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
    "--allow-file-access-from-files",  # a page's fonts are local files, and it can see no others
    "--js-flags=--max-old-space-size=512",
)


MissingReason = Literal["no_sandbox", "no_browser"]


class EnclosureMissing(Exception):
    """Raised when no page can be rendered on this machine, because the sandbox or the browser is missing."""

    def __init__(self, reason: MissingReason, message: str) -> None:
        super().__init__(message)
        self.reason = reason


def command(
    stack: ExitStack, *, files: Mapping[str, bytes], flags: tuple[str, ...], address: str, is_nested: bool
) -> tuple[list[str], list[int]]:
    """Return the command that renders ``address``, and the file descriptors that it needs.

    The command prints the page's state and its picture. ``files`` has every file that the page may read, by
    absolute path. Raises ``EnclosureMissing``. Start the command without environment variables: bubblewrap
    clears them for the browser, but not for itself.
    """
    bubblewrap = enclosure.bubblewrap()
    if bubblewrap is None:
        raise EnclosureMissing("no_sandbox", "bubblewrap is not installed (apt-get install bubblewrap).")
    browser, bound = browser_program()
    file_options: list[str] = []
    passed: list[int] = []

    def may_pass(content: bytes) -> str:
        descriptor = memory_open(content)
        stack.callback(os.close, descriptor)
        passed.append(descriptor)
        return str(descriptor)

    for path, content in files.items():
        file_options += ["--perms", "0444", "--file", may_pass(content), path]
    code = browser_filter()
    seccomp = () if code is None else ("--seccomp", may_pass(code))
    limits = ("prlimit", f"--nproc={PROCESSES}", f"--fsize={FILE_BYTES}", "--core=0")
    own = () if is_nested else ("--no-sandbox",)
    line = (
        "nice", "-n", "10", bubblewrap, *WALLS, *bound, *file_options, "--remount-ro", "/", *seccomp,
        *limits, "sh", "-c", SCRIPT, "sh", browser, *BROWSER, *LOOK, *own, *flags,
        "--dump-dom", f"--screenshot={PICTURE}", address,
    )  # fmt: skip
    return list(line), passed


def browser_program() -> tuple[str, tuple[str, ...]]:
    """Return the path of the browser, and the options that bind its folder if it is outside ``/usr``.

    Raises ``EnclosureMissing`` if there is no browser that the sandbox's user can read.
    """
    path = browsers.browser_find()
    if path is None:
        raise EnclosureMissing(
            "no_browser", "No Chromium was found (apt-get install chromium-headless-shell)."
        )
    program = path.resolve()
    if program.is_relative_to("/usr"):
        return str(program), ()
    folder = program.parent
    if os.geteuid() == 0 and not _is_public(folder):
        raise EnclosureMissing("no_browser", f"Another user cannot read the Chromium in {folder}.")
    return str(program), ("--ro-bind", str(folder), str(folder))


def _is_public(folder: Path) -> bool:
    return all(path.stat().st_mode & stat.S_IXOTH for path in (folder, *folder.parents))
