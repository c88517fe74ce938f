"""Writes the labels of a project into one archive, which is stored as a private file."""

from __future__ import annotations

import hashlib
import tempfile
import zipfile
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import IO, Any

import msgspec

from core import blobs, file_lock
from core.errors import GymError
from core.snapshots import read_one_snapshot
from trajectories.annotation.codebook.types import codebook_of
from trajectories.annotation.exports import manifest
from trajectories.annotation.exports.manifest import FileEntry
from trajectories.annotation.exports.rows import annotator_names, csv_head, csv_line, json_line, label_rows
from trajectories.annotation.pairs.exports import preferences_jsonl
from trajectories.models import AnnotationJob, AnnotationProject, Label
from trajectories.record.due_work import Progress

ARCHIVE_MAX_BYTES = 1024**3
PROGRESS_EVERY = 1_000
PREFERENCES = "preferences.jsonl"
# The same files, the same archive.
DATE = (1980, 1, 1, 0, 0, 0)


@dataclass(kw_only=True)
class _File:
    """A file being written."""

    file: IO[bytes]
    labels: int = 0
    size: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    digest: Any = field(default_factory=hashlib.sha256)

    def write(self, text: bytes) -> None:
        self.file.write(text)
        self.digest.update(text)
        self.size += len(text)

    def entry(self) -> FileEntry:
        return FileEntry(
            sha256=self.digest.hexdigest(), labels=self.labels, bytes=self.size, left_out=dict(self.left_out)
        )


def export(job: AnnotationJob, progress: Progress) -> dict[str, Any]:
    """Export a project's labels: an archive with each layer as JSON lines and CSV, and a manifest.

    Of pairs it also has the preferences that follow from them. With ``parameters["with_names"]`` people are
    called by their names. Raises ``GymError`` ``no_labels``.
    """
    with tempfile.TemporaryFile() as archive:
        labels = archive_write(
            archive, job.project, with_names=bool(job.parameters.get("with_names")), progress=progress
        )
        if not labels:
            raise GymError("no_labels", "Nobody has labelled anything in this project yet.")
        name = f"labels-{job.project_id}-{job.pk}.zip"
        return _archive_store(archive, job=job, result={"labels": labels, "name": name})


def archive_write(
    archive: IO[bytes], project: AnnotationProject, *, with_names: bool, progress: Progress
) -> int:
    """Write the archive from one snapshot of the database; return how many labels it has."""
    with ExitStack() as stack:
        files = {
            f"{layer}.{ending}": _File(file=stack.enter_context(tempfile.TemporaryFile()))
            for layer in Label.Layer.values
            for ending in ("jsonl", "csv")
        }
        if project.level == AnnotationProject.Level.PAIR:
            files[PREFERENCES] = _File(file=stack.enter_context(tempfile.TemporaryFile()))
        with read_one_snapshot():
            annotators = list(project.annotators.order_by("pk"))
            names = annotator_names(annotators, with_names=with_names)
            codebooks = _rows_write(files, project, names=names)
            if PREFERENCES in files:
                _preferences_write(files[PREFERENCES], project)
        labels = _tables_write(files, project, progress=progress)
        description = manifest.manifest_bytes(
            project,
            annotators={names[one.pk]: one for one in annotators},
            codebooks=codebooks,
            files={name: one.entry() for name, one in files.items()},
        )
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as bundle:
            for name, one in files.items():
                one.file.seek(0)
                with bundle.open(_member(name), "w", force_zip64=True) as target:
                    while piece := one.file.read(blobs.CHUNK_BYTES):
                        target.write(piece)
            bundle.writestr(_member(manifest.NAME), description)
    return labels


def _preferences_write(file: _File, project: AnnotationProject) -> None:
    for line in preferences_jsonl(project, left_out=file.left_out):
        file.write(line)
        file.labels += 1


def _rows_write(files: dict[str, _File], project: AnnotationProject, *, names: dict[int, str]) -> set[str]:
    """Write the labels as JSON lines; return the codebook versions that they name."""
    codebooks = set()
    for row in label_rows(project, names=names):
        codebooks.add(row["codebook"])
        file = files[f"{row['layer']}.jsonl"]
        file.write(json_line(row))
        file.labels += 1
    return codebooks


def _tables_write(files: dict[str, _File], project: AnnotationProject, *, progress: Progress) -> int:
    """Write the same labels as tables, without the database; return how many there are."""
    fields = [one.id for one in codebook_of(project.codebook).fields]
    total = sum(files[f"{layer}.jsonl"].labels for layer in Label.Layer.values)
    done = 0
    for layer in Label.Layer.values:
        table, lines = files[f"{layer}.csv"], files[f"{layer}.jsonl"].file
        table.write(csv_head(fields))
        lines.seek(0)
        for line in lines:
            table.write(csv_line(msgspec.json.decode(line), fields))
            table.labels += 1
            done += 1
            if done % PROGRESS_EVERY == 0:
                progress(done, total)
    progress(total, total)
    return total


def _archive_store(archive: IO[bytes], *, job: AnnotationJob, result: dict[str, Any]) -> dict[str, Any]:
    archive.seek(0)
    digest = hashlib.sha256()
    while piece := archive.read(blobs.CHUNK_BYTES):
        digest.update(piece)
    sha256 = digest.hexdigest()
    archive.seek(0)
    with file_lock.hold_files():  # the file is stored before the job names it
        stored = blobs.blob_receive(
            read=archive.read, sha256=sha256, limit=ARCHIVE_MAX_BYTES, storage=blobs.PRIVATE
        )
        result |= {"sha256": sha256, "bytes": stored.size}
        AnnotationJob.objects.filter(pk=job.pk).update(result=result)
    return result


def _member(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, date_time=DATE)
    info.compress_type = zipfile.ZIP_DEFLATED
    return info
