"""Runs that judges pay are graded as they go: what is sent, when, and what becomes of silence."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests import factories
from tests.judges import scene
from tests.judges.scene import endpoint, grade, toml
from trajectories.judges import jobs, prompt
from trajectories.judges.background import (
    PAUSE_MAX_S,
    PAUSE_S,
    TRIES,
    endpoint_open,
    find_outage,
    runs_of_judges,
)
from trajectories.judges.jobs import JudgesSweep
from trajectories.judges.services import judge_store
from trajectories.models import Episode, Judge, JudgeCall, RewardComponents, Run
from trajectories.record.projects import EVERYTHING
from trajectories.rewards.profiles.store import profile_get, profile_store
from trajectories.rewards.selectors import Rewards, rewards_of

pytestmark = pytest.mark.django_db
Sent = list[dict[str, Any]]


@pytest.fixture(autouse=True)
def sent(monkeypatch: pytest.MonkeyPatch) -> Sent:
    """What was sent to the queue."""
    gathered: Sent = []

    def job_send(job: Any, queue: Any, **ids: Any) -> bool:
        gathered.append(ids)
        return True

    monkeypatch.setattr("trajectories.judges.jobs.jobs.job_send", job_send)
    return gathered


def paid_by(judge: str, **fields: Any) -> Run:
    """A run whose profile names the judge."""
    terms = [{"component": "outcome"}, {"component": f"judge/{judge}/grounded", "weight": 0.5}]
    named, _ = profile_store({"name": f"by-{judge}", "terms": terms}, viewer=EVERYTHING)
    return factories.run(settings={"reward_profile": named.reference}, **fields)


def ended(run: Run, answer: str = scene.GOOD, **fields: Any) -> Episode:
    """An episode that ended an hour ago."""
    made = scene.episode(answer, run=run, **fields)
    factories.end_move(made, at=timezone.now() - timedelta(hours=1))
    return made


def work(sweep: JudgesSweep, sent: Sent) -> None:
    """Send what is due, and do it."""
    sweep.advance()
    while sent:
        jobs.episodes(**sent.pop())


def later(seconds: float) -> None:
    """As if so much time had passed since all calls."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE trajectories_judgecall SET created_at = created_at - make_interval(secs => %s)", [seconds]
        )


def paid(episode: Episode) -> Rewards:
    named = profile_get(episode.run.settings["reward_profile"], viewer=EVERYTHING)
    return rewards_of([episode.pk], named=named)[episode.pk]


@contextmanager
def judge_of(answer: scene.Answer, *, name: str = "strict") -> Iterator[Judge]:
    with endpoint(answer) as url:
        yield judge_store(toml(url, name=name, criteria=scene.ONE))[0]


def met(*_: str) -> str:
    return grade("yes")


def test_runs_are_graded_by_the_judges_that_their_profile_names(sent: Sent) -> None:
    with judge_of(met) as judge:
        run, other = paid_by("strict"), factories.run()
        one, elsewhere, void = ended(run), ended(other), ended(run, outcome="void")
        assert runs_of_judges() == {"strict": [run.pk]}
        sweep = JudgesSweep()
        assert sweep.advance() == 1
        assert sent == [{"judge_id": judge.pk, "episode_ids": [one.pk]}]
        work(sweep, sent)
    assert paid(one).total == 1.5
    graded = set(RewardComponents.objects.values_list("episode_id", flat=True))
    assert graded == {one.pk}
    assert graded.isdisjoint({elsewhere.pk, void.pk})
    assert (sweep.advance(), sent) == (0, [])


def test_a_profile_is_read_once() -> None:
    with judge_of(met), judge_of(met, name="other"):
        run = paid_by("strict")
        assert runs_of_judges() == {"strict": [run.pk]}
        with CaptureQueriesContext(connection) as context:
            assert runs_of_judges() == {"strict": [run.pk]}
        assert len(context) == 2
        assert not any("body" in query["sql"] for query in context)
        later = paid_by("other")
        assert runs_of_judges() == {"strict": [run.pk], "other": [later.pk]}


def test_what_was_graded_meanwhile_is_not_graded_again(sent: Sent) -> None:
    with judge_of(met):
        ended(paid_by("strict"))
        sweep = JudgesSweep()
        sweep.advance()
        sweep.advance()
        assert len(sent) == 2
        for one in sent:
            jobs.episodes(**one)
    assert JudgeCall.objects.count() == RewardComponents.objects.count() == 1


def test_an_endpoint_that_is_down_leaves_grades_out_with_the_reason_and_is_tried_again(sent: Sent) -> None:
    replies: list[str | int] = [503]
    with judge_of(lambda *_: replies[0]) as judge:
        run = paid_by("strict")
        episodes = [ended(run) for _ in range(3)]
        sweep = JudgesSweep()
        work(sweep, sent)
        assert all("HTTP 503" in call.problem for call in JudgeCall.objects.all())
        assert not RewardComponents.objects.exists()
        assert [paid(one).total for one in episodes] == [None] * 3
        assert paid(episodes[0]).components["judge/strict/grounded"] is None

        for pause, calls in ((0, 3), (PAUSE_S + 1, 4)):
            later(pause)
            work(sweep, sent)
            # One call is enough to see that it is down still.
            assert JudgeCall.objects.count() == calls
        later(PAUSE_S + 2)
        replies[0] = grade("yes")
        work(sweep, sent)
    assert find_outage(judge) is None
    assert [paid(one).total for one in episodes] == [1.5] * 3


