"""What lies over the pages until it is closed."""

from __future__ import annotations

from gymsite.arena.sites.site import Change, Page, Visit
from gymsite.arena.sites.stays._searching import home

CLOSABLE = ("cookies", "newsletter")


def close(visit: Visit, name: str) -> Page | Change:
    """Close a notice; asked for without the form it is the first page."""
    if visit.form is None or name not in CLOSABLE or name in visit.state.closed:
        return Change(events=(), to="") if visit.form is not None else home(visit)
    return Change(events=(("banner_closed", {"name": name}),), to="")
