"""Creation of a backup, even while the installation is running.

The parts fit together for these reasons. The dump is a single snapshot, files never change, and none is
deleted while the lock of ``core/storage/file_lock.py`` is held. An upload is answered only once its file is
durable and its row committed, so a copy made after the snapshot includes the files of all answered uploads.
Some rows are committed just before their file is stored, so files missing at first are tried again at the
end.
"""

from __future__ import annotations

import heapq
import itertools
import shutil
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from django.conf import settings
from django.core.files.storage import storages
from tqdm import tqdm

import core
from core.storage import blobs, file_lock
from core.storage.durable_files import path_flush
from gymsite.services import preflight, preparation, secrets
from gymsite.services.backups import dump, files, manifest
from gymsite.services.backups.database import database_running
from gymsite.services.backups.files import Copying
from gymsite.services.backups.manifest import Manifest, Stored
from trajectories.record.blobs import damage

Say = Callable[[str], None]
UNDER_WAY = "Process {holder} is making a backup in {folder}: wait for it, or choose another folder."

# Sorted in byte order, which is also the order of listed files.
NAMED = {
    blobs.BLOBS: 'COPY (SELECT sha256 FROM trajectories_blob ORDER BY sha256 COLLATE "C") TO STDOUT',
    blobs.RECORDINGS: 'COPY (SELECT DISTINCT sha256 COLLATE "C" FROM trajectories_recordingchunk ORDER BY 1)'
    " TO STDOUT",
    blobs.PRIVATE: f"COPY (SELECT n.sha256 FROM ({damage.NAMES.text}) AS n ORDER BY 1) TO STDOUT",  # noqa: S608
}


def backup_make(folder: Path, *, var_dir: Path, database_url: str, say: Say) -> Manifest:
    """Back up the installation into ``folder``.

    File copies of an earlier backup there are reused, and that backup stays valid until this one is complete.
    Errors: ``backup_under_way``, ``dump_failed``, and those of ``database_running``.
    """
    folder.mkdir(mode=manifest.FOLDER_MODE, parents=True, exist_ok=True)
    with ExitStack() as stack:
        stack.enter_context(preflight.lock_folder(folder, code="backup_under_way", message=UNDER_WAY))
        url = stack.enter_context(database_running(var_dir, database_url=database_url))
        preparation.database_use(url)
        stack.enter_context(file_lock.hold_files())
        backup = _parts_make(folder, url=url, var_dir=var_dir, say=say)
        manifest.manifest_write(folder, backup)
        _leftovers_delete(folder, backup)
    return backup


def _parts_make(folder: Path, *, url: str, var_dir: Path, say: Say) -> Manifest:
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    database, listing = folder / f"database-{stamp}.dump", folder / f"files-{stamp}.tsv"
    named = {name: folder / f"named-{stamp}-{name}" for name in NAMED}
    say("Dumping the database ...")
    with dump.snapshot(url) as (connection, snapshot):
        dump.database_dump(url, target=database, snapshot=snapshot)
        rows = dump.row_counts(connection)
        for name, query in NAMED.items():
            dump.rows_write(connection, query, target=named[name])
        version = connection.info.server_version
    with listing.open("w") as lines:
        stored = {name: _storage_copy(folder, name, named[name], lines, say=say) for name in blobs.STORAGES}
    return Manifest(
        format=manifest.FORMAT,
        palaestra=core.__version__,
        postgres=version,
        made_at=stamp,
        database=manifest.describe_part(database),
        rows=rows,
        files=manifest.describe_part(listing),
        storages=stored,
        secrets=_secrets_copy(var_dir, folder / f"secrets-{stamp}"),
        outside=_secrets_outside(var_dir),
    )


def _storage_copy(folder: Path, name: str, named: Path, lines: TextIO, *, say: Say) -> Stored:
    """Copy all files that rows name, and the other stored files: task and replay pictures have no rows."""
    say(f"Copying {name} ...")
    copying = Copying(name=name, source=storages[name], target=files.open_copies(folder, name))
    count = size = 0
    absent: list[str] = []
    missing: list[str] = []
    with named.open() as rows, tqdm(desc=name, unit=" files", unit_scale=True, disable=None) as bar:
        in_order = heapq.merge((row.strip() for row in rows), blobs.stored_blobs(storages[name]))
        hashes = (sha256 for sha256, _ in itertools.groupby(in_order))
        for looked, again in ((copying.copy_all(hashes), absent), (copying.copy_all(absent), missing)):
            for file in looked:
                if file.size is None:
                    again.append(file.sha256)
                    continue
                lines.write(file.line())
                count, size = count + 1, size + file.size
                bar.update()
    return Stored(count=count, bytes=size, missing=len(missing))


def _secrets_copy(var_dir: Path, target: Path) -> dict[str, str]:
    """Copy every secret to a file that only its owner can read, and return the digests."""
    target.mkdir(mode=manifest.FOLDER_MODE)
    digests = {}
    for path in sorted(secrets.folder(var_dir).glob("*")):
        if secrets.NAME.fullmatch(path.name):
            secrets.file_write(target / path.name, path.read_text())
            digests[path.name] = manifest.digest(target / path.name)
    path_flush(target)
    return digests


def _secrets_outside(var_dir: Path) -> list[str]:
    """List the settings whose secret comes from the environment and is therefore not in a file."""
    in_use: Mapping[str, tuple[str, str]] = {
        "GYM_SECRET_KEY": ("secret_key", settings.SECRET_KEY),
        "GYM_TOKEN_KEY": ("token_key", settings.TOKEN_KEY.hex()),
        "GYM_WORLD_SALT": ("world_salt", settings.WORLD_SALT.hex()),
    }
    return [
        setting
        for setting, (name, value) in in_use.items()
        if secrets.read_or_ephemeral(var_dir, name) != value
    ]


def _leftovers_delete(folder: Path, manifest: Manifest) -> None:
    """Delete the parts of earlier backups, finished or killed, but keep their copies of files."""
    current = {manifest.database.file, manifest.files.file, manifest.secrets_folder}
    for pattern in ("database-*", "files-*", "secrets-*", "named-*"):
        for path in folder.glob(pattern):
            if path.name in current:
                continue
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()
