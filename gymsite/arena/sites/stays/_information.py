"""Pages about the site, and the guest's account page. No task asks about them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from core.text.toml import toml_load
from gymsite.arena.sites.site import Page, View, Visit
from gymsite.arena.sites.stays._page import page


@dataclass(frozen=True, kw_only=True)
class Information:
    """A text about the site. Each part is a heading and a text."""

    lead: str
    parts: tuple[tuple[str, str], ...]


TEXTS = toml_load(Path(__file__).with_name("information.toml"), dict[str, Information])
ADDRESSES = {"about": "about_us", "booking": "how_it_works", "terms": "terms", "help": "help"}
"""The text's name for each path below the first page."""


def information(path: str) -> View:
    """Make the view of a page about the site."""
    name = ADDRESSES[path]

    def view(visit: Visit) -> Page:
        return page(visit, "information", title=visit.labels[name], here=path, information=TEXTS[name])

    return view


def account(visit: Visit) -> Page:
    return page(visit, "account", title=visit.labels["account"], here="account")
