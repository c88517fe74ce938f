"""Rows of the mock sites over HTTP: opening, first pages, page views compared with a bare view, and memory.

Worlds are drawn when they are first needed, so everything is measured twice: with few worlds, which are
cached, and with a separate world for every episode.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import cycle
from statistics import median

from tests.bench import load, processor
from tests.bench.installation import Installation
from tests.bench.rows_http import tail_note
from tests.bench.servers import Server, wsgi_server
from tests.bench.site_episodes import SITES, Visited, in_turn, path_of, payloads_of, tasks_insert, visits
from tests.bench.table import Row, middle

EPISODES = 1_000
FEW_WORLDS = 8
AGENTS = 50
THINK_S = 1.0
SHORT_THINK_S = 0.1
CONNECTIONS = 16
ROUNDS = 3
TURN_S = 1.0
SERVED_BY = "2 processes of 4 threads"
ARENA = ("gymsite.services.server", "arena")


def rows(place: Installation) -> Iterator[Row]:
    run = place.run_create("sites")
    few = payloads_of(place, count=EPISODES, worlds_each=FEW_WORLDS, first=0)
    many = payloads_of(place, count=EPISODES, worlds_each=EPISODES, first=1_000)
    few_tasks, many_tasks = tasks_insert(place, few), tasks_insert(place, many)
    yield _opening(place, run, many_tasks)
    yield from _memory(place, run, many, many_tasks)
    for name, payloads, tasks in (("few worlds", few, few_tasks), ("a world each", many, many_tasks)):
        yield from _first_pages(place, visits(place, run, payloads, tasks), name)
    yield from _beside_bare(place, visits(place, run, few, few_tasks))
    yield _all_views(place, visits(place, run, few, few_tasks), "few worlds")
    yield _all_views(place, visits(place, run, many[:300], many_tasks[:300]), "a world each")


def _opening(place: Installation, run: int, tasks: list[int]) -> Row:
    times = []
    for _ in range(5):
        begun = time.perf_counter()
        place.episodes_open(run, tasks, presentation={})
        times.append((time.perf_counter() - begun) * 1000)
    note = f"{EPISODES:,} tasks; median {median(times):.0f} ms"
    return Row("1,000 site episodes opened", min(times), "ms", 300, is_lower_better=True, note=note)


def _memory(
    place: Installation, run: int, payloads: list[dict[str, object]], tasks: list[int]
) -> Iterator[Row]:
    """Measure the arena's growth when a thousand episodes, each with its own world, are visited once."""
    visited = visits(place, run, payloads, tasks)
    _ask(place, [one.start_url for one in visited[:20]], connections=CONNECTIONS)
    arena = processor.pids_of(*ARENA, var_dir=place.var_dir)
    before = processor.memory_mb(arena)
    _ask(place, [one.start_url for one in visited], connections=CONNECTIONS)
    first = processor.memory_mb(arena) - before
    _ask(place, in_turn(visited[: EPISODES // 2]), connections=CONNECTIONS)
    more = processor.memory_mb(arena) - before
    note = f"{before:.0f} MB before, in {SERVED_BY}; {more:.0f} MB more after six pages of each second one"
    yield Row("memory for 1,000 open episodes", first, "MB", 500, is_lower_better=True, note=note)


def _first_pages(place: Installation, visited: list[Visited], name: str) -> Iterator[Row]:
    half = len(visited) // 2
    slow = _paced(place, visited[:half], THINK_S)
    fast = _paced(place, visited[half:], SHORT_THINK_S)
    arrivals = f"{AGENTS} agents that wait {THINK_S:g} s between two; {slow.rate:.0f}/s"
    quick = (
        f"waiting {SHORT_THINK_S:g} s ({fast.rate:.0f}/s): p50 {fast.percentile(0.5):.1f},"
        f" p99 {fast.percentile(0.99):.1f} ms"
    )
    note = f"{arrivals}; {quick}"
    yield Row(f"first page p50, {name}", slow.percentile(0.5), "ms", 10, is_lower_better=True, note=note)
    yield Row(f"first page p99, {name}", slow.percentile(0.99), "ms", 60, is_lower_better=True)


def _paced(place: Installation, visited: list[Visited], think_s: float) -> load.Result:
    requests = iter([load.request_bytes("GET", one.start_url) for one in visited])
    return _checked(load.paced(place.arena, requests, clients=AGENTS, think_s=think_s))


def _all_views(place: Installation, visited: list[Visited], name: str) -> Row:
    """Measure saturation with pages that are new to their episodes, so that all are recorded."""
    done = _ask(place, in_turn(visited), connections=CONNECTIONS)
    note = f"every page new to its episode; {CONNECTIONS} connections, {SERVED_BY}; {tail_note(done)}"
    return Row(f"page views, {name}", done.rate, "/s", 0, note=note)


def _beside_bare(place: Installation, visited: list[Visited]) -> Iterator[Row]:
    """Measure each kind of page in turns with its floor, then all of them together."""
    arena = processor.pids_of(*ARENA, var_dir=place.var_dir)
    database = processor.pids_of("postgres", str(place.var_dir), var_dir=place.var_dir)
    for number, site in enumerate(SITES):
        episodes = visited[number::2]
        with _bare_pages(place, [path_of(url) for url in episodes[0].urls]) as server:
            kinds = [
                (
                    _kind(page),
                    Turns(
                        bare=(f"{server.url}/{turn}",),
                        ours=tuple(one.start_url + one.pages[turn] for one in episodes),
                    ),
                )
                for turn, page in enumerate(episodes[0].pages)
            ]
            groups = ({server.pid}, arena, database)
            done = [(name, turns.take(server.url, place.arena, groups)) for name, turns in kinds]
        each = ", ".join(f"{name} {taken.ours / taken.bare:.0%}" for name, taken in done)
        bare_ms, arena_ms, database_ms = (
            sum(times) / len(done) for times in zip(*(taken.spent_ms for _, taken in done), strict=True)
        )
        yield Row(
            f"page views of {site}",
            len(done) / sum(1 / taken.ours for _, taken in done),
            "/s",
            0,
            peer=len(done) / sum(1 / taken.bare for _, taken in done),
            beside="bare view, same template and context",
            ratio_target=0.5,
            note=f"{FEW_WORLDS} worlds, medians of {ROUNDS} turns; {each}; processor time of a page: bare"
            f" {bare_ms:.2f} ms, arena {arena_ms:.2f} and Postgres {database_ms:.2f},"
            f" ratio {bare_ms / (arena_ms + database_ms):.2f}",
        )


@dataclass(frozen=True)
class Taken:
    """Pages per second, and the milliseconds of processor time per page: bare server, arena and database."""

    bare: float
    ours: float
    spent_ms: tuple[float, float, float]


@dataclass(frozen=True)
class Turns:
    """One kind of page on both servers."""

    bare: tuple[str, ...]
    ours: tuple[str, ...]

    def take(self, bare: str, arena: str, groups: tuple[set[int], set[int], set[int]]) -> Taken:
        pairs, spent = [], [0.0, 0.0, 0.0]
        counts = [0, 0]
        for _ in range(ROUNDS):
            # Include children, because the database has one per connection and starts new ones in between.
            before = [processor.spent_s(processor.with_children(group)) for group in groups]
            floor, ours = _rate(bare, self.bare), _rate(arena, self.ours)
            pairs.append((floor.rate, ours.rate))
            counts = [counts[0] + floor.answers, counts[1] + ours.answers]
            for place, group in enumerate(groups):
                spent[place] += processor.spent_s(processor.with_children(group)) - before[place]
        each = (counts[0], counts[1], counts[1])
        ms = [1000 * one / count for one, count in zip(spent, each, strict=True)]
        return Taken(*middle(pairs), (ms[0], ms[1], ms[2]))


def _kind(page: str) -> str:
    return page.partition("?")[0].rpartition("/")[2] or "first page"


def _rate(url: str, pages: Iterable[str]) -> load.Result:
    requests = [load.request_bytes("GET", page) for page in pages]
    return _checked(load.hammer(url, cycle(requests), connections=CONNECTIONS, seconds=TURN_S))


def _ask(place: Installation, urls: list[str], *, connections: int) -> load.Result:
    requests = iter([load.request_bytes("GET", url) for url in urls])
    return _checked(load.hammer(place.arena, requests, connections=connections, seconds=120))


def _checked(done: load.Result) -> load.Result:
    if done.bad:
        raise RuntimeError(f"refused: {done.bad}")
    return done


def _bare_pages(place: Installation, paths: list[str]) -> AbstractContextManager[Server]:
    """Serve the floor in the same way as the arena."""
    env = {
        **place.env,
        "GYM_PROCESS": "arena",
        "DATABASE_URL": place.database_url("arena"),
        "BARE_PAGES": json.dumps(paths),
    }
    return wsgi_server("tests.bench.bare_pages:application", "--blocking-threads", "4", workers=2, env=env)
