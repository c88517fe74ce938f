from __future__ import annotations

import json
from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from core.work import child_processes
from tasks_app import loader
from tasks_app.families.registry import FAMILIES, list_families
from tasks_app.families.types import SiteTask
from tasks_app.models import Gold, Task
from tasks_app.questions import questions
from tasks_app.sites import benchmark, drafts, lanes
from tasks_app.starters import starter_drafts
from tasks_app.types import TaskDraft
from tasks_app.worlds import text_view
from tasks_app.worlds.keys import changes_open, changes_seal, world_arguments, world_key
from tasks_app.worlds.registry import state_plain
from validation.management.commands import check_guesses
from verifiers import denotations, registry
from verifiers.types import Evidence
from verifiers.types import Gold as Reference

pytestmark = pytest.mark.slow

SALT = b"salt of these tests"
STAYS = "stays"
MEASURED = benchmark.MEASURED_TASKS  # as in an installation: tests set a smaller number once they run
DOING = {"book_stay", "cancel_and_rebook", "change_dates"}
TEST_ALONE = {"change_dates", "latest_free_cancellation"}


def draw(split: str = "train", *, count: int = 240, seed: int = 1, salt: bytes = SALT) -> list[TaskDraft]:
    rows = list(benchmark.generate(STAYS, count=count, seed=seed, split=split, salt=salt))
    return [row for row in rows if isinstance(row, TaskDraft)]


@pytest.fixture(scope="module")
def train() -> list[TaskDraft]:
    return draw()


@pytest.fixture(scope="module")
def held_out() -> list[TaskDraft]:
    return draw("test")


def worlds_of(drafts: list[TaskDraft]) -> set[int]:
    return {draft.payload["world"] for draft in drafts}


def test_the_requested_number_of_distinct_tasks_is_drawn(train: list[TaskDraft]) -> None:
    assert len(train) == 240
    assert len({draft.key for draft in train}) == 240
    assert len({(draft.prompt, draft.gold.answer) for draft in train}) == 240
    assert [loader.draft_problem(draft) for draft in train] == [None] * 240


def test_families_and_levels_are_balanced(train: list[TaskDraft]) -> None:
    counts = Counter(draft.tags for draft in train)
    assert len(counts) == 6 * 5
    assert max(counts.values()) - min(counts.values()) <= 4


def test_a_world_serves_about_twenty_tasks(train: list[TaskDraft]) -> None:
    assert 240 / 25 <= len(worlds_of(train)) <= 240 / 16


def test_the_test_split_has_its_own_worlds_and_families(
    train: list[TaskDraft], held_out: list[TaskDraft]
) -> None:
    assert not worlds_of(train) & worlds_of(held_out)
    families = [{draft.tags[0].removeprefix("family:") for draft in drafts} for drafts in (train, held_out)]
    assert families[1] - families[0] == TEST_ALONE
    assert {draft.payload["edition"] for draft in held_out} == {"test"}


def test_tasks_depend_only_on_seed_and_salt(train: list[TaskDraft]) -> None:
    again = [draft.key for draft in draw(count=40)]
    assert [draft.key for draft in draw(count=40)] == again
    assert {draft.key for draft in train} > set(again)
    assert not {draft.key for draft in draw(count=40, seed=2)} & {draft.key for draft in train}
    assert not worlds_of(draw(count=40, salt=b"another")) & worlds_of(train)


def test_only_the_gold_reveals_an_impossible_task(train: list[TaskDraft]) -> None:
    impossible = [draft for draft in train if not draft.gold.extra["is_possible"]]
    assert 0 < len(impossible) <= 0.1 * len(train)
    for draft in impossible:
        (twin,) = [one for one in train if one.prompt == draft.prompt and one is not draft]
        assert twin.gold.extra["twin"] == draft.gold.extra["twin"] != ""
        public = [
            (one.tags, one.oracle_steps, {**one.payload, "changes": len(one.payload["changes"])})
            for one in (draft, twin)
        ]
        assert public[0] == public[1]
        assert twin.payload["changes"] != draft.payload["changes"]


def test_the_order_of_tasks_does_not_reveal_which_one_of_a_pair_is_possible(
    train: list[TaskDraft], held_out: list[TaskDraft]
) -> None:
    pairs: dict[str, dict[bool, int]] = {}
    for split in (train, held_out):
        for place, draft in enumerate(split):
            if draft.gold.extra["twin"]:
                pair = pairs.setdefault(draft.gold.extra["twin"], {})
                pair[draft.gold.extra["is_possible"]] = place
    whole = [pair for pair in pairs.values() if len(pair) == 2]
    assert len(whole) > 5
    assert {pair[True] < pair[False] for pair in whole} == {True, False}
    assert any(abs(pair[True] - pair[False]) > 1 for pair in whole)


def test_oracle_steps_depend_only_on_family_and_level(train: list[TaskDraft]) -> None:
    steps_by_tags: dict[tuple[str, ...], set[int]] = {}
    for draft in train:
        steps_by_tags.setdefault(draft.tags, set()).add(draft.oracle_steps)
        assert 0 < draft.gold.extra["oracle_steps"] <= draft.oracle_steps
    assert all(len(steps) == 1 for steps in steps_by_tags.values())


