"""Forks in a browser and without one: every kind of question, and the families of both sites.

``WHOLE_SITES=1`` takes every family, and forks after every step; without it one family of each site stands
for the others, and of questions, looks and browsers any two meet.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any

import pytest
from django.conf import LazySettings
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

import palaestra.play.episode
from core.episodes.presentation import Look
from palaestra import ApiError, Client, Env, RemoteEnv
from palaestra.engine import Engine
from palaestra.episode_config import EpisodeConfig
from palaestra.errors import ForkDiverged
from palaestra.grammars.json import action_line
from palaestra.observation import Observation
from palaestra.policies import EpisodeInfo, Solution, Solver
from palaestra.records import OpenedEpisode
from palaestra.rollouts import Rollout
from palaestra.stage import Stage as PageStage
from palaestra.stage import StageConfig
from tasks_app.families.registry import FAMILIES
from tests import coverage_choice
from tests.coverage_choice import IS_WHOLE
from tests.e2e import test_every_family as families
from tests.e2e.conftest import ArenaServer
from tests.e2e.fork_line import Stage, Taken
from tests.e2e.test_observation_formats import recorded
from tests.e2e.test_question_looks import KINDS, TOOLS, episode_in
from tests.e2e.test_scripted_policies import info_of
from tests.e2e.test_site_frame import SAMPLE, episode_make
from trajectories.models import Episode, Run, SiteEvent, Step
from trajectories.record.api import auth

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

OpenPage = Callable[..., Page]
LOOKS = {"neutral": Look(), "a dialog and pop-ups": Look(form="dialog", pop_ups="often")}
FEW = ("book_stay", "count_conditions")
BROWSERS = ("chromium", "lite")
TASKS = list(FAMILIES) if IS_WHOLE else list(FEW)
STEPS_MAX = 120
TOKEN, SMALL = "token", StageConfig(memory_floor_mb=0, pages=2)
FIELDS = SAMPLE.payload["fields"]
Moves = Sequence[Callable[[str], dict[str, Any]]]


@pytest.fixture
def stage(
    live_server: LiveServer, arena_server: ArenaServer, settings: LazySettings, browser: object
) -> Iterator[Stage]:
    settings.ARENA_URL = arena_server.url
    key = auth.key_create(name="forks", scopes=["trainer", "guidance"])
    with ThreadPoolExecutor(1) as thread:
        made = Stage(live_server.url, key, arena=arena_server.url, thread=thread, config=EpisodeConfig())
        yield made
        made.close()


def opened_of(episode: Episode, arena_server: ArenaServer, **fields: Any) -> OpenedEpisode:
    Episode.objects.filter(pk=episode.pk).update(max_steps=STEPS_MAX)
    return OpenedEpisode(
        id=episode.pk,
        task=episode.task_id,
        group=episode.group_id,
        sample_index=0,
        arm=episode.arm,
        start_url=arena_server.address(episode),
        max_steps=STEPS_MAX,
        **fields,
    )


def steps_chosen(taken: Taken) -> list[int]:
    last = len(taken.completions) - 1
    return list(range(last + 1)) if IS_WHOLE else sorted({1, last // 2, last} & {*range(last + 1)})


def hold(stage: Stage, parent: Taken, *, browser: str, steps: Sequence[int] = ()) -> None:
    """Each fork shows what the parent did, and goes on as it did, to the same verdict."""
    verdict = outcome(stage, parent.episode)
    for step in steps or steps_chosen(parent):
        opened = stage.forked(parent.episode, step=step)
        fork = stage.taken(opened, parent.completions[step:], browser=browser)
        expected = parent.shown[step:]
        for number, (own, others) in enumerate(zip(fork.shown, expected, strict=True), start=step):
            assert own.text == others.text, f"fork after {step}, shown after {number}"
            assert own.url == others.url
            assert own.messages == others.messages
        assert outcome(stage, fork.episode) == verdict
        assert events_of(fork.episode) == events_of(parent.episode)


def outcome(stage: Stage, episode: int) -> str:
    """The outcome of an episode, which is closed if it has no answer."""
    row = Episode.objects.get(pk=episode)
    if row.status == Episode.Status.SUBMITTED:
        return families.outcome(row)
    if row.status == Episode.Status.OPEN:
        stage.closed(episode)
        row.refresh_from_db()
    assert row.verdict is not None
    return row.verdict.outcome


def events_of(episode: int) -> list[tuple[Any, ...]]:
    rows = SiteEvent.objects.filter(episode_id=episode).order_by("seq")
    return list(rows.values_list("seq", "step", "kind", "data"))


@pytest.mark.parametrize(("kind", "look", "browser_name"), coverage_choice.pairs(KINDS, LOOKS, BROWSERS))
def test_a_fork_of_every_kind_of_question_is_its_parent(
    kind: str, look: str, browser_name: str, arena_server: ArenaServer, stage: Stage
) -> None:
    episode = episode_in(LOOKS[look], kind, tools=TOOLS.get(kind, []))
    solver = Solver({episode.task_id: Solution(task=episode.task_id, answer=KINDS[kind].gold.answer)})
    info = info_of(episode, kind, max_steps=40)
    taken, turns = stage.played(opened_of(episode, arena_server), lambda player: player.play(solver, info))
    if browser_name == "lite":
        other = episode_in(LOOKS[look], kind, tools=TOOLS.get(kind, []))
        taken = stage.twin_played(opened_of(other, arena_server), turns)
    hold(stage, taken, browser=browser_name)


@pytest.mark.slow
@pytest.mark.parametrize("browser_name", BROWSERS)
@pytest.mark.parametrize("family", TASKS)
def test_a_fork_of_every_family_is_its_parent(
    family: str,
    browser_name: str,
    arena_server: ArenaServer,
    open_page: OpenPage,
    monkeypatch: pytest.MonkeyPatch,
    stage: Stage,
) -> None:
    case = families.case_of(family, 0, 0)
    moves = recorded(case, arena_server, open_page, monkeypatch)
    opened = opened_of(case.episode(), arena_server, is_site=True)
    taken, turns = stage.played(opened, lambda player: player.solve(moves))
    if browser_name == "lite":
        taken = stage.twin_played(opened_of(case.episode(), arena_server, is_site=True), turns)
    hold(stage, taken, browser=browser_name)


# ---- what the tab and the history hold
def named(text: str, role: str, name: str = "") -> str:
    match = re.search(rf'\[(e\d+)\] {role} "{re.escape(name)}', text)
    assert match, text
    return match[1]


def site_taken(stage: Stage, arena_server: ArenaServer, moves: Moves, *, browser: str = "chromium") -> Taken:
    """An episode of the booking site that ends without an answer."""

    async def play(episode: palaestra.play.episode.Episode, taken: Taken) -> None:
        for move in moves:
            taken.completions.append(action_line(**move(episode.observation.text)))
            await episode.turn(taken.completions[-1])
            taken.shown.append(episode.observation)
        await episode.close("agent_stopped")

    opened = opened_of(episode_make(presentation=Look().as_dict("site")), arena_server, is_site=True)
    taken = stage.done(opened, play, browser=browser)
    # Its last act finds nothing in a browser, where a page at the same address takes the place of the first.
    assert [one.result for one in taken.shown[1:8]] == ["ok"] * min(len(moves), 7)
    return taken


WANDERING: Moves = [
    lambda text: {"type": "type", "target": named(text, "textbox", FIELDS[0]), "text": "412."},
    lambda _: {"type": "goto", "url": "https://gym/trips"},
    lambda _: {"type": "goto", "url": "https://gym/help"},
    lambda _: {"type": "back"},
    lambda _: {"type": "scroll", "dy": 200},
    lambda _: {"type": "back"},
    lambda text: {"type": "click", "target": named(text, "link")},
    lambda _: {"type": "back"},
]


@pytest.mark.parametrize("browser_name", BROWSERS)
def test_what_was_typed_elsewhere_and_the_way_back_are_the_parents(
    browser_name: str, arena_server: ArenaServer, stage: Stage
) -> None:
    parent = site_taken(stage, arena_server, WANDERING, browser=browser_name)
    hold(stage, parent, browser=browser_name, steps=range(0, len(WANDERING), 1 if IS_WHOLE else 2))


def test_every_observation_on_the_way_can_be_compared(arena_server: ArenaServer, stage: Stage) -> None:
    parent = site_taken(stage, arena_server, WANDERING)
    stage.config = replace(stage.config, fork_check="all")
    hold(stage, parent, browser="chromium", steps=[5, 7])
    Step.objects.filter(episode=parent.episode, index=3).update(observation_text="another page")
    with pytest.raises(ForkDiverged, match=r"After step 2 the page differs: -another page"):
        stage.taken(stage.forked(parent.episode, step=5), [], browser="chromium")


@pytest.mark.parametrize("browser_name", ["chromium", "lite"])
def test_a_fork_that_is_not_its_parent_is_void(
    browser_name: str, arena_server: ArenaServer, stage: Stage
) -> None:
    parent = site_taken(stage, arena_server, WANDERING, browser=browser_name)
    Step.objects.filter(episode=parent.episode, index=4).update(observation_text="page\ngone")
    opened = stage.forked(parent.episode, step=3)
    before = events_of(parent.episode)
    with pytest.raises(ForkDiverged, match=r"After step 3 the page differs: -page; -gone; \+page"):
        stage.taken(opened, WANDERING[:0], browser=browser_name)
    fork = Episode.objects.get(pk=opened.id)
    assert fork.status == "open"
    assert all(event in before for event in events_of(opened.id))


def test_a_late_step_of_the_parent_changes_nothing(arena_server: ArenaServer, stage: Stage) -> None:
    parent = site_taken(stage, arena_server, WANDERING)
    opened = stage.forked(parent.episode, step=4)
    last = events_of(parent.episode)[-1]
    SiteEvent.objects.create(episode_id=parent.episode, seq=last[0] + 1, step=5, kind="viewed", data={})
    fork = stage.taken(opened, parent.completions[4:], browser="chromium")
    assert [one.text for one in fork.shown] == [one.text for one in parent.shown[4:]]


@pytest.mark.parametrize("browser_name", ["chromium", "lite"])
def test_a_fork_of_a_fork_goes_on_as_the_first_did(
    browser_name: str, arena_server: ArenaServer, stage: Stage
) -> None:
    parent = site_taken(stage, arena_server, WANDERING, browser=browser_name)
    child = stage.taken(stage.forked(parent.episode, step=3), parent.completions[3:], browser=browser_name)
    stage.closed(child.episode)
    whole = Taken(child.episode, parent.completions, [*parent.shown[:3], *child.shown])
    hold(stage, whole, browser=browser_name, steps=[2, 5])


def test_one_key_opens_a_fork_once(arena_server: ArenaServer, stage: Stage) -> None:
    parent = site_taken(stage, arena_server, WANDERING[:3])
    opened = {stage.forked(parent.episode, step=1, idempotency_key="once").id for _ in range(3)}
    assert len(opened) == Episode.objects.filter(parent=parent.episode).count() == 1


# ---- by environments, stages and the engine
class Replayer:
    """A policy that takes the same completions at the same steps."""

    name = "replayer"
    simulated = True

    def __init__(self, completions: Sequence[str]) -> None:
        self._completions = completions
        self.shown: dict[int, list[str]] = {}

    async def act(self, observation: Observation, episode: EpisodeInfo) -> str | None:
        self.shown.setdefault(episode.id, []).append(observation.text)
        return self._completions[episode.step - 1] if episode.step <= len(self._completions) else None


@pytest.mark.parametrize("way", ["here", "on a stage"])
def test_an_environment_goes_on_from_a_step(way: str, arena_server: ArenaServer, stage: Stage) -> None:
    parent = site_taken(stage, arena_server, WANDERING)
    run = Episode.objects.get(pk=parent.episode).run_id

    async def work(client: Client) -> list[str]:
        async with AsyncExitStack() as stack:
            env: Env | RemoteEnv = Env("", "", run=run, client=client, pool=stage.pools["chromium"])
            if way == "on a stage":
                served = await stack.enter_async_context(PageStage(client, token=TOKEN, config=SMALL))
                served.slots["chromium"].pool = stage.pools["chromium"]
                host, port = (await served.serve("127.0.0.1", 0)).sockets[0].getsockname()[:2]
                env = RemoteEnv(f"http://{host}:{port}", TOKEN, run=run)
            await stack.enter_async_context(env)
            texts = [(await env.fork(parent.episode, 4, max_steps=50)).text]
            for completion in parent.completions[4:]:
                observation, *_, info = await env.step(completion)
                texts.append(observation.text)
            assert info["step"] == len(parent.completions)
            with pytest.raises(ApiError, match="no_such_step"):
                await env.fork(parent.episode, 40)
            return texts

    assert stage.run(work) == [one.text for one in parent.shown[4:]]
    assert Episode.objects.get(parent=parent.episode).max_steps == 50


@pytest.mark.parametrize("browser_name", ["chromium", "lite"])
def test_an_engine_plays_forks_of_several_episodes(
    browser_name: str, arena_server: ArenaServer, stage: Stage
) -> None:
    parent = site_taken(stage, arena_server, WANDERING, browser=browser_name)
    run = Episode.objects.get(pk=parent.episode).run
    Run.objects.filter(pk=run.pk).update(settings={"browser": browser_name})
    Step.objects.filter(episode=parent.episode, index=3).update(observation_text="another page")
    policy = Replayer(parent.completions)

    async def work(client: Client) -> list[Rollout]:
        async with Engine(client, pages=2, browser=browser_name, verdict_limit_s=3.0) as engine:
            engine.pool = stage.pools[browser_name]
            forks = [{"episode": parent.episode, "step": step, "count": 2} for step in (4, 6)]
            return await engine.fork(
                run=run.pk, forks=[*forks, {"episode": parent.episode, "step": 2}], policy=policy
            )

    *played, diverged = stage.run(work)
    for rollout, step in zip(played, (4, 4, 6, 6), strict=True):
        assert rollout.problem == ""
        assert policy.shown[rollout.episode] == [one.text for one in parent.shown[step:]]
    assert (diverged.outcome, diverged.verdict and diverged.verdict.reason) == ("void", "fork_diverged")
    assert "After step 2 the page differs: -another page" in diverged.problem
    closed = Episode.objects.get(pk=diverged.episode)
    assert "After step 2" in (closed.close_detail or "")
