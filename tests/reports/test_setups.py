"""What a comparison holds fixed."""

from __future__ import annotations

from typing import Any

import pytest

from trajectories.models import Run
from trajectories.reports import setups
from trajectories.reports.ladder import ArmKey

FIELDS: list[tuple[dict[str, Any], str]] = [
    ({"model": "another"}, "model"),
    ({"checkpoint": "step-9"}, "checkpoint"),
    ({"observation": "som-v1"}, "observation"),
    ({"observation_settings": {"scope": "viewport"}}, "observation settings"),
    ({"grammar": "tools"}, "grammar"),
    ({"history": "last_k:3"}, "history"),
    ({"actions_per_turn": 4}, "actions_per_turn"),
]
VERSIONS = [(0, "prompts-v4")]


def setup(arm: str = "gym", *, versions: Any = VERSIONS, **fields: Any) -> setups.Setup:
    run = Run(**{"model": "salt and pepper", "observation": "axtree-v2", **fields})
    return setups.setup_of(run, arm=arm, versions=versions)


@pytest.mark.parametrize(("fields", "part"), FIELDS)
def test_runs_of_one_arm_that_differ_are_a_mixture(fields: dict[str, Any], part: str) -> None:
    assert setups.mixture([setup(), setup(**fields)]).startswith(f"{part} ")
    assert setups.mixture([setup(), setup()]) == ""


@pytest.mark.parametrize(("fields", "part"), FIELDS)
def test_two_arms_that_differ_in_more_than_the_arm_are_no_gap(fields: dict[str, Any], part: str) -> None:
    assert setups.difference(setup("gym_with_text"), setup("gym", **fields)).startswith(f"{part} ")
    assert setups.difference(setup("gym_with_text"), setup("gym")) == ""


@pytest.mark.parametrize(
    "versions", [[(0, "prompts-v4"), (1, "prompts-v4")], [(0, "prompts-v3"), (0, "prompts-v4")]]
)
def test_versions_that_one_run_mixes_are_a_mixture(versions: Any) -> None:
    assert " and " in setups.mixture([setup(versions=versions)])
    assert setups.difference(setup("gym_with_text"), setup(versions=versions))


def test_a_model_whose_name_has_an_and_is_one_model() -> None:
    assert setups.mixture([setup()]) == ""
    plan = {
        "model": {"name": "salt and pepper", "checkpoint": ""},
        "observation": "axtree-v2",
        "observation_settings": {},
        **dict.fromkeys(setups.OF_AGENTS, ""),
    }
    assert setups.off_plan(setup(), plan, ArmKey("gym")) == []


def test_what_text_does_not_have_makes_no_difference_to_it() -> None:
    assert setups.difference(setup("text_zero_shot"), setup("gym", grammar="tools", history="diff")) == ""


def test_a_pictured_question_without_pictures_is_not_compared() -> None:
    assert "axtree-v2 does not show" in setups.unseen(setup("gym_image"), arm="gym_image")
    assert setups.unseen(setup("gym_image", observation="both-v2"), arm="gym_image") == ""
    assert setups.unseen(setup("gym"), arm="gym") == ""
