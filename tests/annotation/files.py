"""Label files for tests: exports of a project, and the result of importing them again."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable
from typing import Any

from trajectories.annotation.archive import archive_write
from trajectories.annotation.imports.checks import Check, ImportSettings
from trajectories.annotation.imports.files import files_open
from trajectories.annotation.imports.services import file_import
from trajectories.models import AnnotationProject


def ignore(done: int, total: int) -> None:
    """Ignore the progress."""


def archive(project: AnnotationProject, *, with_names: bool = True) -> bytes:
    file = io.BytesIO()
    archive_write(file, project, with_names=with_names, progress=ignore)
    return file.getvalue()


def member(data: bytes, name: str) -> bytes:
    return zipfile.ZipFile(io.BytesIO(data)).read(name)


def rows(data: bytes, name: str = "blind.jsonl") -> list[dict[str, Any]]:
    return [json.loads(line) for line in member(data, name).splitlines()]


def jsonl(rows: Iterable[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def take(
    project: AnnotationProject,
    data: bytes,
    *,
    name: str = "labels.jsonl",
    manifest: bytes | None = None,
    **settings: Any,
) -> dict[str, Any]:
    """Import a file and return the result."""
    manifest_open = None if manifest is None else lambda: io.BytesIO(manifest)
    with files_open(name=name, open_=lambda: io.BytesIO(data), manifest_open=manifest_open) as (files, read):
        check = Check(project=project, files=files, manifest=read, settings=ImportSettings(**settings))
        return file_import(check, ignore)
