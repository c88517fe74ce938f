from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone

from tests import factories
from tests.conftest import LabClient
from tests.record.capture.factories import PAGE, chunk_make, event, packed
from trajectories.models import Episode, Fidelity, Pruning, RecordingTally

Lab = Callable[[User | None], LabClient]


@pytest.fixture
def episode(db: None, own_storages: Path) -> Episode:
    return factories.episode(recording="full")


def address(episode: Episode, page: str = PAGE) -> str:
    return f"/episodes/{episode.pk}/recording/{page}.json"


def test_the_lab_streams_a_recorded_page_with_headers_that_forbid_execution(
    episode: Episode, lab: Lab, annotator: User
) -> None:
    chunk_make(episode, 1, packed([event(1, html="<script>alert(1)</script>")]))
    RecordingTally.objects.create(episode=episode, chunks=1, bytes=1, capped=True)

    response = lab(annotator).get(address(episode))

    assert response.streaming
    assert json.loads(response.getvalue())["is_capped"]
    assert response["Content-Type"] == "application/json"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in response["Content-Security-Policy"]
    assert "private" in response["Cache-Control"]


def test_a_stranger_sees_no_recording(episode: Episode, lab: Lab) -> None:
    chunk_make(episode, 1, packed([event(1)]))

    response = lab(None).get(address(episode))

    assert response.status_code == 302
    assert response["Location"].startswith("/login/")


@pytest.mark.parametrize("page", ["another-page", "x" * 300])
def test_a_page_without_a_recording_is_a_404(page: str, episode: Episode, lab: Lab, annotator: User) -> None:
    assert lab(annotator).get(address(episode, page)).status_code == 404


def test_an_episode_without_steps_links_to_its_recording(episode: Episode, lab: Lab, annotator: User) -> None:
    chunk_make(episode, 1, packed([event(1)]))
    html = lab(annotator).get(f"/episodes/{episode.pk}/").content.decode()
    assert "DOM recording, 1 page load, as JSON" in html
    assert f'href="{address(episode)}"' in html


def test_a_truncated_list_of_page_loads_gives_their_total(
    episode: Episode, lab: Lab, annotator: User
) -> None:
    factories.step(episode)
    for number in range(52):
        chunk_make(episode, 1, packed([event(1)]), page=f"page-{number:012}", first_ms=number)

    html = lab(annotator).get(f"/episodes/{episode.pk}/").content.decode()
    assert "DOM recording, 52 page loads, the first 50, as JSON" in html
    assert html.count("/recording/page-") == 50
    dom = lab(annotator).get(f"/episodes/{episode.pk}/steps/1/replay").content.decode()
    assert "Recorded page loads, the first 50 of 52" in dom
    assert dom.count("/recording/page-") == 50


def test_pages_say_what_was_pruned(episode: Episode, lab: Lab, annotator: User) -> None:
    step = factories.step(episode, screenshot="ab" * 32)
    factories.verdict(episode)
    Fidelity.objects.create(episode=episode, index=1, state="faithful", version=2, replay="cd" * 32)
    Pruning.objects.create(episode=episode, recordings_at=timezone.now(), screenshots_at=timezone.now())
    client = lab(annotator)

    recording = client.get(address(episode))
    assert recording.status_code == 410
    assert "pruned" in recording.content.decode()
    about = client.get(f"/episodes/{episode.pk}/").content.decode()
    assert about.count("pruned") == 2
    assert "It was pruned" in client.get(reverse("step", args=[episode.pk, step.index])).content.decode()
    replay = client.get(reverse("step_replay", args=[episode.pk, 1]))
    assert "The recording was pruned" in replay.content.decode()
    compared = client.get(reverse("step_compared", args=[episode.pk, 1]))
    assert compared.status_code == 200
    assert "cd" * 32 not in compared.content.decode()