def test_the_pause_grows_with_the_outage(sent: Sent) -> None:
    with judge_of(lambda *_: 503) as judge:
        ended(paid_by("strict"))
        pauses = []
        for waited in (0.0, 600.0, 6_000.0):
            later(waited + 1)
            work(JudgesSweep(), sent)
            outage = find_outage(judge)
            assert outage is not None
            newest = JudgeCall.objects.latest("pk")
            pauses.append((outage.until - newest.created_at).total_seconds())
    assert pauses == [PAUSE_S, pytest.approx(601, abs=1), PAUSE_MAX_S]


def test_an_endpoint_that_is_down_keeps_no_other_judge_waiting(sent: Sent) -> None:
    with judge_of(lambda *_: 503, name="down"), judge_of(met, name="up"):
        ended(paid_by("down"))
        one = ended(paid_by("up"))
        work(JudgesSweep(), sent)
    assert paid(one).total == 1.5


def test_an_attempt_without_an_answer_waits_and_is_void_after_some_tries(sent: Sent) -> None:
    def reply(_: str, attempt: str) -> str | int:
        return 503 if scene.answer_in(attempt) == "Long." else grade("yes")

    with judge_of(reply):
        run = paid_by("strict")
        fine, silent = ended(run), ended(run, "Long.")
        sweep = JudgesSweep()
        for number in range(1, TRIES + 1):
            # Another episode is answered for, so that the endpoint is not down.
            ended(run, f"{scene.GOOD} {number}")
            work(sweep, sent)
            calls = JudgeCall.objects.filter(episode_id=silent.pk)
            assert calls.count() == number
            assert not RewardComponents.objects.filter(episode_id=silent.pk).exists()
            work(sweep, sent)
            assert calls.count() == number
            later(PAUSE_S + 1)
    assert paid(fine).total == 1.5
    assert (paid(silent).components["judge/strict/grounded"], paid(silent).total) == (None, None)
    assert JudgeCall.objects.filter(episode_id=silent.pk).count() == TRIES


def test_tries_during_an_outage_void_nobody(sent: Sent) -> None:
    replies: list[str | int] = [503]
    with judge_of(lambda *_: replies[0]):
        one = ended(paid_by("strict"))
        sweep = JudgesSweep()
        for _ in range(TRIES + 2):
            work(sweep, sent)
            later(PAUSE_MAX_S + 1)
        assert JudgeCall.objects.count() == TRIES + 2
        replies[0] = grade("yes")
        work(sweep, sent)
    assert paid(one).total == 1.5


def test_no_more_calls_are_made_than_the_rate_allows(sent: Sent, settings: Any) -> None:
    settings.JUDGE_CALLS_PER_MINUTE = 3
    with judge_of(met):
        run = paid_by("strict")
        for _ in range(5):
            ended(run)
        sweep = JudgesSweep()
        for made in (3, 3):
            work(sweep, sent)
            assert JudgeCall.objects.count() == made
        later(61)
        work(sweep, sent)
    assert JudgeCall.objects.count() == 5


def test_nothing_is_sent_at_rate_0_or_while_jobs_wait(
    sent: Sent, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with judge_of(met):
        ended(paid_by("strict"))
        waiting = [0]
        monkeypatch.setattr("trajectories.judges.jobs.jobs.queue_length", lambda _: waiting[0])
        settings.JUDGE_CALLS_PER_MINUTE = 0
        assert JudgesSweep()() == 0
        settings.JUDGE_CALLS_PER_MINUTE, waiting[0] = 600, 1
        assert JudgesSweep()() == 0
        waiting[0] = 0
        assert JudgesSweep()() == 1


def test_as_many_calls_are_in_flight_as_the_setting_says(sent: Sent, settings: Any) -> None:
    settings.JUDGE_CALLS_AT_ONCE = 3
    flying, most = 0, [0]

    def reply(*_: str) -> str:
        nonlocal flying
        flying += 1
        most[0] = max(most[0], flying)
        scene.time.sleep(0.05)
        flying -= 1
        return grade("yes")

    with judge_of(reply):
        run = paid_by("strict")
        for _ in range(8):
            ended(run)
        work(JudgesSweep(), sent)
    assert JudgeCall.objects.count() == 8
    assert most[0] == 3


def test_a_judge_whose_prompt_is_not_written_any_more_is_left_alone(
    sent: Sent, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with judge_of(met):
        ended(paid_by("strict"))
        monkeypatch.setattr(prompt, "SYSTEM", prompt.SYSTEM + "\nBe strict.")
        sweep = JudgesSweep()
        with caplog.at_level(logging.WARNING):
            assert [sweep.advance(), sweep.advance()] == [0, 0]
    assert caplog.text.count("a different prompt") == 1


def test_a_judge_has_the_key_of_its_name(settings: Any) -> None:
    settings.JUDGE_KEYS = {"strict": "secret"}
    judges = [judge_store(toml(f"http://{name}.test/v1", name=name))[0] for name in ("strict", "other")]
    keys = []
    for judge in judges:
        with endpoint_open(judge) as one:
            keys.append(one.key)
    assert keys == ["secret", ""]


def test_the_workers_role_may_grade(sent: Sent, as_role: Callable[[str], Any]) -> None:
    with judge_of(met):
        one = ended(paid_by("strict"))
        with as_role("gym_worker"):
            work(JudgesSweep(), sent)
    assert paid(one).total == 1.5
