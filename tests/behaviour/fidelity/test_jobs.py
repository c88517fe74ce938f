from __future__ import annotations

import re
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from billiard.exceptions import SoftTimeLimitExceeded
from django.core.management import CommandError, call_command
from django.db.models import F
from django.db.models.functions import Now

from tests import factories
from tests.behaviour.fidelity.factories import episodes_due, window
from tests.behaviour.fidelity.recordings import blob_of, element, episode_make, recording_make
from trajectories.behaviour.fidelity import check, jobs, rendering, sample
from trajectories.models import Episode, EpisodeFidelity, Fidelity
from trajectories.record import heartbeats

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_storages")]

SIZE = (640, 360)


def episode_recorded(steps: int = 2) -> Episode:
    episode = episode_make(steps=steps, screenshot=blob_of(window(size=SIZE)))
    recording_make(episode, element("h1", "Find a room"), size=SIZE)
    return episode


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rendering, "drawing_problem", lambda: None)
    monkeypatch.setattr(rendering, "page_draw", lambda _page: window(size=SIZE))


def printed(*arguments: object) -> list[list[str]]:
    out = StringIO()
    call_command("check_fidelity", *map(str, arguments), stdout=out)
    return [line.split() for line in out.getvalue().splitlines()[1:]]


def test_a_check_that_exceeds_the_time_of_its_job_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(**_place: int) -> bool:
        raise SoftTimeLimitExceeded

    episode = episode_recorded()
    sample.step_wait_again(episode_id=episode.pk, index=1)
    monkeypatch.setattr(check, "step_check", slow)
    jobs.check(episode_id=episode.pk, step=1)
    assert (Fidelity.objects.get().state, Fidelity.objects.get().reason) == ("failed", "out_of_time")


def test_a_check_that_crashes_waits_for_the_sweeper(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(**_place: int) -> bool:
        raise OSError("the storage does not answer")

    episode = episode_recorded()
    sample.step_wait_again(episode_id=episode.pk, index=1)
    monkeypatch.setattr(check, "step_check", broken)
    jobs.check(episode_id=episode.pk, step=1)
    assert Fidelity.objects.get().reason == "waiting"


def test_a_worker_announces_that_it_can_draw_once_it_can(monkeypatch: pytest.MonkeyPatch) -> None:
    problems = iter(
        [("no_browser", "No Chromium was found."), ("no_browser", "No Chromium was found."), None]
    )
    announced: list[str] = []
    waited: list[float] = []
    monkeypatch.setattr(rendering, "drawing_problem", lambda: next(problems))
    monkeypatch.setattr(heartbeats, "alive_keep", announced.append)
    jobs.say_able(wait=waited.append)
    assert announced == [jobs.ALIVE]
    assert waited == [jobs.AGAIN_S] * 2


@pytest.mark.usefixtures("drawn")
def test_the_command_checks_an_episode_and_prints_the_results() -> None:
    episode = episode_recorded()
    rows = [["1", "faithful", "0.0000%", "0"], ["2", "faithful", "0.0000%", "0"]]
    assert printed(episode.pk) == rows
    assert printed(episode.pk) == rows
    assert EpisodeFidelity.objects.get().steps == 2


@pytest.mark.usefixtures("drawn")
def test_the_command_can_check_one_step_of_an_open_episode() -> None:
    episode = factories.episode(recording="full")
    factories.step(episode, 1)
    with pytest.raises(CommandError, match="has not ended"):
        printed(episode.pk)
    assert printed(episode.pk, "--step", 1) == [["1", "not_checked", "no_screenshot"]]
    assert not EpisodeFidelity.objects.exists()


def messages_of(*arguments: object) -> str:
    """What the command prints to stderr."""
    err = StringIO()
    call_command("check_fidelity", *map(str, arguments), stdout=StringIO(), stderr=err)
    return err.getvalue()


@pytest.mark.usefixtures("drawn")
def test_the_command_warns_that_a_recording_may_be_incomplete() -> None:
    episode = episode_recorded()
    assert re.search(
        r"has just ended, .* for (2\d|30) s; its steps will be checked again", messages_of(episode.pk)
    )
    Episode.objects.update(finished_at=Now() - timedelta(seconds=sample.SETTLE_S + 60))
    assert messages_of(episode.pk) == ""


@pytest.mark.usefixtures("drawn")
def test_the_command_says_why_it_has_no_step_to_check(settings: Any) -> None:
    bare = episode_make(screenshot=blob_of(window(size=SIZE)))
    unseen = episode_make()
    recording_make(unseen, element("h1", "Find a room"), size=SIZE)
    Episode.objects.update(finished_at=Now() - timedelta(seconds=sample.SETTLE_S + 60))
    assert messages_of(bare.pk) == "No step was chosen. None of its pages was recorded (recording: full).\n"
    assert messages_of(unseen.pk) == "No step was chosen. None of its steps has a screenshot without marks.\n"
    settings.FIDELITY_STEPS_MAX = 0
    assert "FIDELITY_STEPS_MAX is 0" in messages_of(episode_recorded().pk)


@pytest.mark.usefixtures("drawn")
def test_the_command_does_not_mention_choosing_when_the_steps_are_named(settings: Any) -> None:
    episode = episode_recorded()
    settings.FIDELITY_STEPS_MAX = 0
    assert re.search(
        r"^Episode \d+ has just ended, .* s; check it again after that\.$", messages_of(episode.pk, "--all")
    )
    Episode.objects.update(finished_at=Now() - timedelta(seconds=sample.SETTLE_S + 60))
    assert messages_of(episode.pk, "--all") == ""
    assert messages_of(episode.pk, "--step", 1) == ""


@pytest.mark.usefixtures("drawn")
def test_an_episode_that_the_command_checked_too_early_is_due_again() -> None:
    episode = episode_make(screenshot=blob_of(window(size=SIZE)))
    assert printed(episode.pk) == []
    recording_make(episode, element("h1", "Find a room"), size=SIZE)
    late = timedelta(seconds=sample.SETTLE_S + 60)
    factories.end_move(episode, at=Now() - late)
    EpisodeFidelity.objects.update(chosen_at=F("chosen_at") - late)
    (due,) = episodes_due()
    assert sample.episode_choose(due) == [1]
    assert episodes_due() == []


@pytest.mark.usefixtures("drawn")
def test_the_command_names_a_missing_episode_step_or_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CommandError, match="no episode 999"):
        printed(999)
    with pytest.raises(CommandError, match="no step 7"):
        printed(episode_recorded().pk, "--step", 7)
    monkeypatch.setattr(rendering, "drawing_problem", lambda: ("no_browser", "No Chromium was found."))
    with pytest.raises(CommandError, match="No Chromium"):
        printed(episode_recorded().pk)
