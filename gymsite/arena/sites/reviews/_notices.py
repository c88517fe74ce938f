"""What lies on the pages until it is closed: whether an episode meets it is drawn."""

from __future__ import annotations

import re

from django.http import Http404

from gymsite.arena.sites.site import Change, Visit
from gymsite.core.draws import Draws
from tasks_app.worlds.reviews.state import State
from tasks_app.worlds.reviews.types import World

COOKIES_CHANCE = 0.6
CLOSABLE = ("cookies",)
# No dot before the question mark: nothing leads above the first page.
BACK = re.compile(r"(?!/)[A-Za-z0-9/-]*(\?[A-Za-z0-9=&%+._~-]*)?", re.ASCII)


def has_cookies(world: World, state: State) -> bool:
    draws = Draws(world.key, "reviews", world.edition, "notices")
    return "cookies" not in state.closed and draws.chance(COOKIES_CHANCE)


def close(visit: Visit, name: str) -> Change:
    """Close a notice and go back to where it was."""
    if visit.form is None or name not in CLOSABLE:
        raise Http404
    back = visit.form.get("back", "")
    to = back if BACK.fullmatch(back) else ""
    is_closed = name in visit.state.closed
    return Change(events=() if is_closed else (("banner_closed", {"name": name}),), to=to, conflict_to=to)
