"""Exports of training data: request, wait for, and download them with their checksums verified."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import os
import re
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from palaestra.errors import PalaestraError
from palaestra.http.paths import DIGEST, V1, blob_path, build_path
from palaestra.http.transport import Transport
from palaestra.records import Page

PATH = f"{V1}/exports"
POLL_S = 1.0
CHUNK_BYTES = 1024**2
DONE = "done"
ENDED = (DONE, "failed", "cancelled")
IMAGE_LISTS = "images_"
_PLAIN_NAME = re.compile(r"[a-z0-9_]+\.[a-z]+")


class ExportFailed(PalaestraError):
    """An export failed or was cancelled, or one of its files does not match its checksum."""


class ExportFile(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    sha256: str
    bytes: int
    rows: int = 0


class Export(msgspec.Struct, frozen=True, kw_only=True):
    """An export, of which ``done`` of ``total`` units are written.

    ``state`` is ``waiting``, ``running``, ``done``, ``failed`` or ``cancelled``. ``left_out`` counts the
    units without a row, by reason.
    """

    id: int
    kind: str
    state: str
    done: int = 0
    total: int = 0
    problem: str = ""
    rows: int | None = None
    left_out: dict[str, int] = {}
    files: list[ExportFile] = []


class Exports:
    """API calls about exports, available as ``Client.exports``."""

    def __init__(self, lab: Transport) -> None:
        self._lab = lab

    async def create(self, kind: str, **fields: Any) -> Export:
        """Request an export; ``fields`` are those of ``POST /api/v1/exports``: runs, splits, format..."""
        return await self._lab.call("POST", PATH, answer=Export, body={"kind": kind, **fields})

    async def get(self, export: int) -> Export:
        return await self._lab.call("GET", PATH + build_path("/{}", export), answer=Export)

    async def page(self, *, cursor: str | int | None = None) -> Page[Export]:
        """Return one page of exports, newest first."""
        return await self._lab.call("GET", PATH, answer=Page[Export], params={"cursor": cursor})

    async def cancel(self, export: int) -> Export:
        return await self._lab.call("POST", PATH + build_path("/{}/cancel", export), answer=Export, body={})

    async def again(self, export: int) -> Export:
        """Run an ended export again."""
        return await self._lab.call("POST", PATH + build_path("/{}/again", export), answer=Export, body={})

    async def wait(self, export: int, *, timeout_s: float | None = None, poll_s: float = POLL_S) -> Export:
        """Wait for an export and return it. Raises ``ExportFailed`` if it fails or is not done in time."""
        until = None if timeout_s is None else time.monotonic() + timeout_s
        while True:
            current = await self.get(export)
            if current.state == DONE:
                return current
            if current.state in ENDED:
                raise ExportFailed(f"Export {export} {current.state}: {current.problem or 'no reason given'}")
            if until is not None and time.monotonic() > until:
                raise ExportFailed(
                    f"Export {export} is not done after {timeout_s} s: {current.done} of {current.total}."
                )
            await asyncio.sleep(poll_s)

    async def download(self, export: int, folder: str | Path, *, images: bool = True) -> list[Path]:
        """Download all files of an export into ``folder``, with the pictures that rows name (``images/...``).

        Files that already exist with the right checksum are not fetched again. Raises ``ExportFailed`` for a
        wrong checksum or an unsafe name.
        """
        home = Path(folder)
        done = await self.get(export)
        paths = []
        for file in done.files:
            if not _PLAIN_NAME.fullmatch(file.name):
                raise ExportFailed(f"Export {export} names a file {file.name!r}.")
            address = PATH + build_path("/{}/files/{}", export, file.name)
            paths.append(await self._fetch(address, home / file.name, file.sha256))
        lists = [path for path in paths if path.name.startswith(IMAGE_LISTS)]
        for sha256 in _read_digests(lists) if images else ():
            target = home / "images" / f"{sha256}.png"
            paths.append(await self._fetch(blob_path(sha256), target, sha256))
        return paths

    async def _fetch(self, address: str, target: Path, sha256: str) -> Path:
        if target.exists() and _hash_file(target) == sha256:
            return target
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_name(f"{target.name}.part")
        digest = await _write(self._lab.parts(address), part)
        if digest != sha256:
            part.unlink()
            raise ExportFailed(f"{target.name} has the SHA-256 {digest}, not {sha256}: download it again.")
        os.replace(part, target)
        return target


def prompt_sha256(row: dict[str, Any], place: int, folder: str | Path = ".") -> str:
    """Return the hash of prompt number ``place`` in a ``chat`` row, with its pictures from ``folder``.

    For an ``exact`` prompt, it equals the row's ``prompt_sha256``: the prompt is what the model was sent,
    byte for byte.
    """
    messages = row["messages"][: row["prompts"][place]["messages"]]
    text = msgspec.json.encode(messages).decode()
    for name in row.get("images") or ():
        content = base64.b64encode((Path(folder) / name).read_bytes()).decode("ascii")
        text = text.replace(name, f"data:image/png;base64,{content}")
    return hashlib.sha256(text.encode()).hexdigest()


def _read_digests(lists: Sequence[Path]) -> list[str]:
    hashes: dict[str, None] = {}
    for path in lists:
        with path.open("rb") as lines:
            for line in lines:
                sha256 = str(json.loads(line)["sha256"])
                if not DIGEST.fullmatch(sha256):
                    raise ExportFailed(f"{path.name} names a picture {sha256[:80]!r}.")
                hashes[sha256] = None
    return list(hashes)


async def _write(parts: AsyncIterator[bytes], target: Path) -> str:
    digest = hashlib.sha256()
    with target.open("wb") as file:
        async for part in parts:
            digest.update(part)
            file.write(part)
    return digest.hexdigest()


def _hash_file(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while part := file.read(CHUNK_BYTES):
            digest.update(part)
    return digest.hexdigest()
