"""What lies on the pages until it is closed."""

from __future__ import annotations

from django.http import Http404

from gymsite.arena.sites.site import Change, Visit

CLOSABLE = ("cookies",)


def close(visit: Visit, name: str) -> Change:
    """Close a notice; a script stays on its page, without one it is back to the first."""
    if visit.form is None or name not in CLOSABLE:
        raise Http404
    is_closed = name in visit.state.closed
    return Change(events=() if is_closed else (("banner_closed", {"name": name}),), to="")
