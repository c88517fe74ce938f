"""The scripted policies find their way by the observation alone, in every look of a question's page."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from gymsite.core.presentation import Look
from palaestra.actions import turn_parse
from palaestra.executor import execute
from palaestra.observation import Observation, page_text
from palaestra.policies import EpisodeInfo, Narrator, Policy, Solution, Solver
from palaestra.pool import PagePool
from tasks_app import completing
from tasks_app.models import max_steps_for
from tasks_app.questions import questions
from tests.e2e.conftest import ArenaServer
from tests.e2e.test_question_looks import EVERY_KIND, KINDS, PLACES, TOOLS, episode_in, look_at
from trajectories.models import Episode, Submission

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]


def in_thread(doing: Coroutine[Any, Any, int]) -> int:
    """In a thread of its own, because the browser of other tests keeps an event loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, doing).result()


async def play(policy: Policy, info: EpisodeInfo, *, address: str) -> int:
    """Play an episode until its answer is in; the number of steps it took."""
    pool = PagePool(origin="/".join(address.split("/")[:3]), size=1)
    try:
        page = await pool.acquire()
        fence = await page.begin(address)
        view = await page.observe(acted=False)
        for step in range(1, info.max_steps + 1):
            assert view
            page.turn(step)
            observation = Observation(kind="axtree-v1", text=page_text(view, fence))
            said = await policy.act(observation, info)
            turn = turn_parse(said or "")
            assert turn.action, observation.text
            outcome = await execute(page, turn.action)
            assert outcome.result == "ok", f"{outcome.message} {observation.text}"
            view = await page.observe(acted=True)
            if view is None:
                return step
        raise AssertionError(f"no answer after {info.max_steps} steps")
    finally:
        await pool.aclose()


def info_of(episode: Episode, kind: str, *, max_steps: int) -> EpisodeInfo:
    form = questions.get(kind).form_of(episode.task.payload)
    return EpisodeInfo(
        id=episode.pk,
        task=episode.task_id,
        arm="gym",
        step=1,
        max_steps=max_steps,
        sample_index=0,
        memory={},
        answer_form=form,
    )


@pytest.mark.parametrize("place", PLACES)
@EVERY_KIND
def test_the_solver_hands_in_the_gold_in_every_look_within_the_moves_of_the_look(
    kind: str, place: int, arena_server: ArenaServer, browser: object
) -> None:
    look, sample = look_at(place, kind), KINDS[kind]
    episode = episode_in(look, kind, tools=TOOLS.get(kind, []))
    oracle = completing.draft_complete(sample).oracle_steps
    moves = oracle + questions.get(kind).more_moves(episode.task.payload, look)
    solver = Solver({episode.task_id: Solution(task=episode.task_id, answer=sample.gold.answer)})

    info = info_of(episode, kind, max_steps=max_steps_for(moves))
    steps = in_thread(play(solver, info, address=arena_server.address(episode)))

    answer = Submission.objects.get(episode=episode).answer
    assert ("|".join(answer) if isinstance(answer, list) else answer) == sample.gold.answer
    assert steps <= moves


@EVERY_KIND
def test_the_narrator_hands_in_something_behind_a_dialog_and_pop_ups(
    kind: str, arena_server: ArenaServer, browser: object
) -> None:
    look = Look(form="dialog", pop_ups="often")
    episode = episode_in(look, kind)

    steps = in_thread(
        play(Narrator(), info_of(episode, kind, max_steps=9), address=arena_server.address(episode))
    )

    assert Submission.objects.filter(episode=episode).exists()
    assert steps == 5
