"""The form at a step that puts words into its thought."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests import factories
from tests.annotation import scene as annotation
from tests.conftest import LabClient
from trajectories.models import Episode, Intervention

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_storages")]
Lab = Callable[[User | None], LabClient]
RAW = "Six & seven apples.\n\nThat makes 6 * 7 = 41.\n\nAnswer: 41"


def _failed(outcome: str | None = "incorrect") -> Episode:
    episode = factories.episode(arm="text_zero_shot", answer_channel="api", max_steps=2)
    factories.step(episode, 1, raw=RAW, thought=RAW)
    if outcome:
        factories.verdict(episode, outcome, reason="harness_error" if outcome == "void" else "answer")
    return episode


def _post(client: Client, episode: Episode, **fields: str) -> tuple[int, str]:
    path = f"/episodes/{episode.pk}/steps/1/interventions"
    response = client.post(path, {"substep": "2", "text": "Count again.", **fields})
    return response.status_code, response.content.decode()


def test_a_person_puts_words_into_a_thought(lab: Lab, owner: User) -> None:
    episode, client = _failed(), lab(owner)
    page = client.get(f"/episodes/{episode.pk}/steps/1").content.decode()
    assert ">2: That makes 6 * 7 = 41.</option>" in page
    assert "1: Six &amp; seven apples." in page
    assert _post(client, episode)[0] == 302
    (made,) = Intervention.objects.all()
    assert (made.author_kind, made.author, made.substep) == ("person", "owner", 2)
    assert made.prefill == "Six & seven apples.\n\nCount again."
    page = client.get(f"/episodes/{episode.pk}/steps/1").content.decode()
    assert f"palaestra intervene --run {episode.run_id} --written" in page
    assert not Episode.objects.filter(parent=episode).exists()


def test_the_same_words_sent_twice_are_stored_once(lab: Lab, owner: User) -> None:
    episode, client = _failed(), lab(owner)
    assert [_post(client, episode)[0] for _ in range(2)] == [302, 302]
    assert Intervention.objects.count() == 1


def test_results_stand_beside_the_words(lab: Lab, owner: User) -> None:
    episode, client = _failed(), lab(owner)
    made = factories.intervention(episode, text="<b>Wait</b>")
    forks = [factories.episode(group=made.group, parent=episode) for _ in range(3)]
    for fork, outcome in zip(forks, ("correct", "incorrect", "void"), strict=True):
        factories.verdict(fork, outcome, reason="harness_error" if outcome == "void" else "answer")
    page = client.get(f"/episodes/{episode.pk}/steps/1").content.decode()
    assert "1 of 2 continuations correct, 1 void" in page
    assert "&lt;b&gt;Wait&lt;/b&gt;" in page
    assert f'href="/episodes/{forks[0].pk}/"' in page


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"text": "So 6 * 7 is 42."}, "gives away the answer: “42” (characters 12 to 14)"),
        ({"text": " "}, "at least one word"),
        ({"text": "a" * 10_001}, "can be checked for leaks"),
        ({"substep": ""}, "Choose the substep"),
        ({"substep": "x"}, "Choose the substep"),
        ({"substep": "9"}, "has 3 substeps"),
    ],
)
def test_a_refused_form_comes_back_with_the_reason(
    lab: Lab, owner: User, fields: dict[str, str], error: str
) -> None:
    episode = _failed()
    status, page = _post(lab(owner), episode, **fields)
    assert status == 422
    assert error in page
    assert 'role="alert"' in page
    assert '<details class="intervention-form" open>' in page
    assert fields.get("text", "Count again.").strip()[:50] in page
    assert not Intervention.objects.exists()


@pytest.mark.parametrize("outcome", [None, "void"])
def test_where_nobody_can_go_on_there_is_no_form(lab: Lab, owner: User, outcome: str | None) -> None:
    episode, client = _failed(outcome), lab(owner)
    assert "intervention-form" not in client.get(f"/episodes/{episode.pk}/steps/1").content.decode()
    status, page = _post(client, episode)
    assert status == 422
    assert f"Episode {episode.pk}" in page


def test_who_may_not_see_golds_gets_no_form_and_tries_no_text(lab: Lab, annotator: User) -> None:
    episode, client = _failed(), lab(annotator)
    factories.intervention(episode, text="Count again.")
    page = client.get(f"/episodes/{episode.pk}/steps/1").content.decode()
    assert "Count again." in page
    assert "intervention-form" not in page
    for text in ("So 6 * 7 is 42.", "So 6 * 7 is 41."):
        assert _post(client, episode, text=text)[0] == 403
    assert Intervention.objects.count() == 1


def test_strangers_and_labellers_write_nothing(lab: Lab) -> None:
    episode = _failed()
    for user in (None, annotation.labeller("ana")):
        client = lab(user)
        assert _post(client, episode)[0] in (302, 403)
    assert not Intervention.objects.exists()


def test_a_form_without_its_token_is_refused(lab: Lab, owner: User) -> None:
    client = Client(enforce_csrf_checks=True)
    lab(None)
    client.force_login(owner)
    assert _post(client, _failed())[0] == 403
    assert not Intervention.objects.exists()
