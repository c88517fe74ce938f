"""What a step shows of the end of its episode, and in arms without a page."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User

from tests import factories
from tests.conftest import LabClient
from trajectories.models import Episode
from trajectories.rollouts.live import events

pytestmark = pytest.mark.usefixtures("own_storages")
Lab = Callable[[User | None], LabClient]
GOLD = "8642"


def html_of(client: LabClient, episode: Episode, index: int, rest: str = "") -> str:
    return client.get(f"/episodes/{episode.pk}/steps/{index}{rest}").content.decode()


def ended(outcome: str = "incorrect") -> Episode:
    made = factories.episode(task=factories.task(answer=GOLD))
    for index in (1, 2):
        factories.step(made, index)
    factories.submission(made, "<b>1357</b>")
    factories.verdict(made, outcome, reason="step_budget")
    events.episodes_ended(run_id=made.run_id, ids=[made.pk])
    return made


def ending_of(html: str) -> str:
    return html.partition('id="answer"')[2].partition("</section>")[0]


def test_every_step_says_how_the_episode_ended(lab: Lab, owner: User) -> None:
    episode, client = ended(), lab(owner)
    for index in (1, 2):
        html = html_of(client, episode, index)
        ending = ending_of(html)
        assert "incorrect" in ending
        assert "step_budget" in ending
        assert "&lt;b&gt;1357&lt;/b&gt;" in ending
        assert GOLD not in html


def test_an_open_episode_has_no_verdict(lab: Lab, annotator: User) -> None:
    episode = factories.episode()
    factories.step(episode, 1)
    ending = ending_of(html_of(lab(annotator), episode, 1))
    assert "open" in ending
    assert "incorrect" not in ending


def test_the_gold_is_shown_on_request_until_it_is_hidden_again(lab: Lab, owner: User) -> None:
    episode, client = ended(), lab(owner)
    switch = f"/episodes/{episode.pk}/gold"
    shown = client.post(switch, {"shows": "1", "step": "2"})
    assert shown["Location"] == f"/episodes/{episode.pk}/steps/?index=2"
    for other in (episode, ended()):
        ending = " ".join(ending_of(html_of(client, other, 1)).split())
        assert re.search(rf"1357.*≠.*{GOLD}", ending)
    part = client.post(switch, {"shows": "0"}, headers={"HX-Request": "true"}).content.decode()
    assert 'aria-checked="false"' in part
    assert GOLD not in part + html_of(client, episode, 1)


def test_a_reader_who_may_not_see_golds_has_no_switch(lab: Lab, annotator: User) -> None:
    episode, client = ended(), lab(annotator)
    assert client.post(f"/episodes/{episode.pk}/gold", {"shows": "1"}).status_code == 403
    for path in (f"/episodes/{episode.pk}/steps/1", f"/episodes/{episode.pk}/answer"):
        html = client.get(path).content.decode()
        assert "1357" in html
        assert GOLD not in html
        assert "gold-switch" not in html


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
