"""The labels of a project as files, with a manifest that names and checks them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from core.csv_text import csv_bytes
from trajectories.annotation.codebook.types import codebook_read
from trajectories.models import AnnotationProject, Label

VERSION = 1
COLUMNS = {
    "unit": "unit_id",
    "episode": "unit__episode_id",
    "step": "unit__step",
    "paragraph": "unit__paragraph",
    "begin": "unit__begin",
    "end": "unit__end",
    "stratum": "unit__stratum",
    "weight": "unit__weight",
    "annotator": "annotator__name",
    "annotator_kind": "annotator__kind",
    "layer": "layer",
    "is_repeat": "is_repeat",
    "version": "version",
    "codebook": "codebook_id",
    "state": "state",
    "is_unsure": "is_unsure",
    "active_ms": "active_ms",
    "created_at": "created_at",
    "note": "note",
    "values": "values",
    "spans": "spans",
    "links": "links",
}


def labels_jsonl(project: AnnotationProject) -> Iterator[bytes]:
    """One object for each version of each label, oldest first: also those that were corrected."""
    for row in _rows(project):
        yield msgspec.json.encode(row) + b"\n"


def labels_csv(project: AnnotationProject) -> Iterator[bytes]:
    """The same as a table, with a column for each field; several answers are separated by ``;``."""
    fields = [field.id for field in codebook_read(project.codebook.content).fields]
    names = [name for name in COLUMNS if name not in ("values", "spans", "links")]
    yield csv_bytes([[*names, *fields, "spans", "links"]])
    for row in _rows(project):
        answers = [_joined(row["values"].get(field, "")) for field in fields]
        cells = [*(row[name] for name in names), *answers]
        places = ";".join(f"{begin}-{end}" for begin, end in row["spans"])
        links = ";".join(f"{name}={step}" for name, step in row["links"].items())
        yield csv_bytes([[*cells, places, links]])


FILES: dict[str, tuple[Callable[[AnnotationProject], Iterator[bytes]], str]] = {
    "labels.jsonl": (labels_jsonl, "application/x-ndjson"),
    "labels.csv": (labels_csv, "text/csv; charset=utf-8"),
}


def manifest(project: AnnotationProject) -> Iterator[bytes]:
    """What the files are and what they were drawn from, with the hash of each as it is now."""
    content = {
        "version": VERSION,
        "project": project.pk,
        "name": project.name,
        "source": project.source,
        "seed": project.seed,
        "strata": project.strata,
        "overlap": {"share": project.overlap_share, "people": project.overlap_people},
        "codebook": {"sha256": project.codebook_id, "content": project.codebook.content},
        "files": {name: _description(lines(project)) for name, (lines, _) in FILES.items()},
    }
    yield msgspec.json.format(msgspec.json.encode(content)) + b"\n"


def _description(lines: Iterator[bytes]) -> dict[str, Any]:
    digest, count, size = hashlib.sha256(), 0, 0
    for line in lines:
        digest.update(line)
        count += 1
        size += len(line)
    return {"sha256": digest.hexdigest(), "lines": count, "bytes": size}


def _rows(project: AnnotationProject) -> Iterator[dict[str, Any]]:
    rows = Label.objects.filter(unit__project=project).order_by("pk").values_list(*COLUMNS.values())
    for row in rows.iterator():
        yield dict(zip(COLUMNS, row, strict=True))


def _joined(answer: Any) -> Any:
    return ";".join(answer) if isinstance(answer, list) else answer
