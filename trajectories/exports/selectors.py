"""Queries for the exports that a caller may see, and for their files."""

from __future__ import annotations

from typing import Any

from django.core.files import File
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from core.errors import GymError
from core.storage import blobs
from trajectories.exports.services import Author
from trajectories.models import Export
from trajectories.models.origins import Origin
from trajectories.record import projects


def export_list(*, author: Author, before: int | None = None, limit: int) -> list[Export]:
    """Return up to ``limit`` exports, newest first, and one more if there is a next page."""
    exports = visible(author)
    if before is not None:
        exports = exports.filter(pk__lt=before)
    return list(exports.order_by("-pk")[: limit + 1])


def export_get(export_id: int, *, author: Author) -> Export:
    """Return an export. Raises ``GymError`` 404 ``unknown_export``, also if the caller may not see it."""
    export = visible(author).filter(pk=export_id).first()
    if export is None:
        raise GymError("unknown_export", f"There is no export {export_id}.", status=404)
    return export


def visible(author: Author) -> QuerySet[Export]:
    """Return the exports that the author may see.

    They belong to the author's project. Exports with golds, guidance, locked splits or splits that the author
    may not see are hidden.
    """
    exports = projects.visible(Export.objects.all(), author)
    if not author.sees_golds:
        exports = exports.filter(has_golds=False)
    if not author.sees_guidance:
        # Exports of older versions have no origins, for which the negation alone would be null and not true.
        guided = Q(parameters__origins__contains=[Origin.GUIDED])
        exports = exports.filter(Q(parameters__origins__isnull=True) | ~guided)
    if not author.unlocks:
        exports = exports.filter(has_locked=False)
    if not author.splits:
        return exports
    return exports.filter(splits__contained_by=sorted(author.splits)).exclude(splits=[])


def file_entries(export: Export) -> list[dict[str, Any]]:
    """Return the entries of an export's files, the manifest first; there are none before it is done."""
    if export.state != Export.State.DONE:
        return []
    return [export.result["manifest"], *export.result["files"]]


def file_open(export: Export, name: str) -> tuple[dict[str, Any], File[bytes]]:
    """Open an export's file and return its entry with it.

    Raises ``GymError`` 404 ``unknown_file`` or 410 ``expired``.
    """
    entry = next((entry for entry in file_entries(export) if entry["name"] == name), None)
    if entry is None:
        raise GymError("unknown_file", f"Export {export.pk} has no file {name!r}.", status=404)
    expired = GymError(
        "expired", f"The files of export {export.pk} have been deleted. Run it again.", status=410
    )
    if Export.objects.filter(pk=export.pk, expires_at__lte=Now()).exists():
        raise expired
    try:
        return entry, blobs.blob_open(entry["sha256"], storage=blobs.PRIVATE)
    except FileNotFoundError:
        raise expired from None
