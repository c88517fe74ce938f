"""What the lab shows of a replay check."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models.functions import Now
from django.test import Client
from django.test.utils import CaptureQueriesContext

from core.work import redis_client
from tests import factories
from tests.behaviour.fidelity.factories import window
from tests.behaviour.fidelity.recordings import blob_of, element, episode_make, recording_make, step_make
from tests.conftest import LabClient
from trajectories.behaviour.fidelity import jobs, sample
from trajectories.lab.system.page import SystemPage
from trajectories.models import Episode, Fidelity
from trajectories.record import heartbeats
from trajectories.shell.queries.fidelity import REASONS, fidelity_label, share_format

pytestmark = pytest.mark.usefixtures("own_storages")
Lab = Callable[[User | None], LabClient]


@pytest.fixture
def episode(db: None) -> Episode:
    return episode_make(screenshot=blob_of(window("Bath")), steps=3)


def fidelity_make(episode: Episode, index: int = 1, **fields: Any) -> Fidelity:
    values = {"state": "faithful", "changed_share": 0.0, "phash_distance": 0, "version": 1, **fields}
    return Fidelity.objects.create(episode=episode, index=index, **values)


def address(episode: Episode, rest: str = "") -> str:
    return f"/episodes/{episode.pk}/steps/1/fidelity{rest}"


def settled_waiting(episode: Episode) -> list[sample.Place]:
    """The steps that the sweeper would send once the episode has settled."""
    late = Now() - timedelta(seconds=sample.SETTLE_S + 60)
    Episode.objects.filter(pk=episode.pk).update(finished_at=late)
    return sample.steps_waiting(limit=10)


def text_of(html: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", html).split())


@pytest.mark.parametrize(
    ("fields", "word", "tone", "why"),
    [
        ({}, "Faithful", "good", "No pixel"),
        ({"changed_share": 0.00002}, "Faithful", "good", "Less than 0.01%"),
        (
            {"state": "unfaithful", "changed_share": 0.0008},
            "Not faithful",
            "warn",
            "0.08% of the replay differs",
        ),
        ({"state": "unfaithful", "changed_share": 0.3}, "Not faithful", "bad", "30.0%"),
        ({"state": "failed", "reason": "out_of_time"}, "Check failed", "warn", "too long"),
        ({"state": "not_checked", "reason": "whole_page"}, "Not checked", "plain", "more than the window"),
    ],
)
def test_a_badge_describes_the_result_in_words(
    fields: dict[str, Any], word: str, tone: str, why: str
) -> None:
    label = fidelity_label(Fidelity(**{"state": "faithful", "changed_share": 0.0, **fields}), has_ended=True)
    assert (label.word, label.tone) == (word, tone)
    assert why in label.why


@pytest.mark.parametrize(
    ("fields", "is_doubted"),
    [
        ({"state": "unfaithful", "changed_share": 0.0008}, True),
        ({"state": "unfaithful", "changed_share": 0.02}, False),
        ({"state": "faithful", "changed_share": 0.00002}, False),
    ],
)
def test_a_small_difference_is_explained_as_a_highlight_or_a_lost_word(
    fields: dict[str, Any], is_doubted: bool
) -> None:
    label = fidelity_label(Fidelity(**fields), has_ended=True)
    assert ("a focus ring, a hover effect or a lost word" in label.why) == is_doubted
    assert label.why.endswith("Trust the screenshot.") == (fields["state"] == "unfaithful")


def test_every_reason_has_words() -> None:
    assert set(REASONS) == set(Fidelity.Reason) - {Fidelity.Reason.NONE}


def test_a_share_is_formatted_finely_enough_to_show_one_word() -> None:
    assert [share_format(share) for share in (0, 0.00001, 0.0007, 0.25)] == [
        "0.00%",
        "less than 0.01%",
        "0.07%",
        "25.0%",
    ]


def test_the_three_pictures_are_shown_side_by_side(lab: Lab, annotator: User, episode: Episode) -> None:
    replay, mask = blob_of(window()), blob_of(window("mask"))
    fidelity_make(episode, state="unfaithful", changed_share=0.02, replay=replay, difference=mask)
    html = lab(annotator).get(address(episode)).content.decode()
    sides = html[html.index('class="sides"') :]
    screenshot = episode.steps.get(index=1).screenshot
    assert re.findall(r'<img[^>]*src="/blobs/(\w+)"', sides) == [screenshot, replay, screenshot, mask]
    assert "2.0% of the replay differs" in text_of(html)


def test_an_unchecked_step_says_so_and_can_be_checked(lab: Lab, annotator: User, episode: Episode) -> None:
    client = lab(annotator)
    assert "has not been compared with the screenshot yet" in text_of(
        client.get(address(episode)).content.decode()
    )

    answer = client.post(address(episode, "/check"))

    assert (answer.status_code, answer["Location"]) == (302, address(episode))
    assert [place.step for place in settled_waiting(episode)] == [1]
    assert "waiting for a worker" in text_of(client.get(address(episode)).content.decode())


def test_the_badge_polls_while_its_check_is_waiting(lab: Lab, annotator: User, episode: Episode) -> None:
    client = lab(annotator)
    first = client.get(address(episode), headers={"hx-request": "true"}).content.decode()
    assert 'hx-trigger="submit, load"' in first
    waiting = client.post(address(episode, "/check"), headers={"hx-request": "true"}).content.decode()
    assert 'hx-trigger="every 2s"' in waiting
    assert "<form" not in waiting
    Fidelity.objects.update(state="faithful", reason="", changed_share=0, replay="a" * 64)
    after = client.get(address(episode), headers={"hx-request": "true"}).content.decode()
    assert "hx-trigger" not in after
    assert "Faithful" in text_of(after)


def test_a_finished_check_is_repeated_only_on_request(lab: Lab, annotator: User, episode: Episode) -> None:
    fidelity_make(episode, state="failed", reason="crashed")
    badge = lab(annotator).get(address(episode), headers={"hx-request": "true"}).content.decode()
    assert 'hx-trigger="submit"' in badge
    lab(annotator).post(address(episode, "/check"))
    assert Fidelity.objects.get().reason == "waiting"


def test_no_check_can_be_requested_before_the_end_of_an_episode(lab: Lab, annotator: User, db: None) -> None:
    episode = factories.episode(recording="full")
    step_make(episode, 1, screenshot=blob_of(window()))
    client, htmx = lab(annotator), {"hx-request": "true"}

    badge = client.get(address(episode), headers=htmx).content.decode()
    page = client.get(address(episode)).content.decode()

    assert "after the episode has ended" in text_of(badge)
    assert "hx-post" not in badge
    assert "/check" not in page
    for headers in (htmx, {}):
        answer = client.post(address(episode, "/check"), headers=headers)
        assert answer.status_code == 409
        assert "after the episode has ended" in text_of(answer.content.decode())
    assert not Fidelity.objects.exists()


def test_requesting_a_check_sends_no_job(
    lab: Lab, annotator: User, episode: Episode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs.check, "apply_async", lambda **_call: pytest.fail("a job was sent"))
    client = lab(annotator)
    for _ in range(3):
        client.post(address(episode, "/check"))
    assert Fidelity.objects.get().requested_at is not None


def test_a_badge_reads_no_observation(lab: Lab, annotator: User, episode: Episode) -> None:
    fidelity_make(episode, state="not_checked", reason="waiting")
    client = lab(annotator)
    with CaptureQueriesContext(connection) as queries:
        client.get(address(episode), headers={"hx-request": "true"})
    assert not [query for query in queries if "observation_text" in query["sql"]]


def test_a_stranger_can_neither_see_nor_request_a_check(lab: Lab, episode: Episode) -> None:
    stranger = lab(None)
    for answer in (stranger.get(address(episode)), stranger.post(address(episode, "/check"))):
        assert (answer.status_code, answer["Location"].split("?")[0]) == (302, "/login/")
    assert not Fidelity.objects.exists()


def test_requesting_a_check_needs_a_csrf_token(annotator: User, episode: Episode) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(annotator)
    assert client.post(address(episode, "/check")).status_code == 403
    assert not Fidelity.objects.exists()


def test_a_check_of_a_missing_step_cannot_be_requested(lab: Lab, annotator: User, episode: Episode) -> None:
    assert lab(annotator).post(f"/episodes/{episode.pk}/steps/99/fidelity/check").status_code == 404
    assert not Fidelity.objects.exists()


def test_the_episode_counts_its_checks_and_links_to_unfaithful_steps(
    lab: Lab, annotator: User, episode: Episode
) -> None:
    fidelity_make(episode, 1)
    fidelity_make(episode, 2, state="unfaithful", changed_share=0.1)
    fidelity_make(episode, 3, state="not_checked", reason="waiting")
    html = lab(annotator).get(f"/episodes/{episode.pk}/").content.decode()
    assert "1 of 2 checked steps faithful 1 waiting Not faithful: 2" in text_of(html)
    assert f'href="/episodes/{episode.pk}/steps/2/fidelity"' in html


def test_an_unchecked_episode_does_not_mention_replays(lab: Lab, annotator: User, db: None) -> None:
    html = lab(annotator).get(f"/episodes/{factories.episode().pk}/").content.decode()
    assert "DOM replays" not in html


@pytest.mark.parametrize(("alive", "state"), [({jobs.ALIVE}, "ok"), (set(), "missing"), (None, "unknown")])
def test_the_system_page_shows_whether_a_worker_draws_replays(
    db: None, monkeypatch: pytest.MonkeyPatch, alive: set[str] | None, state: str
) -> None:
    def names(candidates: list[str]) -> set[str]:
        if alive is None:
            raise redis_client.Unreachable[0]("down")
        return alive & set(candidates)

    monkeypatch.setattr(heartbeats, "alive_names", names)
    (part,) = [part for part in SystemPage().parts if part.title == "Replay check"]
    assert part.state == state
    assert bool(part.advice) == (state != "ok")


def test_the_tab_of_a_step_shows_the_check_by_sign_and_word(
    lab: Lab, annotator: User, episode: Episode
) -> None:
    recording_make(episode, element("h1", "Find a room"))
    path = f"/episodes/{episode.pk}/steps/1?fragment"

    def tab() -> str:
        html = lab(annotator).get(path).content.decode()
        return text_of(html[html.index('id="tab-dom"') : html.index('data-tab="changes"')])

    assert "faithful" not in tab().lower()
    row = fidelity_make(episode)
    assert "✓ Faithful" in tab()
    Fidelity.objects.filter(pk=row.pk).update(state="unfaithful", changed_share=0.1)
    assert "≠ Not faithful" in tab()


def test_the_tab_sign_is_updated_with_the_badge(lab: Lab, annotator: User, episode: Episode) -> None:
    recording_make(episode, element("h1", "Find a room"))
    row = fidelity_make(episode, state="not_checked", reason="waiting")
    client, sign = lab(annotator), 'id="fidelity-sign-1"'

    def news() -> str:
        html = client.get(address(episode), headers={"HX-Request": "true"}).content.decode()
        return text_of(html[html.index(sign) : html.index('role="status"')])

    assert sign in client.get(f"/episodes/{episode.pk}/steps/1").content.decode()
    assert "Faithful" not in news()
    Fidelity.objects.filter(pk=row.pk).update(state="faithful", reason="", changed_share=0)
    assert "✓ Faithful" in news()
    assert sign not in client.get(address(episode)).content.decode()


def test_the_dom_tab_holds_the_badge(lab: Lab, annotator: User, episode: Episode) -> None:
    recording_make(episode, element("h1", "Find a room"))
    fidelity_make(episode, state="unfaithful", changed_share=0.1, replay="a" * 64)
    html = lab(annotator).get(f"/episodes/{episode.pk}/steps/1/replay?fragment").content.decode()
    assert "Not faithful 10.0% of the replay differs from the screenshot." in text_of(html)
    assert f'href="{address(episode)}"' in html