def test_payload_and_key_do_not_contain_the_answer(train: list[TaskDraft]) -> None:
    for draft in train:
        shown = json.dumps([draft.payload, draft.key, draft.tags])
        assert denotations.split_cell(draft.gold.answer)[1] not in shown
        assert "room_loses" not in shown


def test_the_gold_is_accepted_in_the_world_that_payload_and_salt_draw(held_out: list[TaskDraft]) -> None:
    for draft in held_out[:80]:
        gold = Reference(draft.gold.answer, extra=draft.gold.extra)
        reached = registry.run("site_state-v1", gold=gold, evidence=gold.as_evidence())
        untouched = Evidence(gold.answer, {"state": state_plain(draft.payload, [], salt=SALT)})
        is_done_by_nothing = registry.run("site_state-v1", gold=gold, evidence=untouched).correct
        assert reached.correct
        assert is_done_by_nothing is ("state" not in gold.extra or not gold.extra["is_possible"])


def test_the_wrong_answer_of_every_family_is_incorrect(held_out: list[TaskDraft]) -> None:
    placed = lanes.tasks_draw(STAYS, count=80, seed=1, split="test", salt=SALT)
    for one in placed:
        world = one.world.open(changes=one.task.changes)
        if one.task.is_possible:
            wrong = FAMILIES.get(one.task.family).wrong(world, one.task)
            reference = Reference(denotations.join_cell(one.task.answer))
            assert not registry.run("site_state-v1", gold=reference, evidence=Evidence(wrong)).correct, (
                one.task
            )


def test_guess_rates_are_small_even_for_few_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmark, "MEASURED_TASKS", MEASURED)
    benchmark.guess_rates.cache_clear()
    rates = benchmark.guess_rates(STAYS, split="train", salt=SALT)
    assert all(0 < rate <= 0.05 for rate in rates.values())
    for draft in draw(count=7):
        assert draft.guess_rate == rates[draft.tags[0].removeprefix("family:")]


def test_measuring_guess_rates_renders_no_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmark, "MEASURED_TASKS", 4)
    monkeypatch.setattr(text_view, "is_short", None)
    rates = benchmark.guess_rates.__wrapped__(STAYS, split="train", salt=SALT)
    assert set(rates) == {family.id for family in list_families(STAYS) if "train" in family.splits}
    with pytest.raises(TypeError):
        lanes.tasks_draw(STAYS, count=24, seed=-1, split="train", salt=SALT)


def test_a_task_without_its_text_is_the_same_task() -> None:
    options = {"count": 40, "seed": 1, "split": "train", "salt": SALT}
    without_text = lanes.tasks_draw(STAYS, **options, with_scope=False)
    with_text = lanes.tasks_draw(STAYS, **options)
    assert [(one.task, one.world) for one in without_text] == [(one.task, one.world) for one in with_text]


def test_tasks_do_not_depend_on_the_number_of_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes, "LANE_TASKS", 30)
    options = {"count": 80, "seed": 1, "split": "train", "salt": SALT, "with_scope": False}
    spread = lanes.tasks_draw(STAYS, **options)
    assert spread == lanes.tasks_draw(STAYS, **options, pool=child_processes.InlineExecutor())
    assert len({(one.task.wording, one.task.answer) for one in spread}) == 80
    assert [one.world.number for one in spread[:30]] == [
        one.world.number for one in lanes.tasks_draw(STAYS, **{**options, "count": 30})
    ]
    assert not {one.world.number for one in spread[:30]} & {one.world.number for one in spread[30:]}


def test_a_task_that_two_lanes_drew_counts_once_and_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes, "LANE_TASKS", 70)
    drawn: list[int] = []

    def twice_the_first(site: str, *, count: int, lane: int, **options: Any) -> list[drafts.PlacedTask]:
        drawn.append(lane)
        return lane_draw(site, count=count, lane=max(0, lane - 1), **options)

    lane_draw = lanes._lane_draw
    monkeypatch.setattr(lanes, "_lane_draw", twice_the_first)
    options = {"count": 140, "seed": 1, "split": "train", "salt": SALT, "with_scope": False}
    placed = lanes.tasks_draw(STAYS, **options, pool=child_processes.InlineExecutor())
    assert drawn == [0, 1, 2]
    assert len({(one.task.wording, one.task.answer) for one in placed}) == 140
    twins = Counter(one.task.twin for one in placed if one.task.twin)
    assert twins
    assert set(twins.values()) == {2}


def test_lanes_without_new_tasks_yield_fewer_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[int] = []

    def the_same(site: str, *, count: int, lane: int, **options: Any) -> list[drafts.PlacedTask]:
        drawn.append(lane)
        return lane_draw(site, count=min(count, 5), lane=0, **options)

    lane_draw = lanes._lane_draw
    monkeypatch.setattr(lanes, "_lane_draw", the_same)
    placed = lanes.tasks_draw(STAYS, count=20, seed=1, split="train", salt=SALT, with_scope=False)
    assert len(placed) == 5
    assert drawn == list(range(1 + lanes.MAX_BARREN_ROUNDS))


