from __future__ import annotations

import json
from collections import Counter

import pytest
from django.core.management import call_command

from tasks_app import loader
from tasks_app.families.registry import FAMILIES
from tasks_app.models import Task
from tasks_app.sites.benchmark import generate
from tasks_app.sites.lanes import tasks_draw
from tasks_app.types import TaskDraft
from tasks_app.worlds.registry import state_plain
from verifiers import denotations, registry
from verifiers.types import Evidence
from verifiers.types import Gold as Reference

pytestmark = pytest.mark.slow

SALT = b"salt of these tests"
REVIEWS = "reviews"
COUNT = 160
TEST_ALONE = {"most_helpful_mention", "most_of_five"}


def draw(split: str) -> list[TaskDraft]:
    rows = list(generate(REVIEWS, count=COUNT, seed=1, split=split, salt=SALT))
    return [row for row in rows if isinstance(row, TaskDraft)]


@pytest.fixture(scope="module")
def train() -> list[TaskDraft]:
    return draw("train")


@pytest.fixture(scope="module")
def held_out() -> list[TaskDraft]:
    return draw("test")


def test_the_requested_number_of_tasks_is_drawn_balanced_and_loadable(train: list[TaskDraft]) -> None:
    assert len({(draft.prompt, draft.gold.answer) for draft in train}) == COUNT
    assert [loader.draft_problem(draft) for draft in train] == [None] * COUNT
    counts = Counter(draft.tags for draft in train)
    assert len(counts) == 4 * 5
    assert max(counts.values()) - min(counts.values()) <= 4


def test_the_test_split_has_its_own_worlds_and_families(
    train: list[TaskDraft], held_out: list[TaskDraft]
) -> None:
    families = [{draft.tags[0].removeprefix("family:") for draft in drafts} for drafts in (train, held_out)]
    numbers = [{draft.payload["world"] for draft in drafts} for drafts in (train, held_out)]
    assert families[1] - families[0] == TEST_ALONE
    assert not numbers[0] & numbers[1]


def test_only_the_gold_reveals_an_impossible_task(train: list[TaskDraft]) -> None:
    impossible = [draft for draft in train if not draft.gold.extra["is_possible"]]
    assert 0 < len(impossible) <= 0.1 * COUNT
    for draft in impossible:
        (twin,) = [one for one in train if one.prompt == draft.prompt and one is not draft]
        assert (twin.tags, twin.oracle_steps, twin.payload["world"]) == (
            draft.tags,
            draft.oracle_steps,
            draft.payload["world"],
        )
        assert len(twin.payload["changes"]) == len(draft.payload["changes"])


def test_payload_and_key_do_not_contain_the_answer(train: list[TaskDraft]) -> None:
    for draft in train:
        shown = json.dumps([draft.payload, draft.key, draft.tags])
        assert denotations.split_cell(draft.gold.answer)[1] not in shown
        assert "is_verified" not in shown


def test_the_gold_of_every_family_is_accepted_and_its_wrong_answer_is_not() -> None:
    for one in tasks_draw(REVIEWS, count=60, seed=1, split="test", salt=SALT):
        world = one.world.open(changes=one.task.changes)
        gold = Reference(denotations.join_cell(one.task.answer))
        wrong = FAMILIES.get(one.task.family).wrong(world, one.task)
        assert registry.run("site_state-v1", gold=gold, evidence=Evidence(one.task.answer)).correct
        assert not registry.run("site_state-v1", gold=gold, evidence=Evidence(wrong)).correct, one.task


def test_the_state_of_an_untouched_episode_is_empty(train: list[TaskDraft]) -> None:
    state = state_plain(train[0].payload, [], salt=SALT)
    assert set(state) == {"voted", "unfolded", "replies", "closed", "searches", "seen", "basket"}
    assert not any(state.values())


@pytest.mark.django_db
def test_the_command_loads_the_requested_split() -> None:
    for _ in range(2):
        call_command("load_benchmark", REVIEWS, count=20, seed=3, split="test")
    assert Task.objects.filter(benchmark=REVIEWS, split="test", kind="site").count() == 20
