"""The ladder: every rung's answers are right and cannot be guessed, and its splits share nothing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any

import pytest

from core.errors import GymError
from tasks_app import loader
from tasks_app.benchmarks.ladder import generate
from tasks_app.choices import is_movable
from tasks_app.ladder.registry import ORDINALS, RUNGS, TAG
from tasks_app.leaks.checks import clean_steps_store
from tasks_app.models import Gold
from tasks_app.registry import benchmarks
from tasks_app.solutions import lines
from tasks_app.types import TaskDraft
from verifiers import registry
from verifiers.types import Evidence
from verifiers.types import Gold as Reference

COUNT = 1_600
FAR_FROM_CHANCE = 0.087
"""Four standard errors of a share of a quarter among 400 tasks."""


def drawn(split: str = "train", *, count: int = COUNT, seed: int = 1) -> list[TaskDraft]:
    return [draft for draft in generate(count, seed, split) if isinstance(draft, TaskDraft)]


@pytest.fixture(scope="module")
def train() -> list[TaskDraft]:
    return drawn()


def rung_of(draft: TaskDraft) -> str:
    return draft.tags[0].removeprefix(TAG)


def texts(draft: TaskDraft) -> dict[str, str]:
    return {choice["label"]: choice["text"] for choice in draft.payload["choices"]}


def oracle(payload: Mapping[str, Any]) -> str:
    """The right text, worked out from what is shown alone."""
    text, passage = payload["text"], payload.get("passage", "")
    shown = [choice["text"] for choice in payload["choices"]]
    word = re.sub(r"[.?]$", "", text).split()[-1]
    if text.startswith("Choose the word"):
        return str(word)
    if text.startswith("Which number is the greatest"):
        return str(max(map(int, shown)))
    if text.startswith("How many times"):
        return str(passage.split(", ").count(word))
    return str(dict(row.split(": ") for row in passage.split("\n"))[word])


SHORTCUTS: Mapping[str, Callable[[dict[str, str]], str]] = {
    "the first": lambda shown: "A",
    "the last": lambda shown: "D",
    "the longest": lambda shown: max(shown, key=lambda label: len(shown[label])),
    "the first by name": lambda shown: min(shown, key=shown.__getitem__),
    "the last by name": lambda shown: max(shown, key=shown.__getitem__),
}


def test_every_rung_is_drawn_in_turn_and_can_be_stored(train: list[TaskDraft]) -> None:
    assert Counter(map(rung_of, train)) == dict.fromkeys(RUNGS, COUNT // len(RUNGS))
    assert len({draft.key for draft in train}) == COUNT
    assert [loader.draft_problem(draft) for draft in train] == [None] * COUNT


def test_golds_are_right_by_what_is_shown_and_nothing_else_is(train: list[TaskDraft]) -> None:
    for draft in train:
        assert texts(draft)[draft.gold.answer] == oracle(draft.payload)
        assert len(set(texts(draft).values())) == len(texts(draft))
    gold = Reference(train[0].gold.answer)
    right = [registry.run("choice-v2", gold=gold, evidence=Evidence(label)).correct for label in "ABCD"]
    assert right == [label == train[0].gold.answer for label in "ABCD"]


@pytest.mark.parametrize("shortcut", SHORTCUTS)
def test_a_cheat_that_does_not_read_the_question_is_right_by_chance(
    train: list[TaskDraft], shortcut: str
) -> None:
    for rung in RUNGS:
        own = [draft for draft in train if rung_of(draft) == rung]
        right = sum(SHORTCUTS[shortcut](texts(draft)) == draft.gold.answer for draft in own) / len(own)
        if (rung, shortcut) in {("greatest_number", "the longest"), ("greatest_number", "the last by name")}:
            assert right > draft_rate(own)  # these do read the numbers, which are all there is to read
        elif (rung, shortcut) == ("greatest_number", "the first by name"):
            assert right < draft_rate(own)
        else:
            assert abs(right - draft_rate(own)) < FAR_FROM_CHANCE, (rung, right)


def draft_rate(drafts: list[TaskDraft]) -> float:
    [rate] = {draft.guess_rate for draft in drafts}
    return rate


def test_no_row_of_a_table_is_likelier_than_another(train: list[TaskDraft]) -> None:
    own = [draft for draft in train if rung_of(draft) == "table_cell"]
    for row in range(4):
        rights = [
            draft.payload["passage"].split("\n")[row].endswith(f": {oracle(draft.payload)}") for draft in own
        ]
        assert abs(sum(rights) / len(own) - draft_rate(own)) < FAR_FROM_CHANCE


def test_a_count_is_no_likelier_than_another(train: list[TaskDraft]) -> None:
    own = [oracle(draft.payload) for draft in train if rung_of(draft) == "word_count"]
    assert max(Counter(own).values()) / len(own) - 1 / 4 < FAR_FROM_CHANCE


def test_splits_share_no_question_whatever_the_seeds(train: list[TaskDraft]) -> None:
    held_out = {draft.key for seed in (1, 2) for draft in drawn("test", count=400, seed=seed)}
    assert len(held_out) == 800
    assert held_out.isdisjoint({draft.key for draft in train} | {draft.key for draft in drawn(seed=2)})


def test_tasks_do_not_depend_on_their_number_but_on_the_seed(train: list[TaskDraft]) -> None:
    assert list(islice(generate(COUNT, 1, "train"), 40)) == train[:40]
    assert drawn(count=40, seed=2) != train[:40]


def test_samples_of_a_group_read_one_prompt(train: list[TaskDraft]) -> None:
    assert not any(is_movable(draft.payload) for draft in train)


def test_steps_are_true_and_the_last_alone_says_the_answer(train: list[TaskDraft]) -> None:
    for draft in train:
        *steps, last = lines.cut(draft.gold.solution)
        right = re.compile(rf"\b{oracle(draft.payload)}\b")
        assert len(steps) >= 2
        assert right.search(last)
        assert not any(map(right.search, steps)), draft.gold.solution
        assert all(is_true(step.strip(), draft.payload) for step in steps), draft.gold.solution


def is_true(step: str, payload: Mapping[str, Any]) -> bool:
    """Whether what a step says can be seen."""
    passage, right = payload.get("passage", ""), oracle(payload)
    if match := re.fullmatch(r"The row of (\w+) is the (\w+), (before|after) (\w+: \d+)\.", step):
        rows, place = passage.split("\n"), ORDINALS.index(match[2])
        beside = rows[place + (1 if match[3] == "before" else -1)]
        return str(rows[place]).startswith(f"{match[1]}: ") and beside == match[4]
    if match := re.fullmatch(r"The number in that row has two digits and begins with (\d)\.", step):
        return len(right) == 2 and right[0] == match[1]
    if step == "The number in that row has one digit.":
        return len(right) == 1
    if match := re.fullmatch(r"(\d+) is less than (\d+), so \1 is not the greatest\.", step):
        return int(match[1]) < int(match[2]) and set(match.groups()) < set(texts_of(payload))
    if match := re.fullmatch(r"The (\w+) word is (\w+): this (counts|does not count)\.", step):
        is_counted = match[2] == payload["text"].rstrip("?").split()[-1]
        listed = passage.split(", ")[ORDINALS.index(match[1])]
        return bool(listed == match[2]) and is_counted == (match[3] == "counts")
    match = re.fullmatch(r".* (begins|ends) with (\w)\.", step)
    return match is not None and right[0 if match[1] == "begins" else -1] == match[2]


def texts_of(payload: Mapping[str, Any]) -> list[str]:
    return [choice["text"] for choice in payload["choices"]]


@pytest.mark.django_db
def test_all_steps_but_the_last_can_be_given_as_a_prefix(train: list[TaskDraft]) -> None:
    loader.tasks_load(benchmarks.get("ladder"), train[:120], split="train")
    golds = list(Gold.objects.select_related("task"))
    clean_steps_store(golds)
    assert [gold.clean_steps for gold in golds] == [len(gold.steps) - 1 for gold in golds]


def test_an_unknown_split_is_refused() -> None:
    with pytest.raises(GymError, match="train, test"):
        generate(1, 1, "dev")
