"""What lies over the pages until it is closed: which notices an episode meets, and when, is drawn."""

from __future__ import annotations

import re

from gymsite.arena.sites.site import Change, Visit
from gymsite.core.draws import Draws
from tasks_app.worlds.stays.state import State
from tasks_app.worlds.stays.types import World

COOKIES_CHANCE = 0.6
NEWSLETTER_CHANCE = 0.4
MOST_SEARCHES = 2
CLOSABLE = ("cookies", "newsletter")
# No dot before the question mark: nothing leads above the first page.
BACK = re.compile(r"(?!/)[A-Za-z0-9/_-]*(\?[A-Za-z0-9=&%+._~*-]*)?", re.ASCII)


def notice_due(world: World, state: State) -> str:
    """The notice that is open, or nothing; one at a time, the newsletter after some searches."""
    draws = Draws(world.key, "stays", world.edition, "notices")
    has_cookies, has_newsletter = draws.chance(COOKIES_CHANCE), draws.chance(NEWSLETTER_CHANCE)
    searches = draws.whole(1, MOST_SEARCHES)
    if has_cookies and "cookies" not in state.closed:
        return "cookies"
    if has_newsletter and len(state.searches) >= searches and "newsletter" not in state.closed:
        return "newsletter"
    return ""


def close(visit: Visit, name: str) -> Change:
    """Close a notice and go back to where it was; asked for without its form it only goes back."""
    back = visit.form.get("back", "") if visit.form is not None else ""
    to = back if BACK.fullmatch(back) else ""
    if visit.form is None or name not in CLOSABLE or name in visit.state.closed:
        return Change(events=(), to=to)
    return Change(events=(("banner_closed", {"name": name}),), to=to)
