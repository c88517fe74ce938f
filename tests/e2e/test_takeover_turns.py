"""An agent of the client and a person in their own browser play one episode in turns, at the same time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from threading import Event
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from core.episodes.presentation import Look
from palaestra import Client, Env
from palaestra.grammars.json import action_line
from tests import factories
from tests.e2e import test_every_family as families
from tests.e2e.conftest import ArenaServer
from tests.e2e.fork_line import Stage
from tests.e2e.test_forks import FIELDS, named
from tests.e2e.test_forks import stage as stage
from tests.e2e.test_site_frame import SAMPLE
from tests.e2e.test_takeover import ANYBODY, actions_of, ready
from trajectories.models import Episode, Step, Submission
from trajectories.rollouts.episodes import takeovers

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

TURN_S = 60.0
LIMIT_S = 150.0  # an agent that nobody hands back to would wait for an hour
ANSWER = "1.00"
Shown = list[tuple[str, str | None, int]]


class Turns:
    """An episode whose agent looks at its trips, cannot go on, and answers once a person has helped."""

    def __init__(self, run: int, task: int, answer: str) -> None:
        self.run, self.task, self.answer = run, task, answer
        self.is_persons, self.is_taken = Event(), Event()
        self.shown: Shown = []

    async def play(self, client: Client, pool: Any) -> None:
        look = Look().as_dict("site")
        async with Env("", "", run=self.run, client=client, pool=pool, presentation=look) as env:
            start = await env.reset(self.task)
            await self._step(env, type="click", target=named(start.text, "link", "My trips"))
            self.is_persons.set()
            assert await asyncio.to_thread(self.is_taken.wait, TURN_S)
            # A person acts: this is refused, waits, and shows what they have left.
            await self._step(env, type="noop")
            await self._step(env, type="click", target=self._named("summary", "Answer"))
            await self._step(env, type="type", target=self._named("textbox", FIELDS[0]), text=self.answer)
            assert env.episode is not None
            # Not a step of the environment, which waits for the verdict: no worker judges here.
            await env.episode.turn(action_line(type="click", target=self._named("button", "Submit answer")))
            assert env.episode.is_over

    def _named(self, role: str, name: str) -> str:
        return named(self.shown[-1][0], role, name)

    async def _step(self, env: Env, **action: Any) -> None:
        observation, *_, info = await env.step(action_line(**action))
        self.shown.append((observation.text, info["action_result"], info["step"]))


def test_an_agent_waits_for_a_person_and_finishes_what_they_began(
    arena_server: ArenaServer, open_page: Callable[..., Page], stage: Stage
) -> None:
    task = factories.task(
        kind=SAMPLE.kind, payload=dict(SAMPLE.payload), prompt=SAMPLE.prompt, benchmark=factories.benchmark()
    )
    turns = Turns(factories.run().pk, task.pk, ANSWER)
    agent = stage.begin(
        lambda client: asyncio.wait_for(turns.play(client, stage.pools["chromium"]), timeout=LIMIT_S)
    )
    assert turns.is_persons.wait(TURN_S), agent.exception(timeout=1)
    episode = Episode.objects.get()

    person = open_page(viewport={"width": 1280, "height": 800})
    url = takeovers.takeover_begin(episode_id=episode.pk, person="Ada", principal=ANYBODY)["url"]
    person.goto(f"{arena_server.url}/takeover/{url.rpartition('/')[2]}")
    frame = ready(person)
    turns.is_taken.set()
    expect(frame.get_by_role("heading", level=1)).to_contain_text("trip", ignore_case=True)
    frame.get_by_role("link", name="Staywell").first.click()
    assert actions_of(person, episode, 1) == ["click", "click"]
    ready(person)
    person.get_by_role("button", name="Mark as correction").click()
    expect(person.locator("[data-state] .tag")).to_have_text("correction")
    # In view: a browser that scrolls to a link has its scrolling recorded, if there is time for it.
    frame.get_by_role("link", name="My trips").first.click()
    assert actions_of(person, episode, 2) == ["click"] * 3
    assert not agent.done()
    person.get_by_role("button", name="Hand back").click()
    expect(person.get_by_role("heading", level=1)).to_have_text("Handed back")
    agent.result(TURN_S)

    waited = turns.shown[1]
    assert waited[1:] == ("refused", 3)
    assert "https://gym/trips" in waited[0].splitlines()[0]
    steps = Step.objects.filter(episode=episode).order_by("index")
    assert [(step.actor, step.segment) for step in steps] == [
        ("policy", ""),
        ("person", "recovery"),
        ("person", "correction"),
        *[("policy", "")] * 3,
    ]
    assert Submission.objects.get(episode=episode).answer[0] == ANSWER
    assert families.outcome(episode) == "incorrect", "one field of two"
