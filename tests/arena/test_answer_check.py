"""On pages the first answer leads back to its form, below the request to check it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from core.episodes.answer_check import REQUEST
from tests import factories
from tests.arena.test_stays import episode_in
from tests.conftest import ArenaClient
from trajectories.models import Episode, FirstAnswer, SiteEvent, Submission, ToolCall

pytestmark = pytest.mark.django_db
Address = Callable[..., str]
Submit = Callable[..., Any]


def checked(episode: Episode | None = None) -> Episode:
    episode = episode or factories.episode()
    Episode.objects.filter(pk=episode.pk).update(answer_check="due")
    return episode


def test_the_first_answer_leads_back_to_the_form_and_the_second_ends(
    submit: Submit, arena_client: ArenaClient, address: Address
) -> None:
    episode = checked()
    before = arena_client.get(address(episode)).content.decode()
    first = submit(episode, "answer=41")
    page = arena_client.get(address(episode)).content.decode()
    episode.refresh_from_db()
    assert (first.status_code, first["Location"], episode.status) == (303, "./", "open")
    assert REQUEST not in before
    assert REQUEST in page
    assert 'value="41"' in page
    assert 'name="number" value="2"' in page
    assert not Submission.objects.exists()
    assert not SiteEvent.objects.filter(kind="answer_recorded").exists()

    second = submit(episode, "answer=42&number=2")

    assert (second.status_code, second["Location"]) == (303, "done")
    assert (FirstAnswer.objects.get().answer, Submission.objects.get().answer) == ("41", "42")
    assert "<h1>Answer recorded</h1>" in arena_client.get(address(episode, "done")).content.decode()


def test_an_answer_that_is_sent_again_is_no_second_one(
    submit: Submit, arena_client: ArenaClient, address: Address
) -> None:
    episode = checked()
    for _ in range(2):
        assert submit(episode, "answer=41")["Location"] == "./"
    other = submit(episode, "answer=42")
    assert other.status_code == 409
    assert REQUEST in other.content.decode()
    assert 'value="42"' in other.content.decode()
    assert not Submission.objects.exists()

    submit(episode, "answer=41&number=2")
    assert submit(episode, "answer=41&number=2")["Location"] == "done"
    assert submit(episode, "answer=41")["Location"] == "done"
    late = submit(episode, "answer=42&number=2")
    assert (late.status_code, "The one after the check counts." in late.content.decode()) == (409, True)
    assert Submission.objects.get().answer == "41"


def test_a_second_answer_needs_a_first(submit: Submit) -> None:
    assert submit(checked(), "answer=42&number=2").status_code == 409
    assert not Submission.objects.exists()
    assert not FirstAnswer.objects.exists()


def test_a_run_that_checks_no_answers_takes_no_second_one(submit: Submit) -> None:
    episode = factories.episode()
    assert submit(episode, "answer=42&number=2").status_code == 409
    assert not Submission.objects.exists()
    assert submit(episode, "answer=42")["Location"] == "done"
    assert submit(episode, "answer=42&number=2")["Location"] == "done"  # as it is stored


def test_a_refused_second_answer_keeps_the_request(submit: Submit) -> None:
    episode = checked()
    submit(episode, "answer=41")
    page = submit(episode, "answer=&number=2")
    assert page.status_code == 422
    assert REQUEST in page.content.decode()


def test_a_table_comes_back_in_its_view_with_all_values(
    submit: Submit, arena_client: ArenaClient, address: Address
) -> None:
    table = {"text": "Which?", "table": {"header": ["a"], "rows": [["1"]] * 30}}
    episode = checked(factories.episode(task=factories.task(kind="table", payload=table)))
    there = arena_client.post(
        f"{address(episode, 'submit')}?page=2",
        "several=1&answer=b&answer=a",
        content_type="application/x-www-form-urlencoded",
    )
    assert there["Location"] == "./?page=2"
    page = arena_client.get(f"{address(episode)}?page=2").content.decode()
    assert 'value="b"' in page
    assert 'value="a"' in page


def test_a_chosen_answer_stays_chosen(submit: Submit, arena_client: ArenaClient, address: Address) -> None:
    choices = [{"label": label, "text": f"text {label}"} for label in "AB"]
    task = factories.task(kind="choice", payload={"text": "Which?", "format": "plain", "choices": choices})
    episode = checked(factories.episode(task=task))
    submit(episode, "answer=B")
    page = " ".join(arena_client.get(address(episode)).content.decode().split())
    assert page.count(" checked") == 1
    assert 'value="B" autocomplete="off" checked' in page


def test_a_program_that_ran_since_is_newer_than_the_first_answer(
    submit: Submit, arena_client: ArenaClient, address: Address
) -> None:
    payload = {"text": "Add.", "signature": "def f():", "asserts": ["assert f() == 1"]}
    task = factories.task(kind="code", payload=payload)
    episode = checked(factories.episode(task=task, variation={"tools": ["run"]}))
    submit(episode, "answer=first")
    assert "\nfirst</textarea>" in arena_client.get(address(episode)).content.decode()
    ToolCall.objects.create(episode=episode, number=1, tool="run", input="newer")
    assert "\nnewer</textarea>" in arena_client.get(address(episode)).content.decode()


def test_every_page_of_a_site_shows_the_request(
    submit: Submit, arena_client: ArenaClient, address: Address
) -> None:
    episode = checked(episode_in())
    arena_client.get(address(episode))
    there = submit(episode, "placed=1&back=trips&answer=15.00")
    assert there["Location"] == "./trips"
    for page in ("", "trips"):
        shown = arena_client.get(address(episode, page)).content.decode()
        assert REQUEST in shown
        assert 'value="15.00"' in shown
        assert '<details class="task-fold" open>' in shown
    # A form that holds fewer values than the page has fields is no reason to fail.
    hostile = checked(episode_in())
    submit(hostile, "answer=1")
    assert arena_client.get(address(hostile)).status_code == 200
    submit(episode, "placed=1&back=trips&answer=15.00&number=2")
    assert Submission.objects.get(episode=episode).answer == ["15.00"]
    assert FirstAnswer.objects.get(episode=episode).site_events == 1
