"""Manifest of an export: its files with their hashes, its annotators, codebooks and strata."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from trajectories.models import AnnotationProject, Annotator, CodebookVersion

NAME = "manifest.json"
VERSION = 3


class FileEntry(Struct, frozen=True, kw_only=True):
    """A file of an archive. ``left_out`` counts by reason what has no row in it."""

    sha256: str
    labels: int
    bytes: int
    left_out: dict[str, int] = {}


class AnnotatorEntry(Struct, frozen=True, kw_only=True):
    name: str
    kind: str
    settings: dict[str, Any] = {}


class Manifest(Struct, frozen=True, kw_only=True):
    """``codebooks`` has the content of each version that a label names, by its hash."""

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


def manifest_bytes(
    project: AnnotationProject,
    *,
    annotators: Mapping[str, Annotator],
    codebooks: set[str],
    files: dict[str, FileEntry],
) -> bytes:
    """``annotators`` by what the files call them."""
    versions = CodebookVersion.objects.filter(pk__in=codebooks | {project.codebook_id})
    content = Manifest(
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
        codebooks=dict(versions.values_list("pk", "content")),
        annotators=[
            AnnotatorEntry(name=name, kind=one.kind, settings=one.settings)
            for name, one in annotators.items()
        ],
        files=files,
    )
    return msgspec.json.format(msgspec.json.encode(content)) + b"\n"
