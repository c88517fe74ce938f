"""Pages about the site and its guest, which no task asks about."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from core.text.toml import toml_load
from gymsite.arena.sites.site import Page, View, Visit
from gymsite.arena.sites.stays._page import page


@dataclass(frozen=True, kw_only=True)
class Information:
    """Text about the site. Parts are pairs of a heading and a text."""

    lead: str
    parts: tuple[tuple[str, str], ...]


TEXTS = toml_load(Path(__file__).with_name("information.toml"), dict[str, Information])
ADDRESSES = {"about": "about_us", "booking": "how_it_works", "terms": "terms", "help": "help"}
"""Texts by their path below the first page."""


def information(path: str) -> View:
    """Make the view of a page about the site."""
    name = ADDRESSES[path]

    def view(visit: Visit) -> Page:
        return page(visit, "information", title=visit.labels[name], here=path, information=TEXTS[name])

    return view


def account(visit: Visit) -> Page:
    return page(visit, "account", title=visit.labels["account"], here="account")
