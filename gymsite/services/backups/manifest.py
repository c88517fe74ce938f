"""Manifest of a backup's folder. It is written last, so a folder without a manifest holds no backup."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from core.errors import GymError
from core.storage.durable_files import path_flush

NAME = "manifest.json"
FORMAT = 1
FOLDER_MODE = 0o700  # a backup contains golds and password hashes


class Part(msgspec.Struct, kw_only=True, frozen=True):
    """A file that is part of the backup. ``size`` is in bytes."""

    file: str
    bytes: int
    sha256: str


class Stored(msgspec.Struct, kw_only=True, frozen=True):
    """The files of one storage; ``missing`` counts those lost or damaged, although a row names them."""

    count: int
    bytes: int
    missing: int


class Manifest(msgspec.Struct, kw_only=True, frozen=True):
    """Contents of a backup. ``rows`` are counts by table, and ``secrets`` are digests by name.

    ``outside`` lists settings whose secret came from the environment, and so is not in the backup."""

    format: int
    palaestra: str
    postgres: int  # the server's version number, such as 160004
    made_at: str
    database: Part
    rows: dict[str, int]
    files: Part
    storages: dict[str, Stored]
    secrets: dict[str, str]
    outside: list[str]

    @property
    def secrets_folder(self) -> str:
        return f"secrets-{self.made_at}"


def manifest_write(folder: Path, manifest: Manifest) -> None:
    """Replace the manifest atomically. Everything that it names must already be on disk."""
    half = folder / f".{NAME}"
    half.write_bytes(msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n")
    path_flush(half)
    half.replace(folder / NAME)
    path_flush(folder)


def manifest_read(folder: Path) -> Manifest:
    """Read a manifest. Errors: ``no_backup``, ``other_backup_format``."""
    try:
        data = (folder / NAME).read_bytes()
        form = msgspec.json.decode(data)["format"]
        if form != FORMAT:
            message = f"{folder} holds a backup of format {form}, and this version reads format {FORMAT}."
            raise GymError("other_backup_format", message)
        return msgspec.json.decode(data, type=Manifest)
    except FileNotFoundError:
        message = f"{folder} holds no finished backup ({NAME} is missing): make one with `manage.py backup`."
    except (OSError, KeyError, TypeError, msgspec.MsgspecError) as error:
        message = f"{folder / NAME} cannot be read ({error}): restore from another backup."
    raise GymError("no_backup", message)


def describe_part(path: Path) -> Part:
    """Flush a file to disk, and return its description."""
    path_flush(path)
    return Part(file=path.name, bytes=path.stat().st_size, sha256=digest(path))


def part_check(folder: Path, part: Part) -> Path:
    """Return the path of a part. Raises ``GymError`` ``backup_damaged`` if it is missing or damaged."""
    path = folder / part.file
    if not path.is_file() or path.stat().st_size != part.bytes or digest(path) != part.sha256:
        raise damaged_error(path)
    return path


def damaged_error(path: Path) -> GymError:
    """Build the error ``backup_damaged`` for a file."""
    return GymError("backup_damaged", f"{path} is missing or damaged: restore from another backup.")


def digest(path: Path) -> str:
    """Return the file's SHA-256."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
