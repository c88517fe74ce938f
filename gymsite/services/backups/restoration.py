"""Restoration of a backup into an empty installation, or in place of an existing one."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import psycopg
from django.core.files.storage import storages
from django.db import connection
from tqdm import tqdm

from core.errors import GymError
from core.storage import blobs
from gymsite.services import postgres, preflight, preparation, secrets
from gymsite.services.backups import dump, files, manifest
from gymsite.services.backups.database import database_running, postgres_started
from gymsite.services.backups.files import Copying
from gymsite.services.backups.manifest import Manifest

Say = Callable[[str], None]


def backup_restore(
    folder: Path, *, var_dir: Path, database_url: str, is_replacing: bool, say: Say
) -> Manifest:
    """Restore secrets, database and files.

    If ``is_replacing``, existing data is moved aside (in VAR_DIR) or dropped (database of ``database_url``);
    otherwise there must be none.

    Errors: ``no_backup``, ``backup_damaged``, ``not_empty``, ``already_running``, ``load_failed``, and those
    of the database.
    """
    read = manifest.manifest_read(folder)
    say("Checking the backup ...")
    _backup_check(folder, read)
    preflight.folders_make(var_dir)
    with preflight.lock_var_dir(var_dir):
        _target_check(var_dir, database_url=database_url, is_replacing=is_replacing)
        mark = var_dir / preflight.RESTORING
        mark.touch()
        _aside(var_dir)
        _secrets_restore(folder, read, var_dir=var_dir)
        with ExitStack() as stack:
            url = stack.enter_context(
                database_running(var_dir, database_url=database_url)
                if database_url
                else postgres_started(var_dir)
            )
            say("Restoring the database ...")
            _database_restore(folder, read, url=url, var_dir=var_dir)
        damaged = _files_restore(folder, read, say=say)
        mark.unlink()
    if damaged:
        message = f"Everything is restored except {damaged:,} files, which are damaged in the backup."
        raise GymError("backup_damaged", message)
    return read


def _backup_check(folder: Path, read: Manifest) -> None:
    """Check that all parts are whole and all files have their size; their bytes are checked when copied."""
    manifest.part_check(folder, read.database)
    for name, digest in read.secrets.items():
        path = folder / read.secrets_folder / name
        if not path.is_file() or manifest.digest(path) != digest:
            raise manifest.damaged_error(path)
    with manifest.part_check(folder, read.files).open() as lines:
        for file in files.files_read(lines):
            if blobs.stored_size(files.open_copies(folder, file.storage), file.sha256) != file.size:
                raise manifest.damaged_error(folder / file.storage / file.sha256)


def _target_check(var_dir: Path, *, database_url: str, is_replacing: bool) -> None:
    if is_replacing:
        return
    full = [path for path in _own_parts(var_dir) if path.exists()]
    if full:
        message = (
            f"{full[0]} exists, so {var_dir} is not empty: set VAR_DIR to a new folder, "
            "or give --replace, which moves it aside."
        )
        raise GymError("not_empty", message)
    if database_url:
        with database_running(var_dir, database_url=database_url) as url, psycopg.connect(url) as owner:
            if dump.row_counts(owner):
                message = (
                    "The database of DATABASE_URL has tables: choose an empty one, "
                    "or give --replace, which drops them."
                )
                raise GymError("not_empty", message)


def _own_parts(var_dir: Path) -> list[Path]:
    return [postgres.data_folder(var_dir), secrets.folder(var_dir), var_dir / "redis"]


def _aside(var_dir: Path) -> None:
    """Move existing data aside, including that of Redis, whose hints are of no use to other data."""
    aside = var_dir / f"replaced-{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    for path in _own_parts(var_dir):
        if path.exists():
            aside.mkdir(mode=manifest.FOLDER_MODE, exist_ok=True)
            path.rename(aside / path.name)


def _secrets_restore(folder: Path, read: Manifest, *, var_dir: Path) -> None:
    secrets.folder(var_dir).mkdir(mode=0o700)
    for name in read.secrets:
        value = (folder / read.secrets_folder / name).read_text()
        secrets.file_write(secrets.folder(var_dir) / name, value)
    secrets.ensure_all(var_dir)  # a newer version may have more tables


def _database_restore(folder: Path, read: Manifest, *, url: str, var_dir: Path) -> None:
    with psycopg.connect(url, autocommit=True) as owner:
        dump.database_empty(owner)
        dump.database_load(url, source=folder / read.database.file)
        loaded = dump.row_counts(owner)
    wrong = sorted(table for table, count in read.rows.items() if loaded.get(table) != count)
    if wrong:
        message = f"Not all rows of {', '.join(wrong)} could be restored: the backup is damaged."
        raise GymError("load_failed", message)
    preparation.database_use(url)
    preparation.migrations_apply()
    preparation.roles_apply(connection, var_dir=var_dir)
    connection.close()


def _files_restore(folder: Path, read: Manifest, *, say: Say) -> int:
    """Copy files and check their bytes; leave damaged ones out, and return their number."""
    damaged = 0
    for name in read.storages:
        say(f"Copying {name} ...")
        copying = Copying(name=name, source=files.open_copies(folder, name), target=storages[name])
        with (folder / read.files.file).open() as lines:
            hashes = (file.sha256 for file in files.files_read(lines) if file.storage == name)
            count = read.storages[name].count
            bar = tqdm(copying.copy_all(hashes), desc=name, total=count, unit=" files", disable=None)
            damaged += sum(file.size is None for file in bar)
    return damaged
