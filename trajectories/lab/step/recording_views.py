from __future__ import annotations

from django.http import Http404, StreamingHttpResponse

from trajectories.capture import chunks
from trajectories.lab.access import LabRequest, lab_page


@lab_page
def page_recording(request: LabRequest, episode_id: int, page: str) -> StreamingHttpResponse:
    """All rrweb events of one page load as JSON, and what of them could not be read."""
    found = chunks.chunks_of(episode_id=episode_id, page=page)
    if not found:
        raise Http404(f"Episode {episode_id} has no recording of such a page.")
    parts = chunks.page_json(page=page, chunks=found, is_capped=chunks.is_capped(episode_id=episode_id))
    response = StreamingHttpResponse(parts, content_type="application/json")
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["X-Content-Type-Options"] = "nosniff"
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    return response
