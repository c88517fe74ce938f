"""Pop-ups of the mock sites. The look and the episode's events decide which one covers a page.

A site's state counts how much of the site the episode has ``seen``; everything else is the same for all
sites. One pop-up is shown at a time until it is closed, and then it never comes back.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from functools import lru_cache
from typing import Literal

from django.http import Http404

from core.draws import Draws
from core.episodes.presentation import Look
from gymsite.arena.sites.site import Change, Visit

Name = Literal["cookies", "newsletter", "sign_up", "prices", "session"]
Texts = dict[Name, tuple[str, str]]
"""Title and text of each pop-up."""
FIRST: Name = "cookies"
LATER: tuple[Name, ...] = ("newsletter", "sign_up", "prices", "session")
"""Pop-ups that never appear on a first page; their order is drawn by the look."""
MODAL = frozenset({"sign_up"})
"""Pop-ups that make the site behind them inert; the task bar never is."""
DUE: Mapping[str, tuple[int, ...]] = {"none": (), "early": (0, 3), "late": (6, 12), "often": (0, 3, 6, 9, 12)}
"""Pages seen before the first, second ... pop-up appears, for each value of the look's axis ``pop_ups``."""
# A path may contain no dot, so it cannot lead above the first page.
BACK = re.compile(r"(?!/)[A-Za-z0-9/_-]*(\?[A-Za-z0-9=&%+._~*-]*)?", re.ASCII)


@lru_cache(maxsize=1024)
def schedule(look: Look) -> tuple[tuple[Name, int], ...]:
    """List the pop-ups of a look in order, each with the number of pages to be seen before it."""
    times = DUE[look.pop_ups]
    later = Draws(look.digest(), "pop-ups").shuffled(LATER)
    names = [FIRST, *later] if times[:1] == (0,) else later
    return tuple(zip(names, times, strict=False))


def due(look: Look, *, seen: int, closed: Container[str]) -> Name | None:
    """Return the pop-up that covers the page now, or None."""
    return next((name for name, time in schedule(look) if time <= seen and name not in closed), None)


def pop_up_make(visit: Visit, texts: Texts, **facts: str) -> dict[str, object] | None:
    """Build the context of the page's pop-up, with ``facts`` filled into its texts; None if it has none."""
    name = due(visit.look, seen=visit.state.seen, closed=visit.state.closed)
    if name is None:
        return None
    title, text = (part.format(**facts) for part in texts[name])
    is_modal = name in MODAL
    return {"name": name, "title": title, "text": text, "button": visit.labels[name], "is_modal": is_modal}


def close(visit: Visit, name: str) -> Change:
    """Close a pop-up and return to the page below; closing it again changes nothing. Raises ``Http404``."""
    if visit.form is None or name not in (FIRST, *LATER):
        raise Http404
    back = visit.form.get("back", "")
    to = back if BACK.fullmatch(back) else ""
    events = () if name in visit.state.closed else (("banner_closed", {"name": name}),)
    return Change(events=events, to=to, conflict_to=to)
