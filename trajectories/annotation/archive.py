"""Archive of a project's labels, with a manifest of file hashes, annotators, codebooks and strata."""

from __future__ import annotations

import tempfile
from typing import IO, Any

import msgspec
from django.db.models import Q
from msgspec import Struct

from core.database.sessions import read_one_snapshot
from core.errors import GymError
from core.storage import file_lock
from trajectories.annotation.export_kinds.labels import name_annotators
from trajectories.exports.archives import archive_open
from trajectories.exports.files import file_store
from trajectories.models import AnnotationJob, AnnotationProject, CodebookVersion, Label
from trajectories.record.due_work import Progress

VERSION = 3
ARCHIVE_MAX_BYTES = 1024**3


class FileEntry(Struct, frozen=True, kw_only=True):
    """A file in an archive. ``left_out`` counts what was not written to it, by reason."""

    sha256: str
    labels: int
    bytes: int
    left_out: dict[str, int] = {}


class AnnotatorEntry(Struct, frozen=True, kw_only=True):
    name: str
    kind: str
    settings: dict[str, Any] = {}


class Manifest(Struct, frozen=True, kw_only=True):
    """The archive's manifest; ``codebooks`` holds the content of each codebook that labels name, by hash."""

    version: int
    project: int
    name: str
    level: str
    source: str
    seed: int
    strata: list[dict[str, Any]]
    overlap: dict[str, Any]
    views: list[str]
    codebook: str
    codebooks: dict[str, Any]
    annotators: list[AnnotatorEntry]
    files: dict[str, FileEntry]


def export_labels(job: AnnotationJob, progress: Progress) -> dict[str, Any]:
    """Export a project's labels as an archive with each layer as JSON lines and CSV, and a manifest.

    For pairs, the archive also contains the resulting preferences. ``parameters["with_names"]`` keeps
    people's names, which are otherwise replaced. Raises ``GymError`` ``no_labels`` if there is no label.
    """
    with tempfile.TemporaryFile() as archive:
        with_names = bool(job.parameters.get("with_names"))
        labels = archive_write(archive, job.project, with_names=with_names, progress=progress)
        if not labels:
            raise GymError("no_labels", "Nobody has labelled anything in this project yet.")
        with file_lock.hold_files():  # Until the job names the stored file, nothing else protects it.
            name = f"labels-{job.project_id}-{job.pk}.zip"
            stored = file_store(archive, name=name, rows=labels, limit=ARCHIVE_MAX_BYTES)
            result = {"labels": labels, "name": name, "sha256": stored.sha256, "bytes": stored.bytes}
            AnnotationJob.objects.filter(pk=job.pk).update(result=result)
        return result


def archive_write(
    target: IO[bytes], project: AnnotationProject, *, with_names: bool, progress: Progress
) -> int:
    """Write the archive from one snapshot of the database; return its number of labels."""
    with archive_open(project) as archive:
        with read_one_snapshot():
            annotators = list(project.annotators.order_by("pk"))
            names = name_annotators(annotators, with_names=with_names)
            archive.rows_write(names)
            codebooks = _codebooks_named(project)
        labels = archive.tables_write(progress)
        files = {
            name: FileEntry(
                sha256=member.sha256, labels=member.rows, bytes=member.bytes, left_out=dict(member.left_out)
            )
            for name, member in archive.members().items()
        }
        entries = [
            AnnotatorEntry(name=names[annotator.pk], kind=annotator.kind, settings=annotator.settings)
            for annotator in annotators
        ]
        manifest = _manifest(project, annotators=entries, codebooks=codebooks, files=files)
        archive.pack(target, manifest=msgspec.json.format(msgspec.json.encode(manifest)) + b"\n")
    return labels


def _codebooks_named(project: AnnotationProject) -> dict[str, Any]:
    """Return, by hash, the contents of the project's codebook and of all codebooks that its labels name."""
    named = Label.objects.filter(unit__project=project).values("codebook_id").distinct()
    versions = CodebookVersion.objects.filter(Q(pk=project.codebook_id) | Q(pk__in=named))
    return dict(versions.values_list("pk", "content"))


def _manifest(
    project: AnnotationProject,
    *,
    annotators: list[AnnotatorEntry],
    codebooks: dict[str, Any],
    files: dict[str, FileEntry],
) -> Manifest:
    return Manifest(
        version=VERSION,
        project=project.pk,
        name=project.name,
        level=project.level,
        source=project.source,
        seed=project.seed,
        strata=project.strata,
        overlap={"share": project.overlap_share, "people": project.overlap_people},
        views=project.views,
        codebook=project.codebook_id,
        codebooks=codebooks,
        annotators=annotators,
        files=files,
    )
