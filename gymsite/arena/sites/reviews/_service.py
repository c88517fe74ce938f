"""Pages about the shop itself, and the visitor's account page."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

from django.http import Http404

from core.text.toml import toml_load
from gymsite.arena.sites.reviews._page import page
from gymsite.arena.sites.site import Page, Visit
from tasks_app.worlds.formats import counted

SEARCHES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """A help topic; ``title`` is the name of a label."""

    title: str
    paragraphs: tuple[str, ...]


TOPICS = toml_load(Path(__file__).with_name("topics.toml"), dict[str, Topic])
"""Help topics by the last part of their address; the first is the help's front page."""


def help_page(visit: Visit, topic: str = "") -> Page:
    """Show a help topic. Raises ``Http404`` for an unknown topic."""
    if topic not in TOPICS:
        raise Http404
    return page(
        visit,
        "help",
        title=visit.labels[TOPICS[topic].title],
        here=f"help/{topic}" if topic else "help",
        paragraphs=TOPICS[topic].paragraphs,
        topics=[(name, visit.labels[page.title]) for name, page in TOPICS.items() if name not in ("", topic)],
    )


def account_page(visit: Visit) -> Page:
    """Show what the shop remembers about this visit."""
    names = {product.id: product.name for product in visit.world.products}
    latest = [search for search in reversed(visit.state.searches) if search["product"] in names]
    return page(
        visit,
        "account",
        title=visit.labels["account"],
        here="account",
        votes=counted(len(visit.state.voted), "review"),
        searches=[
            {
                "text": search["text"],
                "name": names[search["product"]],
                "address": f"products/{search['product']}/reviews?{urlencode({'q': search['text']})}",
            }
            for search in latest[:SEARCHES]
        ],
    )
