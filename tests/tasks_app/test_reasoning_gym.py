"""Generated puzzles: what is made, that nothing shown gives an answer away, and attacks on every dataset."""

from __future__ import annotations

import importlib.util
import json
import re
import string
from itertools import islice
from typing import Any

import pytest

from core.errors import GymError
from tasks_app import loader
from tasks_app.benchmarks import _kinship, _puzzle_rules, reasoning_gym
from tasks_app.benchmarks._reasoning_gym import IN_LINES, LEFT_OUT, LEVELS, UNCLEAR_FONTS
from tasks_app.benchmarks._reasoning_gym_items import Source, _is_right
from tasks_app.benchmarks.reasoning_gym import generate, is_drawn, item_draft
from tasks_app.models import Gold as GoldRow
from tasks_app.models import Task
from tasks_app.registry import benchmarks
from tasks_app.types import TaskDraft
from tests.tasks_app.test_loader import load
from verifiers import registry
from verifiers.limits import SHORT_ANSWER_CHARS
from verifiers.puzzles import package_scorers
from verifiers.puzzles.rule import Puzzle
from verifiers.puzzles.rules import PACKAGED, RULES
from verifiers.types import Evidence, Gold, Verdict

IS_INSTALLED = importlib.util.find_spec("reasoning_gym") is not None
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not IS_INSTALLED, reason="reasoning-gym is not installed: requirements-puzzles.txt"),
]

SEED = 20_260_101
ATTACKS = [
    "",
    "oracle_answer",
    "entry['answer']",
    'entry["answer"]',
    "str(oracle_answer)",
    "self.answer",
    "__import__('os').system('id')",
    "nan",
    "inf",
    "-inf",
    "9**9**9**9",
    "[]",
    "{}",
    "[[]]",
    "[NaN]",
    "<gold> garbage",
    "garbage <gold>",
    "<gold> or <other>",
    "<other> or <gold>",
    "<gold> and <other>",
    "<gold> | <other>",
    "<gold>\n<other>",
    "[<gold>, <other>]",
    "The answer is <gold>.",
    "<answer><gold></answer>",
    "\\boxed{<gold>}",
    '{"answer": "<gold>"}',
    "# <gold>",
    "=<gold>",
    "<gold>;",
    "\u200b<gold>",
    "<gold>\x00",
    "[" * 3_000,
    "(" * 900 + "1" + ")" * 900,
    "x" * 100_000,
]


@pytest.fixture(scope="module")
def drafts() -> list[TaskDraft]:
    """One item of every dataset."""
    generated = list(generate(len(RULES), SEED))
    assert all(isinstance(draft, TaskDraft) for draft in generated)
    return [draft for draft in generated if isinstance(draft, TaskDraft)]


def judge(draft: TaskDraft, answer: str) -> Verdict:
    gold = Gold(draft.gold.answer, extra=draft.gold.extra)
    return registry.run("reasoning_gym-v1", gold=gold, evidence=Evidence(answer))


def named(draft: TaskDraft) -> str:
    return str(draft.gold.extra["dataset"])


def test_every_dataset_of_the_package_is_generated_or_left_out_with_a_reason(drafts: list[TaskDraft]) -> None:
    import reasoning_gym as package  # a name that it gains must be decided on

    assert {named(draft) for draft in drafts} == set(RULES)
    assert set(package.factory.DATASETS) == {*RULES, *LEFT_OUT}
    assert all(LEFT_OUT.values())
    assert set(LEVELS) <= set(RULES)


def test_items_do_not_depend_on_their_number(drafts: list[TaskDraft]) -> None:
    assert list(islice(generate(40, SEED), 30)) == drafts[:30]
    assert list(generate(10, SEED + 1)) != drafts[:10]


def test_items_can_be_stored_and_their_golds_are_right(drafts: list[TaskDraft]) -> None:
    assert len({draft.key for draft in drafts}) == len(drafts)
    for draft in drafts:
        assert loader.draft_problem(draft) is None
        if named(draft) not in PACKAGED:
            assert judge(draft, draft.gold.answer).correct, draft.key


