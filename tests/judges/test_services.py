"""Judges grade episodes by a real endpoint: what is stored, and what is void."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from core.errors import GymError
from tests import factories
from tests.judges import scene
from tests.judges.scene import BAD, GOOD, endpoint, grade, toml
from trajectories.annotation.machines.endpoint import Endpoint, JudgeUnreachable
from trajectories.judges import prompt
from trajectories.judges.services import Tally, body_of, episodes_judge, judge_get, judge_store
from trajectories.models import Judge, JudgeCall, RewardComponents
from trajectories.record.projects import EVERYTHING
from trajectories.rewards.profiles.store import profile_get, profile_store
from trajectories.rewards.selectors import Rewards, rewards_of

pytestmark = pytest.mark.django_db
GROUNDED, DIRECT, TOTAL = "judge/strict/grounded", "judge/strict/direct", "judge/strict"


def judged(
    answer: scene.Answer, *, delay_s: float = 0.0, runs: list[int] | None = None, **options: Any
) -> Tally:
    with endpoint(answer, delay_s=delay_s) as url, httpx.Client() as client:
        judge, _ = judge_store(toml())
        one = Endpoint(
            url=url,
            model="m",
            client=client,
            tries=1,
            timeout_s=options.pop("timeout_s", 10),
            pause=lambda _: None,
        )
        return episodes_judge(judge, one, lambda *_: None, runs=runs or [], **options)


def good_if_it_holds(system: str, attempt: str) -> str:
    if "serve the task" in system:
        return grade("all")
    return grade("yes" if scene.answer_in(attempt) == GOOD else "no")


def paid(episode: int) -> Rewards:
    return rewards_of([episode], named=profile_get("", viewer=EVERYTHING))[episode]


def test_grades_become_components_with_the_judge_as_their_source() -> None:
    good, bad = scene.episode(GOOD), scene.episode(BAD, outcome="incorrect")
    assert judged(good_if_it_holds) == Tally(episodes=2, void=0)
    judge = Judge.objects.get()
    for one, value, total in ((good, 1.0, 1.0), (bad, 0.0, 0.25)):
        given = paid(one.pk)
        parts = {name: value for name, value in given.components.items() if name.startswith("judge")}
        assert parts == {GROUNDED: value, DIRECT: 1.0, TOTAL: total}
        assert given.sources["judge strict"] == judge.sha256
    calls = JudgeCall.objects.filter(episode_id=good.pk, criterion="grounded")
    assert [(one.grade, one.prompt_tokens, len(one.request_sha256)) for one in calls] == [("yes", 7, 64)]
    assert all(GOOD not in call.reply for call in JudgeCall.objects.all())


def test_void_and_open_episodes_are_not_graded() -> None:
    scene.episode(outcome="void")
    factories.episode()
    assert judged(good_if_it_holds) == Tally()
    assert not JudgeCall.objects.exists()


@pytest.mark.parametrize(
    "reply", ["It is fine.", grade("yes") * 2, "", grade("no_page"), 400, 500, "\0\ud800"]
)
def test_what_is_no_grade_is_void_for_that_component_alone(reply: str | int) -> None:
    episode = scene.episode()
    tally = judged(lambda system, _: grade("all") if "serve the task" in system else reply)
    assert tally == Tally(episodes=1, void=1)
    given = paid(episode.pk).components
    assert (given[GROUNDED], given[DIRECT], given[TOTAL]) == (None, 1.0, None)
    call = JudgeCall.objects.get(criterion="grounded")
    assert (call.grade == "no_page") != bool(call.problem)
    profile = {
        "name": "by-judge",
        "terms": [{"component": "outcome"}, {"component": GROUNDED, "weight": 0.5}],
    }
    named, _ = profile_store(profile, viewer=EVERYTHING)
    assert rewards_of([episode.pk], named=named)[episode.pk].total is None


def test_a_time_out_is_void() -> None:
    episode = scene.episode()

    def slow(system: str, _: str) -> str:
        if "serve the task" not in system:
            scene.time.sleep(1.0)
        return grade("all")

    assert judged(slow, timeout_s=0.4) == Tally(episodes=1, void=1)
    assert paid(episode.pk).components[GROUNDED] is None
    assert "ReadTimeout" in JudgeCall.objects.get(criterion="grounded").problem


def test_an_endpoint_that_answers_nothing_voids_nobody() -> None:
    scene.episode()
    with pytest.raises(JudgeUnreachable, match="HTTP 503"):
        judged(lambda *_: 503)
    assert not RewardComponents.objects.exists()
    assert JudgeCall.objects.count() == 2
    assert judged(good_if_it_holds).episodes == 1


def test_what_is_graded_stays_and_void_grades_are_given_again_on_request() -> None:
    first = scene.episode()
    assert judged(lambda system, _: grade("all") if "serve the task" in system else "?").void == 1
    second = scene.episode()
    assert judged(good_if_it_holds) == Tally(episodes=1)
    assert paid(first.pk).components[GROUNDED] is None
    assert judged(good_if_it_holds) == Tally()
    assert judged(good_if_it_holds, has_void=True) == Tally(episodes=1)
    assert judged(good_if_it_holds, has_void=True) == Tally()
    assert paid(first.pk).components[GROUNDED] == paid(second.pk).components[GROUNDED] == 1.0
    assert RewardComponents.objects.count() == 3


def test_only_the_named_runs_are_graded() -> None:
    one, _ = scene.episode(), scene.episode()
    assert judged(good_if_it_holds, runs=[one.run_id]).episodes == 1
    assert RewardComponents.objects.get().episode_id == one.pk


def test_a_changed_judge_needs_another_name_and_the_same_one_has_one() -> None:
    judge, is_new = judge_store(toml())
    assert (judge_store(toml()), is_new) == ((judge, False), True)
    with pytest.raises(GymError, match="the name of another judge") as raised:
        judge_store(toml("http://other.test/v1"))
    assert raised.value.status == 409
    with pytest.raises(GymError, match="stored as 'strict'"):
        judge_store(toml(name="lenient"))
    with pytest.raises(GymError, match="Did you mean"):
        judge_get("strct")
    assert Judge.objects.count() == 1


def test_a_judge_whose_prompt_this_version_cannot_write_grades_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    judge, _ = judge_store(toml())
    monkeypatch.setattr(prompt, "SYSTEM", prompt.SYSTEM + "\nBe strict.")
    with pytest.raises(GymError, match="a different prompt"):
        body_of(judge)


def test_the_command_stores_a_judge_and_lets_it_grade(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scene.episode()
    file = tmp_path / "strict.toml"
    with endpoint(good_if_it_holds) as url:
        file.write_bytes(toml(url))
        call_command("judge", str(file))
        call_command("judge", "strict")
    lines = capsys.readouterr().out.splitlines()
    assert ["graded: 1." in lines[0], "graded: 0." in lines[1]] == [True, True]
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("judge", "none.toml")
    with pytest.raises(CommandError, match="There is no judge"):
        call_command("judge", "none")
    with pytest.raises(CommandError, match="is not set"):
        call_command("judge", "strict", key_env="PALAESTRA_NO_SUCH_KEY")


def test_the_command_speaks_of_what_was_graded_only_where_grading_began(tmp_path: Path) -> None:
    scene.episode()
    bad, down = tmp_path / "bad.toml", tmp_path / "down.toml"
    bad.write_bytes(b"name = 7")
    with pytest.raises(CommandError) as refused:
        call_command("judge", str(bad))
    assert "is kept" not in str(refused.value)
    with endpoint(lambda *_: 404) as url:
        down.write_bytes(toml(url))
        with pytest.raises(CommandError, match="The grades so far were kept"):
            call_command("judge", str(down))


def test_an_attempt_that_the_endpoint_refuses_is_void_and_one_without_words_too() -> None:
    first = scene.episode()
    assert judged(lambda *_: "").void == 2
    second = scene.episode("Too long.")
    third = scene.episode()

    def refusing(system: str, attempt: str) -> str | int:
        return 413 if "Too long." in attempt or "serve the task" in system else grade("yes")

    assert judged(refusing) == Tally(episodes=2, void=3)
    assert [paid(one.pk).components[GROUNDED] for one in (first, second, third)] == [None, None, 1.0]
