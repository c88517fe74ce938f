"""What the model was sent before each step can be rebuilt from the record, byte for byte."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, islice
from typing import Any

import pytest
from django.conf import LazySettings, settings
from pytest_django.live_server_helper import LiveServer

from core.draws import Draws
from palaestra.api import Client
from palaestra.conversation import conversation_rebuild
from palaestra.episode_config import EpisodeConfig
from palaestra.grammars.json import action_line
from palaestra.pages.pool import PagePool
from palaestra.play.episode import Episode
from palaestra.policies import EpisodeInfo, Narrator
from palaestra.records import Message
from tasks_app.families.registry import list_families
from tasks_app.models import Task
from tasks_app.sites.drafts import draft_make, task_place
from tasks_app.sites.worlds import site_world
from tests import factories
from tests.coverage_choice import IS_WHOLE
from tests.e2e.conftest import ArenaServer
from tests.e2e.test_question_looks import KINDS
from trajectories.record.api import auth

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

EPISODES, SAMPLES = (100, 5) if IS_WHOLE else (15, 1)
QUESTIONS = ("free_answer", "choice", "table") if IS_WHOLE else ("free_answer", "table")
SITES = ("stays", "reviews") if IS_WHOLE else ("stays",)
PAGES = 3
STEPS = 4
# Every kind of result: done, no such element, covered or gone, refused, unreadable, cleaned on its way.
TURNS = (
    "I look further down.\n" + action_line("scroll", dy=400),
    "Nobody can see this.\n" + action_line("click", target="e9999"),
    "The first link.\n" + action_line("click", target="e1"),
    "Away.\n" + action_line("goto", url="https://elsewhere.example/"),
    "No action at all, and a half \ud83d and a \x00.",
    "Something in a field.\n" + action_line("type", target="e2", text="forty\n two \u202e"),
    "Back.\n" + action_line("back"),
    'Action: {"type": "press", "key": "Control+w"}',
    "The answer.\n" + action_line("answer", text="42"),
)
CONFIGS = (
    ("gym", "axtree", "full"),
    ("gym", "axtree", "last_k:2"),
    ("gym", "axtree", "diff"),
    ("gym", "both", "last_k:1"),
    ("gym_with_text", "axtree", "full"),
)
ARMS_WITHOUT_PAGE = ("text_agent", "text_zero_shot")
Sent = tuple[int, list[list[Message]], list[list[Message]]]


def tasks_make() -> list[Task]:
    """One of every kind of question, and of both sites."""
    made = [
        factories.task(kind=kind, prompt=draft.prompt, payload=draft.payload, answer=draft.gold.answer)
        for kind, draft in KINDS.items()
        if kind in QUESTIONS
    ]
    for site in SITES:
        family = list_families(site)[0]
        where = site_world(site, number=3, edition=family.splits[0], salt=settings.WORLD_SALT)
        world = where.open()
        draws = (family.draw(world, Draws("conversations", site, n), 1) for n in range(60))
        draft = draft_make(task_place(next(filter(None, draws)), where, world), split=None)
        made.append(factories.task(kind="site", prompt=draft.prompt, payload=draft.payload))
    return made


async def play(client: Client, pool: PagePool, opened: Any, config: EpisodeConfig, place: int) -> Sent:
    episode = Episode(client, opened[0], messages=opened[1], config=config)
    if opened[0].start_url is not None:
        episode.page, episode.renew = await pool.acquire(), pool.renew
    turns = islice(cycle(TURNS), place, place + STEPS)
    sent: list[list[Message]] = []
    await episode.begin()
    for text in narrated(turns, place):
        if episode.is_over:
            break
        sent.append(list(episode.observation.messages))
        info = EpisodeInfo(
            id=episode.opened.id,
            task=episode.opened.task,
            arm=episode.opened.arm,
            step=episode.steps + 1,
            max_steps=episode.opened.max_steps,
            sample_index=0,
            memory={},
        )
        await episode.turn(text or await Narrator().act(episode.observation, info) or "")
    await episode.close("agent_stopped")
    if episode.page is not None:
        await pool.release(episode.page)
    return opened[0].id, sent, await conversation_rebuild(client, opened[0].id)


def narrated(turns: Iterator[str], place: int) -> Iterator[str]:
    """Every third episode is the narrator's own."""
    return (("" if place % 3 == 0 else text) for text in turns)


async def play_all(lab: str, arena: str, key: str, runs: Mapping[str, int], tasks: list[int]) -> list[Sent]:
    async with Client(lab, key) as client:
        pool = PagePool(origin=arena, size=PAGES)
        limit = asyncio.Semaphore(PAGES)

        async def one(opened: Any, config: EpisodeConfig, place: int) -> Sent:
            async with limit:
                return await play(client, pool, opened, config, place)

        plays: list[Any] = []
        select_settings = [*CONFIGS, *((arm, "axtree", "full") for arm in ARMS_WITHOUT_PAGE)]
        for arm, kind, history in select_settings:
            fields = {"run": runs[history], "arm": arm, "samples_per_task": SAMPLES}
            usable = tasks if arm == "gym" else tasks[: len(QUESTIONS)]
            opening = await client.episodes_open(tasks=usable, **fields)
            config = EpisodeConfig(observation=kind, history=history)  # type: ignore[arg-type]
            plays += [
                one((each, opening.messages_of(each)), config, len(plays) + place)
                for place, each in enumerate(opening.episodes)
            ]
        try:
            return list(await asyncio.gather(*plays))
        finally:
            await pool.aclose()


def test_what_a_model_was_sent_is_rebuilt_from_the_record(
    live_server: LiveServer, arena_server: ArenaServer, settings: LazySettings, browser: object
) -> None:
    settings.ARENA_URL = arena_server.url
    runs = {history: factories.run(history=history).pk for _, _, history in CONFIGS}
    tasks = [task.pk for task in tasks_make()]
    key = auth.key_create(name="conversations", scopes=["read", "trainer"])
    with ThreadPoolExecutor(1) as thread:
        job = play_all(live_server.url, arena_server.url, key, runs, tasks)
        episodes = thread.submit(asyncio.run, job).result()

    assert len(episodes) >= EPISODES
    for _, sent, rebuilt in episodes:
        assert rebuilt == sent
    messages = str([sent for _, sent, _ in episodes])
    assert all(
        f"Result of your action: {code}" in messages for code in ("ok", "no_target", "refused", "invalid")
    )
