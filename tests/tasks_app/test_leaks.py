"""What a text that helps with a task gives away."""

from __future__ import annotations

import contextlib
import time
from typing import Any

import pytest

from core.errors import GymError
from tasks_app.leaks import detection
from tasks_app.models import Gold, Task
from tasks_app.registry import benchmarks
from tests import factories
from verifiers.children import ChildPool, VerifierTimeout

pytestmark = pytest.mark.django_db

PENS = "Ines has 3 boxes of 12 pens and gives away 6 pens. How many pens are left?"
LUNGS = ("a nail", "a lung", "hair", "17 km")


def made(benchmark_id: str, answer: str, text: str = "How many?", **fields: Any) -> Task:
    plugin = benchmarks.get(benchmark_id)
    row = factories.benchmark(
        id=plugin.id,
        kind=plugin.kind,
        verifier_official=plugin.verifier_official,
        verifier_training=plugin.verifier_training,
    )
    extra, accepted = fields.pop("extra", {}), fields.pop("accepted", [])
    fields.setdefault("payload", {"text": text, "format": "plain"})
    task = factories.task(benchmark=row, kind=plugin.kind, answer=answer, **fields)
    Gold.objects.filter(task=task).update(extra=extra, accepted=accepted)
    return task


def choice(label: str = "A", texts: tuple[str, ...] = LUNGS, text: str = "Which one breathes?") -> Task:
    shown = [{"label": "ABCDE"[number], "text": one} for number, one in enumerate(texts)]
    return made("arc", label, payload={"text": text, "choices": shown, "order": "free"})


def leaking(task: Task, text: str) -> list[str]:
    spans = detection.leaks(task, text)
    assert all(text[leak.start : leak.end] == leak.phrase for leak in spans)
    return [leak.phrase for leak in spans]


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("She has 3*12=<<3*12=36>>36 pens.", []),
        ("There are 36-6=<<36-6=30>>30 left.", ["30", "30"]),
        ("That makes 30.00 pens", ["30.00"]),
        ("thirty pens remain", ["thirty"]),
        ("60/2 pens", []),  # work that is left to do
        ("300 or 130 or 30.5 or 3,000", []),
        ("#### 30", ["30"]),
    ],
)
def test_a_number_leaks_however_it_is_written(text: str, phrases: list[str]) -> None:
    assert leaking(made("gsm8k", "30", PENS), text) == phrases


def test_a_number_of_the_question_leaks_only_where_it_is_announced() -> None:
    task = made("gsm8k", "12", PENS)

    assert leaking(task, "Each box has 12 pens.") == []
    assert leaking(task, "Each box has 12 pens. The answer is 12.") == ["12"]
    assert leaking(task, "#### 12") == ["12"]
    assert leaking(task, r"So \boxed{12}") == ["12"]


@pytest.mark.parametrize(
    ("gold", "text", "phrases"),
    [
        (r"\frac{5}{6}", r"Add them: $\frac{1}{2}+\frac{1}{3}=\frac{5}{6}$.", [r"\frac{5}{6}"]),
        (r"\frac{5}{6}", "Add them to get 5/6 at once", ["5/6"]),
        (r"\frac{5}{6}", r"Write both over 6: $\frac{3}{6}$ and $\frac{2}{6}$.", []),
        (r"2\sqrt{3}", r"so x = 2\sqrt{3} holds", [r"2\sqrt{3}"]),
        (r"2\sqrt{3}", r"the root of 3 is doubled", []),
        (r"-2", r"The sum $x^2 - 2$ is no answer, but $x = -2$ is.", ["- 2", "-2"]),
        (r"\{-2,2\}", r"The roots are $\{-2, 2\}$.", ["-2, 2"]),
        (r"\text{Tuesday}", "It falls on a Tuesday.", ["Tuesday"]),
        (r"\text{Tuesday}", "It falls two days after a Sunday.", []),
    ],
)
def test_mathematics_leaks_as_its_verifier_reads_it(gold: str, text: str, phrases: list[str]) -> None:
    assert leaking(made("math", gold, "What is it?"), text) == phrases


@pytest.mark.parametrize(
    "text",
    ["Think of option A.", "(A)", "The answer is A", "answer: a", "A is correct", "A", "**A**", "Choose A!"],
)
def test_a_label_leaks_where_it_is_named_as_one(text: str) -> None:
    assert leaking(choice("A"), text)


@pytest.mark.parametrize(
    "text",
    [
        "A creature needs air.",
        "The answer is a part of the body.",
        "Option B has no air.",
        "I would look at vitamin A first.",
        "Read about organs.\nA body has many.",
    ],
)
def test_an_article_and_another_label_leak_nothing(text: str) -> None:
    assert leaking(choice("A"), text) == []


