from __future__ import annotations

from django.http import HttpResponseBase

from core import blobs, thumbnails
from trajectories.lab.access import LabRequest, lab_page


@lab_page
def blob_detail(request: LabRequest, sha256: str) -> HttpResponseBase:
    """The same bytes as the API gives, for a browser that has a session and no key."""
    return blobs.blob_response(request, sha256)


@lab_page
def blob_thumbnail(request: LabRequest, sha256: str) -> HttpResponseBase:
    return thumbnails.thumbnail_response(request, sha256)
