"""Forks where a model is shown pictures: the first observation of each is its parent's, pixel by pixel.

``WHOLE_SITES=1`` takes every form of picture on both kinds of page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

import palaestra.play.episode
from core.episodes.presentation import Look
from palaestra.errors import ForkDiverged
from palaestra.grammars.json import action_line
from palaestra.observation import Observation
from palaestra.pages.surface import VIEWPORT
from tests import coverage_choice
from tests.e2e.conftest import ArenaServer
from tests.e2e.fork_line import Stage, Taken
from tests.e2e.test_forks import opened_of, stage
from tests.e2e.test_question_looks import episode_in
from tests.e2e.test_site_frame import episode_make
from trajectories.models import Episode, Run, Step

__all__ = ["stage"]

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]
FORMS = ("screenshot-v2", "som-v1", "both-v2")
Act = Callable[[dict[str, Any]], dict[str, Any]]
ACTS: dict[str, Sequence[Act]] = {
    "question": [
        lambda field: {"type": "type", "text": "4 or 5", **field},
        lambda _: {"type": "scroll", "dy": 120},
        lambda _: {"type": "wait"},
    ],
    "site": [
        lambda field: {"type": "type", "text": "41", "clear": True, **field},
        lambda _: {"type": "goto", "url": "https://gym/help"},
        lambda _: {"type": "scroll", "dy": 200},
        lambda _: {"type": "back"},
        lambda _: {"type": "wait"},
    ],
}


def _episode(kind: str, form: str) -> Episode:
    if kind == "site":
        episode = episode_make(presentation=Look().as_dict("site"))
    else:
        episode = episode_in(Look(), "free_answer")
    Run.objects.filter(pk=episode.run_id).update(observation=form)
    return episode


async def _field(episode: palaestra.play.episode.Episode) -> dict[str, Any]:
    """How the first field is named: by its id where the observation shows it, else by its place."""
    if field := re.search(r"\[(e\d+)\] (?:textbox|searchbox|combobox)", episode.observation.text):
        return {"target": field[1]}
    page: Any = episode.page
    box = await page._evaluate(
        "(b => ({ x: b.left + b.width / 2, y: b.top + b.height / 2 }))"
        "([...document.querySelectorAll('input, textarea')].map(one => one.getBoundingClientRect())"
        ".find(box => box.width > 20))",
        page._world,
    )
    assert 0 < box["y"] < VIEWPORT[1], "the field is not shown"
    return {"x": round(box["x"]), "y": round(box["y"])}


def _taken(stage: Stage, arena_server: ArenaServer, kind: str, form: str) -> Taken:
    async def play(episode: palaestra.play.episode.Episode, taken: Taken) -> None:
        field = await _field(episode)
        for act in ACTS[kind]:
            taken.completions.append(action_line(**act(field)))
            _, outcome = await episode.turn(taken.completions[-1])
            assert outcome.is_ok, outcome
            taken.shown.append(episode.observation)
        await episode.close("agent_stopped")

    stage.config = replace(stage.config, observation=form)
    opened = opened_of(_episode(kind, form), arena_server, is_site=kind == "site")
    return stage.done(opened, play, browser="chromium")


def _fork(stage: Stage, parent: Taken, *, step: int) -> Observation:
    opened = stage.forked(parent.episode, step=step)
    return stage.taken(opened, [], browser="chromium").shown[0]


@pytest.mark.parametrize(("kind", "form"), coverage_choice.values(ACTS, FORMS))
def test_a_fork_is_shown_the_picture_of_its_parent(
    kind: str, form: str, arena_server: ArenaServer, stage: Stage
) -> None:
    parent = _taken(stage, arena_server, kind, form)
    for step in range(len(parent.completions)):
        own, others = _fork(stage, parent, step=step), parent.shown[step]
        assert own.text == others.text
        assert own.screenshot is not None
        assert own.screenshot == others.screenshot, f"after step {step}"
        assert own.messages == others.messages
    assert len({one.screenshot for one in parent.shown}) > 1


@pytest.mark.parametrize("form", FORMS if coverage_choice.IS_WHOLE else FORMS[:1])
def test_a_fork_with_another_picture_is_void(form: str, arena_server: ArenaServer, stage: Stage) -> None:
    parent = _taken(stage, arena_server, "question", form)
    first = Step.objects.get(episode=parent.episode, index=1).screenshot
    Step.objects.filter(episode=parent.episode, index=2).update(screenshot=first)
    with pytest.raises(ForkDiverged, match=r"After step 1 the page differs: its picture"):
        _fork(stage, parent, step=1)
