"""Pages of an episode that another browser played are drawn from their recording."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from core.storage import blobs
from tests import factories
from tests.behaviour.fidelity.factories import window
from tests.behaviour.fidelity.recordings import BEGAN_MS, element, episode_make, recording_make
from tests.behaviour.fidelity.test_check import SIZE, Drawn, drawn
from tests.lab.test_pages import Lab
from trajectories.behaviour.fidelity import check, sample
from trajectories.models import Episode, Fidelity, PageEvent, PageEventTally, RecordingChunk

__all__ = ["drawn"]

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_storages")]
BUTTON = {"role": "button", "name": "Search", "element": "1/0", "trusted": True}


@pytest.fixture
def episode() -> Episode:
    """One page that was opened and clicked, without a harness."""
    made = episode_make(steps=0)
    recording_make(made, element("h1", "Find a room"), size=SIZE)
    page = RecordingChunk.objects.values_list("page", flat=True).get(episode=made)
    loaded = {"path": "", "origin": BEGAN_MS}
    for seq, (kind, at_ms, data) in enumerate([("load", 1, loaded), ("click", 900, BUTTON)], 1):
        PageEvent.objects.create(episode=made, page=page, seq=seq, kind=kind, at_ms=at_ms, data=data)
    PageEventTally.objects.create(episode=made, events=2)
    return made


def test_the_page_before_each_action_is_drawn_at_the_size_of_its_window(
    episode: Episode, drawn: Drawn, lab: Lab, owner: User
) -> None:
    pages = drawn(window(size=SIZE))
    assert sample.episode_choose(episode.pk) == [1, 2]
    assert check.step_check(episode_id=episode.pk, index=2)
    fidelity = Fidelity.objects.get(episode=episode, index=2)
    assert (fidelity.state, fidelity.reason) == ("not_checked", "no_screenshot")
    assert blobs.blob_exists(fidelity.replay)
    [page] = pages
    assert (page.width, page.height, page.scale) == (*SIZE, 1)
    assert "Find a room" in page.files[page.entry].decode()
    html = lab(owner).get(f"/episodes/{episode.pk}/").content.decode()
    assert f"/blobs/{fidelity.replay}/thumbnail" in html
    assert "could not be checked" not in html


def test_an_action_that_is_not_there_waits_no_longer(episode: Episode, drawn: Drawn) -> None:
    drawn(window(size=SIZE))
    sample.steps_wait(episode_id=episode.pk, indexes=[3])
    assert not check.step_check(episode_id=episode.pk, index=3)
    assert not Fidelity.objects.exists()


def test_once_steps_are_posted_they_count(episode: Episode, drawn: Drawn) -> None:
    drawn(window(size=SIZE))
    sample.episode_choose(episode.pk)
    factories.step(episode, 1)
    assert not check.step_check(episode_id=episode.pk, index=2)
    assert sample.episode_choose(episode.pk) == []
