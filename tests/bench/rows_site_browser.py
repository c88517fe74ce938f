"""Rows of tasks on mock sites in a real browser, compared with the same actions on copies of the pages.

The script knows the answer and the path: on the booking site to every offer and its price, in the shop to the
results of its search. Every episode must be judged correct.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec
import psycopg

from gymsite.arena.sites.labels import load_labels
from gymsite.services import secrets
from palaestra.actions import action_check, action_perform
from palaestra.api import Client
from palaestra.engine import Engine
from palaestra.episode_config import EpisodeConfig
from palaestra.observation import Observation
from palaestra.pages.pool import PagePool
from palaestra.policies import EpisodeInfo
from palaestra.protocol.looks import NEUTRAL
from tasks_app.worlds.keys import world_arguments
from tasks_app.worlds.registry import discover, worlds
from tests.bench.installation import Installation
from tests.bench.rows_browser import PAGES
from tests.bench.servers import wsgi_server
from tests.bench.table import Row

GENERATED = 120
TASKS = 4
EPISODES = 24
FAMILIES = {"stays": "total_price", "reviews": "count_mentions"}

TEXT_OF = {"type": "text", "select": "value"}

_TASKS = """
SELECT t.id, t.payload::text, g.answer, g.extra::text FROM tasks_app_task t
JOIN tasks_app_gold g ON g.task_id = t.id AND g.is_current
WHERE t.benchmark_id = %s AND t.split = 'train' AND %s = ANY(t.tags) ORDER BY t.difficulty, t.id"""


@dataclass(frozen=True)
class Move:
    """One action on the control with this role and name."""

    kind: str
    role: str
    name: str
    text: str = ""

    def action(self, seen: str) -> dict[str, str]:
        match = re.search(rf'^\s*(?:- )?\[(e\d+)\] {self.role} "{re.escape(self.name)}"', seen, re.MULTILINE)
        if match is None:
            raise RuntimeError(f"no {self.role} {self.name!r} in:\n{seen}")
        given = {TEXT_OF[self.kind]: self.text} if self.kind in TEXT_OF else {}
        return {"type": self.kind, "target": match[1], **given}


Way = tuple[Move, ...]


class Guide:
    """A policy that follows each task's way."""

    name = "guide"
    simulated = True

    def __init__(self, ways: dict[int, Way]) -> None:
        self._ways = ways

    async def act(self, observation: Observation, episode: EpisodeInfo) -> str | None:
        way = self._ways[episode.task]
        if episode.step > len(way):
            return None
        action = way[episode.step - 1].action(observation.text)
        return f"I go on.\nAction: {msgspec.json.encode(action).decode()}"


def rows(place: Installation) -> Iterator[Row]:
    for site in FAMILIES:
        ways = ways_of(place, site)
        moves = sum(map(len, ways.values())) / len(ways)
        copied, ours = asyncio.run(_measure(place, ways))
        yield Row(
            f"oracle episodes of {site}",
            ours,
            "/s",
            0,
            peer=copied,
            beside="same actions, copied pages",
            ratio_target=0.6,
            note=f"{FAMILIES[site]}, {moves:.0f} actions, each with an observation; {PAGES} pages",
        )


async def _measure(place: Installation, ways: dict[int, Way]) -> tuple[float, float]:
    run = place.run_create("oracles")
    episodes = place.episodes_open(run, list(ways))
    # One process serves the copies, so that it has all of them.
    copy = wsgi_server("tests.bench.site_copy:application", workers=1, env={"COPY_OF": place.arena})
    with copy as server:
        starts = [episode["start_url"].replace(place.arena, server.url) for episode in episodes]
        copied = await _on_copies(server.url, list(zip(starts, ways.values(), strict=True)))
    return copied, await _on_the_arena(place, run, ways)


