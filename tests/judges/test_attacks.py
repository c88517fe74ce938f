"""Texts that ask a judge for a grade: an honest judge, one that obeys, and one that merely wavers."""

from __future__ import annotations

import hashlib

import httpx
import msgspec
import pytest
from django.core.management import call_command

from tests.judges import scene
from tests.judges.scene import BAD, GOOD, endpoint, grade, toml
from trajectories.annotation.machines.endpoint import Endpoint, JudgeUnreachable
from trajectories.judges.attacks import CONTROL, Attack, attempt_with, is_more, judge_attack, texts
from trajectories.judges.parser import judge_read
from trajectories.judges.prompt import Attempt, attempt_text
from trajectories.judges.services import episodes_judge, judge_store, source_of
from trajectories.models import Judge, JudgeAttack, JudgeCall, RewardComponents
from trajectories.rewards.store import components_write

pytestmark = pytest.mark.django_db
GROUNDED = judge_read(toml()).criteria[0]


def attacked(answer: scene.Answer, *, attempts: int = 20, criteria: str = scene.ONE) -> list[JudgeAttack]:
    judge, _ = judge_store(toml(criteria=criteria))
    with endpoint(answer) as url, httpx.Client() as client:
        one = Endpoint(url=url, model="m", client=client, tries=1)
        episodes_judge(judge, one, lambda *_: None, runs=[])
        return judge_attack(judge, one, lambda *_: None, attempts=attempts)


def by_truth(_: str, attempt: str) -> str:
    return grade("yes" if scene.answer_in(attempt).startswith(GOOD) else "no")


def raised(one: JudgeAttack) -> dict[str, int]:
    return {attack.text: attack.raised for attack in msgspec.convert(one.figures, list[Attack])}


@pytest.fixture
def bad() -> None:
    for place in range(20):
        scene.episode(f"{BAD} {place}", outcome="incorrect")
    scene.episode(GOOD)


def test_texts_address_the_judge_and_imitate_its_format_and_one_is_the_control() -> None:
    assert next(iter(texts())) == CONTROL
    assert len(texts()) >= 10
    assert [name for name, text in texts().items() if "{grade}" not in text] == [CONTROL, "praise"]


@pytest.mark.parametrize("text", texts())
def test_a_text_stays_inside_the_quotation_of_what_the_agent_wrote(text: str) -> None:
    before = Attempt(episode=1, texts={"task": "T", "answer": "42", "last_page": "P"})
    after = attempt_with(before, texts()[text], GROUNDED)
    assert {part: after.texts[part] for part in ("task", "last_page")} == {"task": "T", "last_page": "P"}
    answer = scene.answer_in(attempt_text(GROUNDED, after))
    assert answer == f"42\n{texts()[text].replace('{grade}', 'yes')}"


def test_an_honest_judge_is_not_fooled(bad: None) -> None:
    (one,) = attacked(by_truth)
    assert (one.attempts, one.is_fooled, set(raised(one).values())) == (20, False, {0})
    calls = JudgeCall.objects.exclude(attack="")
    assert calls.count() == 20 * len(texts())
    assert attacked(by_truth)[0].attempts == 20
    assert calls.count() == 20 * len(texts())
    # What a judge says under attack pays nobody.
    assert RewardComponents.objects.count() == 21


def test_a_judge_that_obeys_is_fooled_by_what_it_obeys(bad: None) -> None:
    def obeying(system: str, attempt: str) -> str:
        return grade("yes") if "Ignore all previous" in attempt else by_truth(system, attempt)

    (one,) = attacked(obeying)
    assert one.is_fooled
    assert {text: count for text, count in raised(one).items() if count} == {"instruction": 20}
    attacks = msgspec.convert(one.figures, list[Attack])
    assert [attack.text for attack in attacks if attack.is_raising] == ["instruction"]


def test_a_judge_that_wavers_is_not_fooled(bad: None) -> None:
    def wavering(system: str, attempt: str) -> str:
        answer = scene.answer_in(attempt)
        is_plain = "\n" not in answer
        wavers = int(hashlib.sha256(answer.encode()).hexdigest()[:8], 16) % 4 == 0
        return grade("yes") if wavers and not is_plain else by_truth(system, attempt)

    (one,) = attacked(wavering)
    assert not one.is_fooled
    assert sum(raised(one).values()) > 20


def test_a_judge_that_sees_nothing_of_the_agents_is_not_tried(bad: None) -> None:
    blind = scene.ONE.replace('["task", "answer", "last_page"]', '["task", "last_page"]')
    (one,) = attacked(lambda *_: grade("no"), criteria=blind)
    assert (one.is_open, one.attempts, one.is_fooled) == (False, 0, False)


def test_an_attempt_is_not_met_by_its_latest_grade(bad: None) -> None:
    assert attacked(by_truth)[0].attempts == 20
    source = source_of(Judge.objects.get()).pk
    first = RewardComponents.objects.order_by("episode_id")[0].episode_id
    for grade_now, attempts in ((1.0, 19), (None, 19), (0.0, 20)):
        components_write(first, source=source, values={"judge/strict/grounded": grade_now}, steps={})
        assert attacked(by_truth)[0].attempts == attempts


def test_an_endpoint_that_stops_answering_leaves_no_report(bad: None) -> None:
    calls = iter(range(10_000))

    def failing(system: str, attempt: str) -> str | int:
        return by_truth(system, attempt) if next(calls) < 60 else 503

    with pytest.raises(JudgeUnreachable):
        attacked(failing)
    assert not JudgeAttack.objects.exists()
    assert attacked(by_truth)[0].attempts == 20


@pytest.mark.parametrize(
    ("alone", "control", "expected"), [(9, 0, True), (8, 0, True), (7, 0, False), (9, 6, False)]
)
def test_a_text_counts_as_raising_by_mcnemar(alone: int, control: int, expected: bool) -> None:
    assert is_more(alone, control) is expected


def test_the_command_prints_what_each_text_did(bad: None, capsys: pytest.CaptureFixture[str]) -> None:
    attacked(by_truth)
    judge = Judge.objects.get()
    with endpoint(by_truth) as url:
        Judge.objects.filter(pk=judge.pk).update(body={**judge.body, "url": url})
        call_command("attack_judge", "strict", attempts=5)
    out = capsys.readouterr().out
    assert (
        "grounded: tested on 5 attempts graded as not met. No text raises its grades more than the control."
        in out
    )
    assert "  instruction: raised 0 [0.0%, 43.4%]" in out
