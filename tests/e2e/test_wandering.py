"""A clumsy but sensible agent wanders over the mock sites, in looks full of what lies over their pages.

It acts on any element that the outline lists, closes nothing by itself, and closes what it is told covers an
element. Fewer than one action in fifty may reach nothing, and what covers an element is always named.

``WHOLE_SITES=1`` walks from the first page of every family's task; without it each site is walked four times.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from core.episodes.presentation import Look
from palaestra.actions import action_check, action_perform
from palaestra.observation import page_text
from palaestra.pages.pool import PagePool
from palaestra.pages.warm_page import WarmPage
from tasks_app.families.registry import FAMILIES
from tests.coverage_choice import IS_WHOLE
from tests.e2e import test_every_family as families
from tests.e2e.conftest import ArenaServer
from trajectories.models import Episode

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

ACTIONS = 30
SHARE_MAX = 0.02
# Each lays something else over a page: boxes, walls, bars that are high because everything is large.
LOOKS = (
    {"pop_ups": "often", "form": "dialog", "zoom": 125, "panels": "two"},
    {"pop_ups": "often", "form": "beside", "density": "roomy", "zoom": 125, "listing": "table"},
    {"pop_ups": "late", "form": "above", "paging": "more", "slow": "short"},
    {"pop_ups": "early", "form": "below", "paging": "scroll", "zoom": 90, "density": "compact"},
)
ELEMENT = re.compile(r'\[(e\d+)\] (\w+) "([^"\n]*)"(.*)')
OPTION = re.compile(r'"([^"\n]*)"(?! \(disabled\))')
CLOSING = re.compile(r"; (e\d+) \(.*\) closes it")
NAMELESS = re.compile(r"covered by another element")
GESTURES = ("click", "click", "hover", "press", "drag")
KEYS = ("Enter", "Space", "Tab", "ArrowDown", "End")
# Answering ends the episode.
LEFT_ALONE = re.compile("answer|submit", re.IGNORECASE)


def next_action(text: str, message: str, rng: Random) -> dict[str, Any]:
    """What a visitor might do next with any of the elements listed."""
    if closing := CLOSING.search(message):
        return {"type": "click", "target": closing[1]}
    open_ones = [one for one in ELEMENT.findall(text) if "disabled" not in one[3]]
    listed = [one for one in open_ones if not LEFT_ALONE.search(one[2])]
    target, role, _, more = rng.choice(listed) if listed else ("", "", "", "")
    if role in ("textbox", "searchbox", "spinbutton"):
        return {"type": "type", "target": target, "text": "2", "clear": True}
    if role == "combobox":
        options = OPTION.findall(more.partition("options:")[2])
        return {"type": "select", "target": target, "value": rng.choice(options)}
    return {"type": "click", "target": target} if target else {"type": "back"}


def next_gesture(text: str, message: str, rng: Random, *, in_view: list[str]) -> dict[str, Any]:
    """As ``next_action``, but what is clicked there may be hovered, or pressed a key on, instead, or dragged
    to another element where both are ``in_view``."""
    action = next_action(text, message, rng)
    if action["type"] != "click" or CLOSING.search(message):
        return action
    match rng.choice(GESTURES):
        case "hover":
            return {"type": "hover", "target": action["target"]}
        case "press":
            return {"type": "press", "target": action["target"], "key": rng.choice(KEYS)}
        case "drag" if action.get("target") in in_view:
            return {"type": "drag", "target": action["target"], "to_target": rng.choice(in_view)}
    return action


async def wander(page: WarmPage, address: str, rng: Random) -> Counter[str]:
    """The results of a walk by their messages."""
    bounds = await page.begin(address)
    view, message, results = await page.observe(acted=False), "", Counter[str]()
    for step in range(1, ACTIONS + 1):
        if view is None:
            break
        page.turn(step)
        lines = view.text.split("\n")
        in_view = ELEMENT.findall("\n".join(lines[number] for number in view.in_view))
        text, ids = page_text(view, bounds), [one[0] for one in in_view]
        action = next_gesture(text, message, rng, in_view=ids)
        outcome = await action_perform(page, action_check(action))
        message = outcome.message
        results["ok" if outcome.is_ok else f"{outcome.result} of {action['type']}: {message}"] += 1
        view = await page.observe(acted=outcome.result == "ok")
    return results


async def _wander_all(addresses: list[str]) -> Counter[str]:
    pool = PagePool(origin="/".join(addresses[0].split("/")[:3]), size=1)
    try:
        total = Counter[str]()
        for seed, address in enumerate(addresses):
            page = await pool.acquire()
            total += await wander(page, address, Random(seed))
            await pool.release(page)
        return total
    finally:
        await pool.aclose()


def episode_make(family: str, look: dict[str, Any]) -> Episode:
    return replace(families.case_of(family, 0, 0), look=Look(**look)).episode()


@pytest.mark.parametrize("site", ["stays", "reviews"])
def test_nearly_every_listed_element_can_be_acted_on(
    site: str, arena_server: ArenaServer, browser: object
) -> None:
    own = [family for family, plugin in FAMILIES.items() if plugin.site == site]
    walks = own if IS_WHOLE else own[: len(LOOKS)]
    episodes = [episode_make(family, LOOKS[turn % len(LOOKS)]) for turn, family in enumerate(walks)]
    addresses = [arena_server.address(one) for one in episodes]
    with ThreadPoolExecutor(1) as thread:
        results = thread.submit(asyncio.run, _wander_all(addresses)).result()
    missed = {result: count for result, count in results.items() if result.startswith("no_target")}
    print(site, results)
    assert results.total() >= len(walks) * ACTIONS * 0.8
    assert not [result for result in results if NAMELESS.search(result)]
    assert sum(missed.values()) <= SHARE_MAX * results.total(), missed
