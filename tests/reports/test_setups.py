"""What a comparison holds fixed."""

from __future__ import annotations

from typing import Any

import pytest

from trajectories.models import Run
from trajectories.reports import setups
from trajectories.reports.episode_rows import Conditions
from trajectories.reports.ladder import ArmKey

SETTINGS = {"sampling": {}, "prompt_token_budget": None}
FIELDS: list[tuple[dict[str, Any], str]] = [
    ({"model": "another"}, "model"),
    ({"checkpoint": "step-9"}, "checkpoint"),
    ({"observation": "som-v1"}, "observation"),
    ({"observation_settings": {"scope": "viewport"}}, "observation settings"),
    ({"grammar": "tools"}, "grammar"),
    ({"history": "last_k:3"}, "history"),
    ({"actions_per_turn": 4}, "actions_per_turn"),
    ({"simulated": True}, "simulated"),
    ({"kind": "train"}, "kind"),
    ({"affordances": {"tools": {"run": True}}}, "tools"),
    ({"settings": {**SETTINGS, "sampling": {"temperature": 1.0}}}, "sampling"),
    ({"settings": {**SETTINGS, "prompt_token_budget": 9_000}}, "prompt token budget"),
]
CONDITIONS = Conditions(policy_version=0, prompts="prompts-v7", answer_channel="page")
OPENED: list[tuple[dict[str, Any], str]] = [
    ({"policy_version": 1}, "policy version"),
    ({"prompts": "prompts-v3"}, "prompt version"),
    ({"token_budget": 512}, "token budget"),
    ({"step_limit": 30}, "step limit"),
    ({"answer_channel": "api"}, "answer channel"),
    ({"content": '{"choices": "permuted"}'}, "choices"),
    ({"content": '{"instruction": "b"}'}, "instruction"),
    ({"content": '{"task_bar": false}'}, "task bar"),
]


def setup(arm: str = "gym", *, conditions: Any = (CONDITIONS,), **fields: Any) -> setups.Setup:
    made = {"kind": "eval", "model": "salt and pepper", "observation": "axtree-v2", "settings": SETTINGS}
    return setups.setup_of(Run(**{**made, **fields}), arm=arm, conditions=conditions)


@pytest.mark.parametrize(("fields", "part"), FIELDS)
def test_runs_of_one_arm_that_differ_are_a_mixture(fields: dict[str, Any], part: str) -> None:
    assert setups.mixture([setup(), setup(**fields)]).startswith(f"{part} ")
    assert setups.mixture([setup(), setup()]) == ""


@pytest.mark.parametrize(("fields", "part"), FIELDS)
def test_two_arms_that_differ_in_more_than_the_arm_are_no_gap(fields: dict[str, Any], part: str) -> None:
    assert setups.difference(setup("gym_with_text"), setup("gym", **fields)).startswith(f"{part} ")
    assert setups.difference(setup("gym_with_text"), setup("gym")) == ""


@pytest.mark.parametrize(("opened", "part"), OPENED)
def test_episodes_that_were_opened_in_another_way_are_a_mixture_and_no_gap(
    opened: dict[str, Any], part: str
) -> None:
    other = CONDITIONS._replace(**opened)
    assert setups.mixture([setup(conditions=(CONDITIONS, other))]).startswith(f"{part} ")
    assert setups.difference(setup("gym_with_text"), setup(conditions=(other,))).startswith(f"{part} ")


def test_only_few_shot_arms_differ_by_their_examples() -> None:
    other = CONDITIONS._replace(examples=4)
    assert setups.mixture([setup("text_few_shot", conditions=(CONDITIONS, other))]) == "examples 0 and 4"
    assert setups.mixture([setup("gym", conditions=(CONDITIONS, other))]) == ""


def test_text_and_page_with_the_same_settings_differ_in_nothing() -> None:
    text = CONDITIONS._replace(answer_channel="api", content='{"text": "full"}')
    assert setups.difference(setup("text_zero_shot", conditions=(text,)), setup("gym")) == ""


def test_a_run_that_states_no_sampling_differs_from_none_in_it() -> None:
    stated = setup(settings={"sampling": {"temperature": 1.0}})
    assert setups.difference(setup("gym_with_text", settings={}), stated) == ""


def test_a_model_whose_name_has_an_and_is_one_model() -> None:
    assert setups.mixture([setup()]) == ""
    plan = {
        "model": {"name": "salt and pepper", "checkpoint": "", "sampling": {}},
        "token_budget": None,
        "observation": "axtree-v2",
        "observation_settings": {},
        **dict.fromkeys(setups.OF_AGENTS, ""),
    }
    assert setups.off_plan(setup(), plan, ArmKey("gym")) == []


def test_a_budget_other_than_the_plans_is_a_deviation() -> None:
    plan = {
        "model": {"name": "salt and pepper", "checkpoint": "", "sampling": {"temperature": 0.5}},
        "token_budget": 512,
        "observation": "axtree-v2",
        "observation_settings": {},
        **dict.fromkeys(setups.OF_AGENTS, ""),
    }
    assert setups.off_plan(setup(), plan, ArmKey("gym")) == [
        "token budget is none, planned 512",
        "sampling is default, planned temperature 0.5",
    ]


def test_what_text_does_not_have_makes_no_difference_to_it() -> None:
    assert setups.difference(setup("text_zero_shot"), setup("gym", grammar="tools", history="diff")) == ""


def test_a_pictured_question_without_pictures_is_not_compared() -> None:
    assert "axtree-v2 does not show" in setups.unseen(setup("gym_image"), arm="gym_image")
    assert setups.unseen(setup("gym_image", observation="both-v2"), arm="gym_image") == ""
    assert setups.unseen(setup("gym"), arm="gym") == ""
