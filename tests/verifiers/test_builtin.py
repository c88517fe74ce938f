"""One proof for every registered verifier: its own examples."""

from __future__ import annotations

from typing import Any

import pytest

from verifiers import registry
from verifiers.limits import SHORT_ANSWER_CHARS
from verifiers.registry import VERIFIERS, Verifier
from verifiers.types import Evidence, Gold, Verdict

registry.discover()

PLUGINS = [plugin for _, plugin in VERIFIERS.items()]
READING = [plugin for plugin in PLUGINS if not plugin.needs_sandbox and plugin.id != "transcript-v1"]
"""Those that read a short answer; programs have tests of their own, and a copy is any text."""
OF_ONE_ANSWER = [plugin for plugin in READING if plugin.id not in {"choice-v2", "denotation-v1"}]


def judge(plugin: Verifier, gold: str, answer: str | tuple[str, ...]) -> Verdict:
    return plugin.check(Gold(gold), Evidence(answer))


@pytest.mark.parametrize("plugin", PLUGINS, ids=lambda plugin: plugin.id)
def test_a_verifier_judges_its_examples(plugin: Verifier) -> None:
    for example in plugin.examples:
        gold = Gold(example.gold, extra=example.extra)
        assert plugin.check(gold, Evidence(example.answer)).correct is example.correct, example


@pytest.mark.parametrize("plugin", PLUGINS, ids=lambda plugin: plugin.id)
def test_a_verifier_has_right_and_wrong_examples(plugin: Verifier) -> None:
    assert {example.correct for example in plugin.examples} == {True, False}


@pytest.mark.parametrize("plugin", READING, ids=lambda plugin: plugin.id)
def test_a_verifier_accepts_the_gold_of_every_example(plugin: Verifier) -> None:
    for example in plugin.examples:
        assert judge(plugin, example.gold, example.gold).correct, example.gold


@pytest.mark.parametrize("plugin", READING, ids=lambda plugin: plugin.id)
def test_an_answer_past_the_limit_is_unparsable(plugin: Verifier) -> None:
    gold = plugin.examples[0].gold
    verdict = judge(plugin, gold, gold + " " * SHORT_ANSWER_CHARS + ".")
    assert (verdict.correct, verdict.reason) == (False, "unparsable_answer")


@pytest.mark.parametrize("plugin", READING, ids=lambda plugin: plugin.id)
def test_an_unreadable_answer_is_unparsable(plugin: Verifier) -> None:
    gold = plugin.examples[0].gold
    for answer in ("", "   ", (), "\x00", "4\u200b2", "\u202e42", "\ud800"):
        verdict = judge(plugin, gold, answer)
        assert (verdict.correct, verdict.reason) == (False, "unparsable_answer"), repr(answer)


@pytest.mark.parametrize("plugin", OF_ONE_ANSWER, ids=lambda plugin: plugin.id)
def test_several_answers_are_unparsable_if_one_is_expected(plugin: Verifier) -> None:
    verdict = judge(plugin, "42", ("42", "42"))
    assert (verdict.correct, verdict.reason) == (False, "unparsable_answer")


@pytest.mark.parametrize("answer", ["12 15", "15 12", "12, 15", "(12) (15)", "12 km 15 km", "12: 15"])
def test_an_answer_of_several_numbers_is_unparsable(answer: str) -> None:
    verdict = VERIFIERS.get("numeric-v1").check(Gold("12"), Evidence(answer))
    assert (verdict.correct, verdict.reason) == (False, "unparsable_answer")


def test_accepted_answers_are_as_correct_as_the_gold() -> None:
    gold = Gold("080", accepted=("081",))
    numeric = VERIFIERS.get("numeric-v1")
    assert numeric.check(gold, Evidence("81")).correct
    assert numeric.check(gold, Evidence("80")).correct
    assert not numeric.check(gold, Evidence("82")).correct


@pytest.mark.parametrize("mark", ["\u200e", "\u200b", "\u2060", "\ufeff"])
@pytest.mark.parametrize(
    ("verifier_id", "gold"), [("numeric-v1", "400"), ("choice-v2", "B"), ("math-v1", "400")]
)
def test_marks_around_an_answer_are_ignored_and_marks_inside_make_it_incorrect(
    verifier_id: str, gold: str, mark: str
) -> None:
    def is_right(answer: str) -> bool:
        return registry.run(verifier_id, gold=Gold(gold), evidence=Evidence(answer)).correct

    assert is_right(f"{mark}{gold} {mark}")
    assert not is_right(f"4{mark}00" if gold == "400" else f"A{mark}B")


@pytest.mark.parametrize(
    "extra", [{"options": ["Paris", "London"]}, {"choices": {"A": "Paris", "b": "London"}}]
)
def test_a_label_beside_another_choices_text_is_unparsable(extra: dict[str, Any]) -> None:
    def verdict_on(answer: str) -> Verdict:
        return registry.run("choice-v2", gold=Gold("B", extra=extra), evidence=Evidence(answer))

    assert verdict_on("B) London").correct
    assert verdict_on("B London").correct
    assert verdict_on("B) Paris").reason == "unparsable_answer"