def test_reading_tasks_with_a_short_text_are_eligible_for_the_gap(train: list[TaskDraft]) -> None:
    reasons: dict[str, set[str]] = {}
    for draft in train:
        reasons.setdefault(draft.tags[0].removeprefix("family:"), set()).add(draft.gap_reason)
    for family in DOING:
        assert reasons.pop(family, {drafts.DONE_REASON}) == {drafts.DONE_REASON}
    assert reasons["missing_amenities"] == {""}
    assert reasons["cheapest_with_without"] == {"", drafts.LONG_REASON}
    assert "8,000 tokens" in drafts.LONG_REASON


def test_only_reading_tasks_have_a_text(train: list[TaskDraft]) -> None:
    for draft in train:
        is_done = draft.tags[0].removeprefix("family:") in DOING
        assert questions.get(draft.kind).has_text(draft.payload) is not is_done
        if not is_done:
            text = text_view.world_text(draft.payload, form="relevant", salt=SALT)
            assert draft.gap_eligible is (text_view.estimate_tokens(text) <= text_view.SHORT_TOKENS)


@pytest.mark.django_db
def test_the_command_loads_the_requested_split() -> None:
    for _ in range(2):
        call_command("load_benchmark", STAYS, count=40, seed=3, split="test")
    assert Task.objects.filter(benchmark=STAYS, split="test", kind="site").count() == 40
    assert Gold.objects.filter(task__benchmark=STAYS).count() == 40


@pytest.mark.django_db
def test_the_command_refuses_a_third_split() -> None:
    with pytest.raises(CommandError, match="train, test"):
        call_command("load_benchmark", STAYS, count=1, split="dev")


@pytest.mark.parametrize("split", ["train", "test"])
@pytest.mark.parametrize(("site", "searches"), [(STAYS, False), ("reviews", True)])
def test_no_cheat_exceeds_its_limit_in_any_family(
    site: str, searches: bool, split: str, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("check_guesses", site, count=500, seed=1, split=split, least=1)
    heads, *lines = capsys.readouterr().out.split("\n\n")[0].split("\n")
    assert heads.split()[:4] == ["family", "tasks", "commonest", "constant"]
    assert [line.split()[0] for line in lines] == [
        family.id for family in list_families(site) if split in family.splits
    ]
    assert any(line.split()[6] != "-" for line in lines) is searches


def test_starter_tasks_are_the_same_in_every_installation() -> None:
    again = benchmark.starters_draw(STAYS, ("total_price",))
    sample = next(one for one in starter_drafts(STAYS) if one.tags[0] == "family:total_price")
    assert again == (sample,)
    keys = [world_arguments(sample.payload, salt=salt)["key"] for salt in (b"one", b"another")]
    assert keys[0] == keys[1]


CHANGES: list[dict[str, Any]] = [{"change": "room_loses", "room": "R-1234", "amenity": "kettle"}]


def test_sealed_changes_open_only_with_the_key_and_text_of_their_world() -> None:
    key = world_key(salt=SALT, site=STAYS, number=3)
    sealed = changes_seal(CHANGES, key=key, text="Book a room.")
    assert changes_open(sealed, key=key, text="Book a room.") == CHANGES
    for other in ({"key": b"x" * 32, "text": "Book a room."}, {"key": key, "text": "Book a house."}):
        with pytest.raises(ValueError, match="a different world salt"):
            changes_open(sealed, **other)


def test_the_length_of_sealed_changes_does_not_reveal_whether_there_are_any() -> None:
    key = world_key(salt=SALT, site=STAYS, number=3)
    sealed = {changes_seal(changes, key=key, text=text) for changes in ([], CHANGES) for text in ("a", "b")}
    assert len(sealed) == 4
    assert len({len(one) for one in sealed}) == 1


def test_world_keys_depend_on_the_salt_except_for_the_samples() -> None:
    keys = [world_key(salt=salt, site=STAYS, number=number) for salt in (b"a", b"b") for number in (0, 7)]
    assert keys[0] == keys[2]
    assert len(set(keys)) == 3


def test_a_guess_rate_of_few_tasks_fails_no_check(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    often = SiteTask(family="f", level=1, wording="?", answer=("1",), fields=("n",), forms=1)
    placed = SimpleNamespace(task=often)
    monkeypatch.setattr(lanes, "tasks_draw", lambda *_args, **_options: [placed] * 99)
    monkeypatch.setattr(check_guesses, "_searched", lambda _placed: None)
    call_command("check_guesses", "stays")
    output = capsys.readouterr().out
    assert "too few tasks to say" in output
    assert "at most 5%" in output
    with pytest.raises(CommandError, match="without looking: f"):
        call_command("check_guesses", "stays", least=99)
