"""The same scripted trajectories end the same in every grammar, and their conversations are rebuilt.

``WHOLE_SITES=1`` plays every task in every grammar; without it the others share what is played in ``json``.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from random import Random
from typing import Any

import pytest
from django.conf import LazySettings
from pytest_django.live_server_helper import LiveServer

from palaestra.api import Client
from palaestra.conversation import conversation_rebuild
from palaestra.episode_config import EpisodeConfig
from palaestra.grammars import GRAMMARS, get_grammar
from palaestra.grammars.json import turn_parse
from palaestra.pages.pool import PagePool
from palaestra.pages.warm_page import WarmPage
from palaestra.play.episode import Episode
from palaestra.policies import EpisodeInfo, Solution, Solver
from palaestra.records import OpenedEpisode
from tasks_app.starters import starter_drafts
from tests import factories
from tests.coverage_choice import IS_WHOLE
from tests.e2e.conftest import ArenaServer
from tests.e2e.test_question_looks import KINDS
from tests.e2e.test_wandering import ELEMENT, next_action
from trajectories.models import SiteEvent, Step, Submission
from trajectories.record.api import auth

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

WALK = 12
# By design a task's number draws its look, alike in all arms, and three in four have pop-ups: here all.
LOOKS = {"pop_ups": "often"}
POP_UP = re.compile(r'dialog ".*"\n +text: .*\n +\[(e\d+)\] button')
SITES = ("stays", "reviews")
REFERENCE = "json"
OTHERS = [grammar for grammar in GRAMMARS if grammar != REFERENCE]
Declared = dict[str, Any]
Place = tuple[str, str, int] | None
Next = Callable[[Episode], Awaitable[tuple[str, Declared] | None]]


def solver(solution: Solution) -> Next:
    """The actions of the scripted solver, with its thoughts."""
    policy, memory = Solver({solution.task: solution}), dict[str, Any]()

    async def decide(episode: Episode) -> tuple[str, Declared] | None:
        opened = episode.opened
        info = EpisodeInfo(
            id=opened.id,
            task=opened.task,
            arm=opened.arm,
            step=episode.steps + 1,
            max_steps=opened.max_steps,
            sample_index=0,
            memory=memory,
            answer_form=opened.answer_form,
        )
        turn = turn_parse(await policy.act(episode.observation, info) or "", episode.conditions)
        return (turn.thought, turn.declared) if turn.declared else None

    return decide


def walker(walk: list[tuple[Declared, Place]], seed: int) -> Next:
    """A walk over a site by what its pages list: the first leaves its way in ``walk``, the others follow."""
    rng, known, typing = Random(seed), list(walk), list[Declared]()

    async def decide(episode: Episode) -> tuple[str, Declared] | None:
        if len(walk) == WALK and not known:
            return None
        shown = episode.observation
        if known:
            declared, place = known.pop(0)
            return "Here.", {**declared, "target": id_of(shown.text, place)} if place else declared
        over = POP_UP.search(shown.text)
        if over and not typing:
            declared: Declared = {"type": "click", "target": over[1]}
        else:
            declared = typing.pop() if typing else next_action(shown.text, shown.result_message, rng)
        if declared["type"] == "type" and (field := declared.pop("target", "")):
            # By position a field is clicked first, which closes what is open elsewhere: here always.
            typing.append(declared)
            declared = {"type": "click", "target": field}
        walk.append((declared, place_of(shown.text, declared.get("target", ""))))
        return "What is here?", declared

    return decide


def place_of(text: str, target: str) -> Place:
    """An element by its role, its name and its number among those of the same name."""
    listed = ELEMENT.findall(text)
    for id_, role, name, _ in listed:
        if id_ == target:
            same = [one[0] for one in listed if one[1:3] == (role, name)]
            return role, name, same.index(id_)
    return None


def id_of(text: str, place: tuple[str, str, int]) -> str:
    role, name, number = place
    return [one[0] for one in ELEMENT.findall(text) if one[1:3] == (role, name)][number]


async def by_position(page: WarmPage, declared: Declared) -> Declared:
    """An action on an element as one at its place in the picture."""
    if not declared.get("target"):
        return declared
    place = await page.call("locate", {"id": declared["target"]})
    rest = {name: value for name, value in declared.items() if name != "target"}
    return {**rest, **{axis: round(place.get(axis, 0) * page.picture_scale) for axis in ("x", "y")}}


async def play(episode: Episode, decide: Next, grammar_id: str) -> list[Any]:
    """Play an episode to its end; returns what the model was sent before each step."""
    grammar, sent = get_grammar(grammar_id), []
    await episode.begin()
    while not episode.is_over and (step := await decide(episode)) is not None:
        thought, declared = step
        if grammar.facts.is_by_position and episode.page is not None:
            declared = await by_position(episode.page, declared)
        for completion in grammar.render(declared, thought=thought):
            sent.append(list(episode.observation.messages))
            turn, _ = await episode.turn(completion)
            assert turn.parse_error is None
    if not episode.is_over:
        await episode.close("agent_stopped")
    return sent


def tasks_of(grammar: str, questions: Sequence[int], sites: Sequence[int]) -> list[int]:
    """What is played in a grammar: everything, or one question in turn and, where it names elements by
    position, one site.
    """
    if IS_WHOLE or grammar == REFERENCE:
        return [*questions, *sites]
    turn = OTHERS.index(grammar)
    own_site = [sites[turn % len(sites)]] if GRAMMARS[grammar].facts.is_by_position else []
    return [questions[turn % len(questions)], *own_site]


async def play_all(
    lab: str,
    arena: str,
    key: str,
    runs: Mapping[str, tuple[int, list[int]]],
    tasks: Mapping[int, Callable[[], Next]],
) -> dict[str, dict[int, int]]:
    """By grammar and task the episode, whose conversation was rebuilt; ``runs`` are the run and the tasks of
    each grammar.
    """
    played: dict[str, dict[int, int]] = {grammar: {} for grammar in runs}
    pool = PagePool(origin=arena, size=1)
    async with Client(lab, key) as client:
        for grammar, (run, own) in runs.items():
            config = EpisodeConfig(observation="both", grammar=grammar)
            opening = await client.episodes_open(
                run=run, tasks=own, arm="gym", seed=1, looks="per_group", max_steps=60, presentation=LOOKS
            )
            for opened in opening.episodes:
                episode = await opened_play(client, pool, opened, opening.messages_of(opened), config, tasks)
                played[grammar][opened.task] = episode
    await pool.aclose()
    return played


async def opened_play(
    client: Client,
    pool: PagePool,
    opened: OpenedEpisode,
    messages: list[Any],
    config: EpisodeConfig,
    tasks: Mapping[int, Callable[[], Next]],
) -> int:
    episode = Episode(client, opened, messages=messages, config=config)
    episode.page, episode.renew = await pool.acquire(), pool.renew
    sent = await play(episode, tasks[opened.task](), config.grammar)
    await pool.release(episode.page)
    assert await conversation_rebuild(client, opened.id) == sent
    return opened.id


def test_the_same_actions_end_the_same_in_every_grammar(
    live_server: LiveServer, arena_server: ArenaServer, settings: LazySettings, browser: object
) -> None:
    settings.ARENA_URL = arena_server.url
    tasks: dict[int, Callable[[], Next]] = {}
    golds: dict[int, str] = {}
    for kind, draft in KINDS.items():
        fields = {"kind": kind, "prompt": draft.prompt, "payload": draft.payload}
        made = factories.task(pk=len(tasks) + 1, answer=draft.gold.answer, **fields)
        solution = Solution(task=made.pk, answer=draft.gold.answer, solution='As $\\frac{1}{2}$ "shows".')
        tasks[made.pk] = partial(solver, solution)
        golds[made.pk] = draft.gold.answer
    for site in SITES:
        draft = starter_drafts(site)[0]
        fields = {"kind": draft.kind, "prompt": draft.prompt, "payload": dict(draft.payload)}
        made = factories.task(pk=len(tasks) + 1, **fields)
        tasks[made.pk] = partial(walker, [], len(tasks))
    questions, sites = [*golds], [one for one in tasks if one not in golds]
    runs = {
        grammar: (
            factories.run(grammar=grammar, observation="both-v2").pk,
            tasks_of(grammar, questions, sites),
        )
        for grammar in (REFERENCE, *OTHERS)
    }
    key = auth.key_create(name="grammars", scopes=["read", "trainer"])
    with ThreadPoolExecutor(1) as thread:
        job = play_all(live_server.url, arena_server.url, key, runs, tasks)
        played = thread.submit(asyncio.run, job).result()

    failures = Step.objects.exclude(action_result="ok").values_list("raw", "action_result", "more")
    assert list(failures) == []
    closed = SiteEvent.objects.filter(kind="banner_closed")
    assert set(closed.values_list("episode__task__payload__site", flat=True)) == set(SITES)
    ends = {
        grammar: {task: end_of(episode) for task, episode in of.items()} for grammar, of in played.items()
    }
    assert {task: ends[REFERENCE][task][0] for task in golds} == golds
    for grammar, (_, own) in runs.items():
        assert ends[grammar] == {task: ends[REFERENCE][task] for task in own}, grammar


def end_of(episode: int) -> tuple[str, list[Any]]:
    """What was submitted, and what happened on the site."""
    submitted = Submission.objects.filter(episode=episode).values_list("answer", flat=True).first()
    answer = "|".join(submitted) if isinstance(submitted, list) else (submitted or "")
    events = SiteEvent.objects.filter(episode=episode).order_by("seq").values_list("kind", "data")
    return answer.replace("\r\n", "\n"), list(events)
