"""What a step shows of the end of its episode, and in arms without a page."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User

from tests import factories
from tests.conftest import LabClient
from trajectories.live import notices
from trajectories.models import Episode

pytestmark = pytest.mark.usefixtures("own_storages")
Lab = Callable[[User | None], LabClient]
GOLD = "8642"
ENDED = "End of the episode"


def html_of(client: LabClient, episode: Episode, index: int, rest: str = "") -> str:
    return client.get(f"/episodes/{episode.pk}/steps/{index}{rest}").content.decode()


def ended(outcome: str = "incorrect") -> Episode:
    made = factories.episode(task=factories.task(answer=GOLD))
    for index in (1, 2):
        factories.step(made, index)
    factories.submission(made, "<b>1357</b>")
    factories.verdict(made, outcome, reason="step_budget")
    notices.episodes_ended(run_id=made.run_id, ids=[made.pk])
    return made


@pytest.mark.parametrize("rest", ["", "?fragment"])
def test_the_last_step_says_how_the_episode_ended(lab: Lab, owner: User, rest: str) -> None:
    episode, client = ended(), lab(owner)
    html = html_of(client, episode, 2, rest)
    section = html.split(ENDED)[1].split("</section>")[0]
    assert "incorrect" in section
    assert "step_budget" in section
    assert "&lt;b&gt;1357&lt;/b&gt;" in section
    assert GOLD not in html
    assert ENDED not in html_of(client, episode, 1, rest)


def test_an_open_episode_has_no_ending(lab: Lab, annotator: User) -> None:
    episode = factories.episode()
    factories.step(episode, 1)
    assert ENDED not in html_of(lab(annotator), episode, 1)


def test_a_step_without_a_page_mentions_no_page_checks(lab: Lab, annotator: User) -> None:
    episode = factories.episode(arm="text_agent")
    action = {"type": "run", "program": "1 + 1"}
    factories.step(episode, 1, action=action, duration_ms=30.0, more={"env_ms": 25.0})
    html = html_of(lab(annotator), episode, 1)
    assert "Not checked yet" not in html
    assert "this arm has no page" in html
    assert "Page and browser" not in html
    assert "Outside the model" in html


@pytest.mark.parametrize("place", ["1", "?index=1"])
def test_a_step_of_an_episode_without_steps_links_to_the_episode(
    lab: Lab, annotator: User, place: str
) -> None:
    episode = factories.episode()
    missing = lab(annotator).get(f"/episodes/{episode.pk}/steps/{place}")
    assert missing.status_code == 404
    html = missing.content.decode()
    assert "Its page shows new steps as they arrive." in html
    assert f'href="/episodes/{episode.pk}/"' in html