def test_the_text_of_the_right_choice_leaks_and_that_of_another_does_not() -> None:
    assert leaking(choice("B"), "Look for A LUNG, as it were") == ["A LUNG"]
    assert leaking(choice("B"), "Hair has no lung-like parts") == []


def test_the_number_of_the_right_choice_leaks_in_another_notation() -> None:
    task = choice("C", ("900", "1100", "1000"), text="How many metres is a kilometre?")

    assert leaking(task, "It is 1,000 of them") == ["1,000"]
    assert leaking(task, "Not 900") == []


def test_an_answer_of_several_values_leaks_when_all_are_there() -> None:
    task = made("wikitable", "Ghana|Mali", "Which ones?", payload={"text": "Which ones?", "table": {}})

    assert leaking(task, "One of them is Ghana.") == []
    assert leaking(task, "Take Mali, then ghana.") == ["Mali", "ghana"]


def test_the_values_of_a_mock_site_leak_though_its_state_is_unknown() -> None:
    task = made("reviews", "Ines K.|4", "Who?", extra={"state": {"votes": 1}})

    assert leaking(task, "Find the shop's page first.") == []
    assert leaking(task, "Ines K. gave 4 stars") == ["Ines K", "4"]


def test_a_text_for_answers_that_are_programs_is_refused() -> None:
    with pytest.raises(GymError) as refused:
        detection.leaks(made("mbpp", "def f(): pass"), "Use a loop.")

    assert (refused.value.code, refused.value.status) == ("no_leak_check", 422)


def test_the_error_names_the_place_and_not_the_gold() -> None:
    with pytest.raises(GymError) as refused:
        detection.leaks_refuse(made("gsm8k", "0.50", PENS), "It is 1/2 of them.")

    assert refused.value.code == "guidance_leaks"
    assert "characters 6 to 9 ('1/2')" in refused.value.message
    assert "0.5" not in str(refused.value.fields) + refused.value.message


def test_a_text_is_read_behind_what_stands_before_it() -> None:
    pens = made("gsm8k", "3", PENS)
    ghana = made("wikitable", "Ghana|Mali", "Which ones?", payload={"text": "Which ones?", "table": {}})

    assert detection.leaks_behind(pens, "3 boxes.", before="There are\n\n") == []
    (leak,) = detection.leaks_behind(pens, "3 boxes.", before="x" * 10_000 + "\n\nThe answer is\n\n")
    assert (leak.start, leak.end, leak.phrase) == (0, 1, "3")
    assert [one.phrase for one in detection.leaks_behind(ghana, "And Ghana.", before="Mali. ")] == ["Ghana"]
    assert detection.leaks_behind(pens, "Count.", before="The answer is 3. ") == []
    (leak,) = detection.leaks_behind(pens, "x" * 9_989 + " answer: 3.", before="The answer is")
    assert leak.end == 9_999


@pytest.mark.parametrize(
    "text",
    [
        "$" * 10_000,
        "\\[" * 5_000,
        "\\boxed{" * 1_400,
        "\n" * 10_000,
        "9" * 10_000,
        "1, " * 3_300,
        "one hundred and " * 620,
        "(" * 5_000 + ")" * 5_000,
        "$" + "x+1-" * 2_400 + "$",
        "$" + "^{".join("2" * 3_000) + "$",
        "a" + "." * 9_999,
    ],
    ids=lambda text: text[:12],
)
@pytest.mark.parametrize("answer", ["30", r"\text{Tuesday}"])
def test_hostile_texts_are_judged_or_refused_in_bounded_time(text: str, answer: str) -> None:
    started = time.monotonic()
    with contextlib.suppress(GymError):
        assert leaking(made("math", answer), text) == []
    # The check's own clock, a batch beyond it, and what a busy machine adds.
    assert time.monotonic() - started < 2 * detection.CHECK_S


def test_a_text_too_long_to_check_is_refused() -> None:
    with pytest.raises(GymError, match=r"10,001 characters"):
        detection.leaks(made("gsm8k", "30"), "x" * 10_001)


def test_what_the_verifier_cannot_read_in_time_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(*_args: object, **_kwargs: object) -> None:
        raise VerifierTimeout("verifier_timeout", "")

    monkeypatch.setattr(ChildPool, "_judge", hang)
    with pytest.raises(GymError) as refused:
        detection.leaks(made("gsm8k", "30", PENS), "There are 77 left.")

    assert refused.value.code == "leak_check_unfinished"
    assert "'77'" in refused.value.message