async def _on_the_arena(place: Installation, run: int, ways: dict[int, Way]) -> float:
    async with (
        Client(place.lab, place.key) as client,
        Engine(client, pages=PAGES, config=EpisodeConfig()) as engine,
    ):
        for samples in (1, EPISODES // len(ways)):
            begun = time.perf_counter()
            done = await engine.rollout(
                run=run,
                tasks=list(ways),
                samples_per_task=samples,
                policy=Guide(ways),
                presentation=dict(NEUTRAL),
            )
            seconds = time.perf_counter() - begun
            if bad := [one for one in done if one.outcome != "correct"]:
                raise RuntimeError(f"{len(bad)} of {len(done)} were not correct: {bad[0]}")
    return len(done) / seconds


async def _on_copies(origin: str, given: list[tuple[str, Way]]) -> float:
    pool = PagePool(origin=origin, size=PAGES)
    try:
        await asyncio.gather(*(_episode(pool, *one) for one in given))
        begun = time.perf_counter()
        await asyncio.gather(*(_episode(pool, *one) for one in given * (EPISODES // len(given))))
        return EPISODES / (time.perf_counter() - begun)
    finally:
        await pool.aclose()


async def _episode(pool: PagePool, address: str, way: Way) -> None:
    page = await pool.acquire()
    try:
        await page.begin(address)
        seen = await page.observe(acted=False)
        for step, move in enumerate(way, start=1):
            page.turn(step)
            outcome = await action_perform(page, action_check(move.action(seen.text if seen else "")))
            if outcome.result != "ok":
                raise RuntimeError(f"{move}: {outcome}")
            seen = await page.observe(acted=True)
    finally:
        await pool.release(page)


def ways_of(place: Installation, site: str) -> dict[int, Way]:
    """Return the ways of the easiest tasks in the site's family that such a way fits."""
    place.manage("load_benchmark", site, "--count", str(GENERATED), "--seed", "1")
    discover()
    salt = bytes.fromhex(secrets.read(place.var_dir, "world_salt"))
    ways: dict[int, Way] = {}
    with psycopg.connect(place.database_url("owner")) as owner:
        rows = owner.execute(_TASKS, [site, f"family:{FAMILIES[site]}"]).fetchall()
    for task, payload_text, answer, extra in rows:
        payload = msgspec.json.decode(payload_text)
        world = worlds.get(site).open_world(**world_arguments(payload, salt=salt))
        way = WAYS[site](world, msgspec.json.decode(extra)["given"])
        if way and len(ways) < TASKS:
            ways[task] = (*way, *_answering(payload["fields"], answer.split("|")))
    if len(ways) < TASKS:
        raise RuntimeError(f"only {len(ways)} of {len(rows)} tasks of {site} fit")
    return ways


def _answering(fields: list[str], values: list[str]) -> Way:
    typed = [Move("type", "textbox", name, value) for name, value in zip(fields, values, strict=True)]
    return (Move("click", "summary", "Answer"), *typed, Move("click", "button", "Submit answer"))


def _to_the_offers(world: Any, given: dict[str, Any]) -> Way:
    moves: list[Move] = []
    label = load_labels("stays", str(NEUTRAL["labels"]))
    for leg in given["legs"]:
        listing, room = next(
            (listing, room) for listing in world.listings for room in listing.rooms if room.id == leg["room"]
        )
        moves += [
            Move("click", "link", "Staywell"),
            Move("type", "textbox", label["house_name"], listing.name),
            Move("type", "textbox", label["arrival"], leg["check_in"]),
            Move("type", "textbox", label["departure"], leg["check_out"]),
            Move("select", "combobox", label["guests"], f"{leg['guests']} guest{'s' * (leg['guests'] != 1)}"),
            Move("click", "button", label["search"]),
            Move("click", "link", listing.name),
            Move("click", "link", label["book_room"].format(room.name)),
        ]
    return tuple(moves)


def _to_matching_reviews(world: Any, given: dict[str, Any]) -> Way:
    product = world.product(given["product"])
    label = load_labels("reviews", str(NEUTRAL["labels"]))
    return (
        Move("click", "link", product.name),
        Move("click", "link", label["read_reviews"].format(reviews=f"{product.review_count} reviews")),
        Move("type", "searchbox", label["search"], given["term"]),
        Move("click", "button", label["show"]),
    )


WAYS = {"stays": _to_the_offers, "reviews": _to_matching_reviews}
