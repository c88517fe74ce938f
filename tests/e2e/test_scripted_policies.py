"""The scripted policies find their way by the observation alone, in every look of a question's page."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from core.episodes.presentation import Look
from palaestra.actions import action_perform
from palaestra.grammars.json import turn_parse
from palaestra.observation import Observation, page_text
from palaestra.pages.pool import PagePool
from palaestra.pages.warm_page import WarmPage
from palaestra.policies import EpisodeInfo, Narrator, Policy, Solution, Solver
from tasks_app import draft_assets
from tasks_app.models import max_steps_for
from tasks_app.questions import questions
from tests.e2e.conftest import ArenaServer
from tests.e2e.test_question_looks import KINDS, PLACES, SHOWN, TOOLS, episode_in, look_at
from trajectories.models import Episode, Submission

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]


Round = tuple[Policy, EpisodeInfo, str]


def play(*rounds: Round) -> list[int]:
    """Play each episode at its address in one browser until it has been submitted; returns the steps of each.

    In a thread of its own, because the browser of other tests keeps an event loop in this one.
    """
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, _play(rounds)).result()


async def _play(rounds: tuple[Round, ...]) -> list[int]:
    pool = PagePool(origin="/".join(rounds[0][2].split("/")[:3]), size=1)
    try:
        taken = []
        for policy, info, address in rounds:
            page = await pool.acquire()
            taken.append(await _steps(page, policy, info, address=address))
            await pool.release(page)
        return taken
    finally:
        await pool.aclose()


async def _steps(page: WarmPage, policy: Policy, info: EpisodeInfo, *, address: str) -> int:
    bounds = await page.begin(address)
    view = await page.observe(acted=False)
    for step in range(1, info.max_steps + 1):
        assert view
        page.turn(step)
        observation = Observation(kind="axtree-v2", text=page_text(view, bounds))
        reply = await policy.act(observation, info)
        turn = turn_parse(reply or "", frozenset())
        assert turn.action, observation.text
        outcome = await action_perform(page, turn.action)
        assert outcome.result == "ok", f"{outcome.message} {observation.text}"
        view = await page.observe(acted=True)
        if view is None:
            return step
    raise AssertionError(f"no answer after {info.max_steps} steps")


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
def test_the_solver_submits_the_gold_in_every_look_within_the_counted_moves(
    place: int, arena_server: ArenaServer, browser: object
) -> None:
    kinds = [kind for kind, shown in SHOWN if shown == place]
    looks = {kind: look_at(place, kind) for kind in kinds}
    episodes = {kind: episode_in(looks[kind], kind, tools=TOOLS.get(kind, [])) for kind in kinds}
    moves = {kind: moves_of(kind, episodes[kind], looks[kind]) for kind in kinds}

    steps = play(
        *(
            (
                Solver({one.task_id: Solution(task=one.task_id, answer=KINDS[kind].gold.answer)}),
                info_of(one, kind, max_steps=max_steps_for(moves[kind])),
                arena_server.address(one),
            )
            for kind, one in episodes.items()
        )
    )

    for kind, taken in zip(kinds, steps, strict=True):
        answer = Submission.objects.get(episode=episodes[kind]).answer
        assert ("|".join(answer) if isinstance(answer, list) else answer) == KINDS[kind].gold.answer
        assert taken <= moves[kind], kind


def moves_of(kind: str, episode: Episode, look: Look) -> int:
    oracle = draft_assets.draft_complete(KINDS[kind]).oracle_steps
    return oracle + questions.get(kind).more_moves(episode.task.payload, look)


def test_the_narrator_submits_something_behind_a_dialog_and_pop_ups(
    arena_server: ArenaServer, browser: object
) -> None:
    look = Look(form="dialog", pop_ups="often")
    episodes = {kind: episode_in(look, kind) for kind in KINDS}

    steps = play(
        *(
            (Narrator(), info_of(one, kind, max_steps=9), arena_server.address(one))
            for kind, one in episodes.items()
        )
    )

    assert all(Submission.objects.filter(episode=one).exists() for one in episodes.values())
    assert steps == [5] * len(KINDS)
