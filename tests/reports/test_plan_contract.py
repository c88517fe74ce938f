"""What the client plans is what the server accepts, and both compute the same hash of it."""

from __future__ import annotations

import argparse
import asyncio
import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from core.errors import GymError
from core.structs.bodies import body_read
from palaestra.commands import parser_make
from palaestra.commands.plan import plan_make
from palaestra.errors import PalaestraError
from palaestra.evaluation.looks import DESIGNS
from palaestra.evaluation.plan import Plan, plan_check, plan_read, plan_sha256, plan_write
from palaestra.grammars import GRAMMARS
from palaestra.protocol import plans
from palaestra.protocol.arms import ARMS
from palaestra.protocol.observations import OBSERVATION_FORMATS
from palaestra.records import Page, Task
from trajectories.reports import plan as server
from trajectories.reports.ladder import arm_read

BASE = "--model Ünïted/m-1 --benchmark gsm8k --looks 4 --factors font"
LONG = (
    "--guess '{\"icc\": 0.25}' --exclude 'no “figures”' --base-url http://127.0.0.1:9/v1 --checkpoint step-9"
)
SAMPLING = '--temperature 0.7 --top-p 1 --max-tokens 200 --extra \'{"top_k": 20, "stop": ["é"]}\''
BUDGETS = "--token-budget 2000 --actions-per-turn 3 --limit 3 --samples 8 --no-retest --alpha 0.01 --margin 3"
OBSERVED = "--observation both --scope viewport --max-chars 5000 --picture-max 800"
ARGUMENTS = [
    BASE,
    f"{BASE} --benchmark mmlu --split test {LONG}",
    f"{BASE} {SAMPLING} {BUDGETS}",
    f"{BASE} {OBSERVED} --arms ladder,gym_image,text_few_shot,prompt_image",
    f"{BASE} --arms ladder,gym:som,gym_image:som-v1,gym:screenshot --picture-max 640",
    f"{BASE} --arms gym --samples 1 --looks 1",
    *(f"{BASE} --grammar {grammar} --observation both" for grammar in GRAMMARS),
    *(f"{BASE} --history {history}" for history in ("full", "last_k:3", "diff")),
    *(f"{BASE} --looks {design}" for design in DESIGNS if design != "latin"),
    "--model m --benchmark gsm8k",
]


class Offering:
    """A client of a server with three tasks in every benchmark, whose questions have pictures."""

    async def tasks_page(self, *, benchmark: str = "gsm8k", **_: Any) -> Page[Task]:
        return Page(results=[Task(id=number, benchmark=benchmark, key=str(number)) for number in (1, 2, 3)])


def planned(arguments: str) -> Plan:
    options: argparse.Namespace = parser_make().parse_args(["plan", *shlex.split(arguments), "--out", "x"])
    return asyncio.run(plan_make(Offering(), options))  # type: ignore[arg-type]


@pytest.mark.parametrize("arguments", ARGUMENTS)
def test_what_the_client_plans_is_accepted_with_the_same_hash(
    arguments: str, api: Callable[..., Any], tmp_path: Path
) -> None:
    plan, path = planned(arguments), tmp_path / "plan.json"
    plan_write(plan, path)
    read = plan_read(path)

    status, made = api("trainer").json("POST", "/reports", {"name": read.name, "plan": read.as_json()})

    assert status == 201, made
    assert made["plan_sha256"] == plan_sha256(plan) == plan_sha256(read)
    assert plans.plan_sha256(json.loads(path.read_bytes())) == made["plan_sha256"]
    assert api("read").json("GET", f"/reports/{made['id']}")[1]["plan"] == plan.as_json()


def test_both_sides_know_the_same_fields_and_arms() -> None:
    ours = {name: msgspec.structs.fields(Plan) for name in Plan.__struct_fields__}
    assert set(ours) == set(server.PlanIn.__struct_fields__)
    assert set(ARMS) <= set(server.PLANNED_ARMS)
    assert {arm_read(arm).planned for arm in server.PLANNED_ARMS} == set(server.PLANNED_ARMS)


@pytest.mark.parametrize("observation", OBSERVATION_FORMATS)
@pytest.mark.parametrize("arm", [*server.PLANNED_ARMS, "text_agent:som-v1"])
def test_both_sides_refuse_the_same_arms(observation: str, arm: str) -> None:
    plan = msgspec.structs.replace(planned(BASE), observation=observation, arms=[arm], contrasts=[])
    assert is_refused_by_client(plan) == is_refused_by_server(plan)


def test_a_picture_of_the_question_is_refused_with_an_outline() -> None:
    plan = msgspec.structs.replace(planned(BASE), arms=["gym_image"], contrasts=[])
    assert is_refused_by_client(plan)
    assert is_refused_by_server(plan)
    pictured = msgspec.structs.replace(plan, arms=["gym_image:som-v1"])
    assert not is_refused_by_client(pictured)


def is_refused_by_client(plan: Plan) -> bool:
    try:
        plan_check(plan)
    except PalaestraError:
        return True
    return False


def is_refused_by_server(plan: Plan) -> bool:
    try:
        body_read(server.PlanIn, plan.as_json())
    except GymError:
        return True
    return False
