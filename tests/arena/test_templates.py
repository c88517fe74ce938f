"""The engine of the arena's pages: strict, escaping, and apart from the lab's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest
from django.template import TemplateDoesNotExist, engines
from django.template.loader import get_template, render_to_string
from jinja2 import UndefinedError

from core.episodes.presentation import AXES
from gymsite.arena import template_engine
from gymsite.arena.sites.stays._checkout import ARRIVALS
from tasks_app.worlds.stays.types import World
from tests import factories
from tests.arena.test_stays import dates, episode_in, offer
from tests.arena.test_stays import world as world
from tests.conftest import ArenaClient

HOSTILE = "<script>alert('1')</script>\"&"
ESCAPED = "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&#34;&amp;"


def test_every_template_compiles_before_the_first_page_is_drawn() -> None:
    template_engine.templates_prepare()


def test_the_arenas_engine_knows_no_other_templates() -> None:
    with pytest.raises(TemplateDoesNotExist):
        engines["jinja2"].get_template("lab/base.html")

    assert get_template("lab/base.html").backend is engines["django"]


def test_a_name_that_a_page_lacks_is_an_error() -> None:
    with pytest.raises(UndefinedError, match="'look' is undefined"):
        render_to_string("arena/message.html", {"title": "Nothing", "text": ""})


def test_text_is_escaped_in_pages_and_attributes() -> None:
    engine = engines["jinja2"]

    assert engine.from_string('<p title="{{ text }}">{{ text }}</p>').render({"text": HOSTILE}) == (
        f'<p title="{ESCAPED}">{ESCAPED}</p>'
    )


@pytest.mark.django_db
def test_a_question_is_shown_as_text(arena_client: ArenaClient, address: Callable[..., str]) -> None:
    task = factories.task(payload={"text": HOSTILE, "format": "plain"})

    html = arena_client.get(address(factories.episode(task=task))).content.decode()

    assert (HOSTILE in html, ESCAPED in html) == (False, True)


@pytest.mark.django_db
def test_typed_text_is_shown_as_text(arena_client: ArenaClient, address: Callable[..., str]) -> None:
    episode = episode_in()

    html = arena_client.get(f"{address(episode, 'search')}?{urlencode({'name': HOSTILE})}").content.decode()

    assert (HOSTILE in html, f'value="{ESCAPED}"' in html) == (False, True)


@pytest.mark.slow
@pytest.mark.django_db
@pytest.mark.parametrize("form", AXES["form"])
@pytest.mark.parametrize("listing", AXES["listing"])
def test_a_site_has_all_its_pages_in_each_look(
    arena_client: ArenaClient,
    address: Callable[..., str],
    follow: Callable[..., Any],
    world: World,
    form: str,
    listing: str,
) -> None:
    """Whatever a page of a look lacks would be an error only there."""
    episode = episode_in(form=form, listing=listing, panels="two", pop_ups="often", slow="short")
    house, room, stay = offer(world)
    about = {"name": "Kim", "email": "kim@example.org", "rules": "on", "arrival": ARRIVALS[1]}
    booking = f"stays/{house.id}/book/{room.id}"
    chosen = {**dates(stay), "place": house.neighbourhood, "sort": "name"}
    bad = {"check_in": "soon", "check_out": "later"}
    queries = [
        *(("search", query) for query in ({}, chosen, bad, {**bad, "check_in": stay.check_in})),
        *(("", query) for query in ({}, bad)),
        *((f"stays/{house.id}", query) for query in ({}, dates(stay), bad, {"amenities": "all"})),
        *(
            (booking, query)
            for query in ({}, dates(stay), {**dates(stay), "tried": "1", "arrival": ARRIVALS[1]})
        ),
        *((path, {}) for path in ("trips", "account", "about", f"stays/{house.id}/reviews")),
    ]
    assert follow(episode, booking, **dates(stay), **about).status_code == 200
    for path, query in queries:
        page = arena_client.get(f"{address(episode, path)}?{urlencode(query)}")
        assert page.status_code in (200, 409, 422), (path, query)
        assert house.name in page.content.decode() or path != "trips"
