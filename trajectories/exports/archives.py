"""Archives of annotation projects: each kind's rows as JSON lines and as a table, with a manifest."""

from __future__ import annotations

import hashlib
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import IO

import msgspec

from core.storage import blobs
from trajectories.exports.files import OpenFile
from trajectories.exports.formats import Csv, JsonLines
from trajectories.exports.registry import PROJECT_KINDS
from trajectories.exports.types import ProjectKind
from trajectories.models import AnnotationProject
from trajectories.record.due_work import Progress

MANIFEST = "manifest.json"
PROGRESS_EVERY = 1_000
# A fixed date, so that the same files always give the same archive.
DATE = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, kw_only=True)
class Member:
    """A file in an archive. ``left_out`` counts what was left out of the file's rows, by reason."""

    sha256: str
    bytes: int
    rows: int
    left_out: Mapping[str, int]


@dataclass(frozen=True, kw_only=True)
class Archive:
    """The files of a project's archive while they are written, by name and in the archive's order."""

    project: AnnotationProject
    kinds: list[ProjectKind]
    files: dict[str, OpenFile] = field(default_factory=dict)
    left_out: dict[str, Counter[str]] = field(default_factory=dict)

    def rows_write(self, names: Mapping[int, str]) -> None:
        """Write the rows as JSON lines; ``names`` has the annotators' names by id."""
        for kind in self.kinds:
            left_out: Counter[str] = Counter()
            for row in kind.rows(self.project, names, left_out):
                self.files[f"{kind.stem(row)}.jsonl"].add(row)
            self.left_out.update((f"{stem}.jsonl", left_out) for stem in kind.stems)

    def tables_write(self, progress: Progress) -> int:
        """Write the rows of the JSON lines as tables and return their number, without using the database."""
        tables = [(kind.table, stem) for kind in self.kinds if kind.table for stem in kind.stems]
        total, done = sum(self.files[f"{stem}.jsonl"].rows for _, stem in tables), 0
        for table, stem in tables:
            lines, (_, flatten) = self.files[f"{stem}.jsonl"].file, table(self.project)
            lines.seek(0)
            for line in lines:
                self.files[f"{stem}.csv"].add(flatten(msgspec.json.decode(line)))
                done += 1
                if done % PROGRESS_EVERY == 0:
                    progress(done, total)
        progress(total, total)
        return total

    def members(self) -> dict[str, Member]:
        """Return the manifest's entries for the files, by name."""
        return {
            name: Member(
                sha256=_digest(opened.file),
                bytes=opened.file.tell(),
                rows=opened.rows,
                left_out=self.left_out.get(name, {}),
            )
            for name, opened in self.files.items()
        }

    def pack(self, target: IO[bytes], *, manifest: bytes) -> None:
        """Write the files and their manifest to ``target`` as a ZIP archive."""
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as bundle:
            for name, opened in self.files.items():
                opened.file.seek(0)
                with bundle.open(_member_info(name), "w", force_zip64=True) as member:
                    while piece := opened.file.read(blobs.CHUNK_BYTES):
                        member.write(piece)
            bundle.writestr(_member_info(MANIFEST), manifest)


@contextmanager
def archive_open(project: AnnotationProject) -> Iterator[Archive]:
    """Open the temporary files of a project's archive, which are deleted at the end of the context."""
    archive = Archive(
        project=project, kinds=[kind for _, kind in PROJECT_KINDS.items() if kind.is_of(project)]
    )
    with ExitStack() as stack:
        for kind in archive.kinds:
            for stem in kind.stems:
                file = stack.enter_context(tempfile.TemporaryFile())
                writer = JsonLines(file, kind.columns, has_images=False)
                archive.files[f"{stem}.jsonl"] = OpenFile(file=file, writer=writer)
                if kind.table:
                    file = stack.enter_context(tempfile.TemporaryFile())
                    archive.files[f"{stem}.csv"] = OpenFile(
                        file=file, writer=Csv(file, kind.table(project)[0])
                    )
        yield archive


def _digest(file: IO[bytes]) -> str:
    """Hash a whole file and leave the file position at its end."""
    file.seek(0)
    return hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]


def _member_info(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, date_time=DATE)
    info.compress_type = zipfile.ZIP_DEFLATED
    return info