def test_short_puzzles_have_one_digit_and_splits_that_share_none() -> None:
    train, test = (
        [draft for draft in generate(60, SEED, split) if isinstance(draft, TaskDraft)]
        for split in (reasoning_gym.SHORT_TRAIN, reasoning_gym.SHORT_TEST)
    )
    assert len(train) == len(test) == 60
    assert {draft.gold.answer for draft in train} == {draft.gold.answer for draft in test} == set("23456789")
    assert {draft.tags for draft in [*train, *test]} == {("aiw", "logic", "level-2")}
    other_seed = {draft.key for draft in generate(60, SEED + 1, reasoning_gym.SHORT_TEST)}
    assert other_seed.isdisjoint({draft.key for draft in train})
    assert {draft.key for draft in test}.isdisjoint({draft.key for draft in train})


def test_short_puzzles_do_not_tell_their_answer_by_its_place() -> None:
    for split in reasoning_gym.SHORT_SPLITS:
        drafts = [draft for draft in generate(200, SEED, split) if isinstance(draft, TaskDraft)]
        numbers = [[int(digits) for digits in re.findall(r"\d+", draft.prompt)] for draft in drafts]
        answers = [int(draft.gold.answer) for draft in drafts]
        for rule in (lambda pair: pair[0], lambda pair: pair[1], max, min):
            right = sum(rule(pair) + 1 == answer for pair, answer in zip(numbers, answers, strict=True))
            assert 0.4 < right / len(drafts) < 0.7
        assert max(map(answers.count, answers)) < len(drafts) / 5


def test_an_unknown_split_is_refused() -> None:
    with pytest.raises(GymError, match="aiw_train"):
        generate(1, SEED, "train")


def test_public_fields_contain_neither_seed_nor_metadata(drafts: list[TaskDraft]) -> None:
    for draft in drafts:
        shown = json.dumps([draft.key, draft.payload, draft.tags, draft.place])
        assert str(SEED) not in shown
        assert set(draft.payload) <= {"text", "format", "layout", "answer_lines"}
        assert set(draft.gold.extra) == {"dataset", "facts"}


def test_an_answer_of_several_lines_gets_a_large_field(drafts: list[TaskDraft]) -> None:
    for draft in drafts:
        needs = "\n" in draft.gold.answer or len(draft.gold.answer) > SHORT_ANSWER_CHARS
        assert draft.payload.get("answer_lines", False) == (named(draft) in IN_LINES)
        assert not needs or named(draft) in IN_LINES, draft.key


@pytest.mark.parametrize(
    ("level", "levels", "difficulty", "tag"),
    [(None, 4, None, "default"), (0, 4, 0.0, "level-0"), (3, 4, 1.0, "level-3"), (0, 1, 0.0, "level-0")],
)
def test_difficulty_is_the_level_of_the_curriculum(
    level: int | None, levels: int, difficulty: float | None, tag: str
) -> None:
    item = {"dataset": "gcd", "category": "arithmetic", "question": "q", "answer": "1", "facts": {}}
    draft = item_draft({**item, "level": level, "levels": levels})
    assert (draft.difficulty, draft.tags) == (difficulty, ("gcd", "arithmetic", tag))


@pytest.mark.parametrize(
    ("text", "is_so"),
    [
        ("One line.\nAnother one.", False),
        ("A  B\nC D", True),
        ("Rows:\n  1 2", True),
        ("1 2 3\n4 5 6\n7 8 9", True),
        ("ends with blanks  \nlike this", False),
    ],
)
def test_boards_and_columns_are_preformatted(text: str, is_so: bool) -> None:
    assert is_drawn(text) is is_so


def test_other_text_is_incorrect_in_every_dataset(
    drafts: list[TaskDraft], monkeypatch: pytest.MonkeyPatch
) -> None:
    suites: list[str] = []

    def unexpected(*given: Any, **_named: Any) -> None:
        suites.append(str(given))
        raise AssertionError("text without the shape of an answer was sent to the sandbox")

    monkeypatch.setattr(package_scorers, "suite_run", unexpected)
    fooled = []
    for draft in drafts:
        other = "No" if draft.gold.answer.lower() != "no" else "Yes"
        for attack in [*ATTACKS, str(draft.payload["text"])]:
            answer = attack.replace("<gold>", draft.gold.answer).replace("<other>", other)
            if judge(draft, answer).correct:
                fooled.append((draft.key, answer[:80]))
    assert (fooled, suites) == ([], [])


@pytest.mark.django_db
def test_loading_generated_tasks_again_adds_none() -> None:
    load("reasoning_gym", "--count", 5, "--seed", SEED)
    before = list(Task.objects.order_by("pk").values_list("key", "split", "content_hash", "updated_at"))
    assert "unchanged" in load("reasoning_gym", "--count", 5, "--seed", SEED)
    assert (
        list(Task.objects.order_by("pk").values_list("key", "split", "content_hash", "updated_at")) == before
    )
    assert [split for _, split, _, _ in before] == ["generated"] * 5
    assert GoldRow.objects.count() == 5


def test_a_missing_package_and_a_failed_generator_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reasoning_gym, "ITEMS", "tasks_app.benchmarks.no_such_module")
    with pytest.raises(GymError, match="ended with status 1"):
        list(generate(1, SEED))
    monkeypatch.setattr(reasoning_gym, "PACKAGE", "no_such_package")
    with pytest.raises(GymError, match=r"not installed\. Run pip install"):
        list(generate(1, SEED))


def test_both_verifiers_are_the_puzzle_verifiers() -> None:
    plugin = benchmarks.get("reasoning_gym")
    assert plugin.verifier_official == plugin.verifier_training == "reasoning_gym-v1"


def test_relations_by_marriage_name_the_part_of_the_first_person() -> None:
    from reasoning_gym.factory import DATASETS

    women = set(DATASETS["family_relationships"][1]().female_names)
    source = Source("family_relationships", None, seed=SEED, seen=set())
    items = list(islice(source.items, 300))
    people = [str(_kinship.QUESTION.search(item["question"])["who"]) for item in items]  # type: ignore[index]
    in_laws = [
        (who, item["answer"]) for who, item in zip(people, items, strict=True) if "in-law" in item["answer"]
    ]
    assert len(in_laws) > 20
    assert {(who in women, answer) for who, answer in in_laws} == {
        (True, "daughter-in-law"),
        (False, "son-in-law"),
    }


@pytest.mark.parametrize("problem", [RuntimeError, ValueError])
def test_a_draw_that_the_package_gives_up_is_passed_over(
    problem: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = {0: {"question": "q", "answer": "a"}}

    class Failing(dict[int, Any]):
        def __missing__(self, index: int) -> None:
            raise problem(index)

    monkeypatch.setattr(Source, "_dataset", lambda _self, _place: Failing(dataset))
    monkeypatch.setattr(Source, "_item", lambda _self, entry, _dataset: entry)
    source = Source("tsumego", None, seed=SEED, seen=set())
    assert list(islice(source.items, 2)) == [dataset[0]] * 2


def test_knights_may_take_a_longer_way() -> None:
    source = Source("knight_swap", None, seed=SEED, seen=set())
    item = next(item for item in source.items if item["answer"] != "No")
    moves = json.loads(item["answer"])
    back = [f"{side},{other},{one}" for side, one, other in (move.split(",") for move in moves[:2])]
    dataset = source._dataset("0")
    results = [
        _is_right(Puzzle("knight_swap", json.dumps(way), item["facts"]), dataset)
        for way in (moves, [*moves[:2], *back, *moves], moves[:2])
    ]
    assert results == [True, True, False]


def test_a_grid_is_settled_by_its_verifier_and_a_change() -> None:
    turned = "Input:\n1 2\n3 4\nOutput:\n2 4\n1 3\n\n\nInput:\n{}"
    same = "Input:\n1 1\n1 1\nOutput:\n1 1\n1 1\n\n\nInput:\n{}"
    task = "ed36ccf7"  # turns a grid by a quarter
    results = [
        _puzzle_rules.is_grid_settled(question.format("5 6\n7 8"), answer, task)
        for question, answer in ((turned, "6 8\n5 7"), (turned, "7 5\n8 6"), (same, "6 8\n5 7"))
    ]
    assert results == [True, False, False]


def test_the_fonts_left_out_are_those_in_which_letters_look_alike() -> None:
    import pyfiglet
    from reasoning_gym.cognition.figlet_fonts import OK_FONTS

    def letters(font: str) -> set[str]:
        figlet = pyfiglet.Figlet(font=font)  # which reads the font
        drawn = map(figlet.renderText, string.ascii_uppercase)
        return {"\n".join(line.rstrip() for line in picture.split("\n")) for picture in drawn}

    unclear = {font for font in OK_FONTS if len(letters(font)) < len(string.ascii_uppercase)}
    assert unclear == UNCLEAR_FONTS
