"""What agents are told of their interface is true of their set-up."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from django.conf import settings

from core.arms import ARMS
from palaestra.completion import Completion
from palaestra.grammars import GRAMMARS
from tasks_app.questions import questions
from trajectories.actions.offers import actions_offered
from trajectories.prompts import document
from trajectories.prompts.document import Case
from trajectories.prompts.templates import PARAPHRASES, VERSION, Template

CASES = {case.title: case for case in document.cases()}
EXAMPLE = re.compile(r"^- (\{.*?\}): [A-Z]", re.MULTILINE)
CALL = re.compile(r"^- (\w+\(.*?\)): [A-Z]", re.MULTILINE)


def system_of(case: Case) -> str:
    return "\n\n".join(text for role, text in case.parts() if role == "system")


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]


def test_the_page_of_prompts_is_current() -> None:
    written = (Path(settings.BASE_DIR) / "docs" / "prompts.md").read_text(encoding="utf-8")
    assert written == document.page(), "run manage.py write_prompts"


@pytest.mark.parametrize("paraphrase", PARAPHRASES)
@pytest.mark.parametrize("kind", sorted({kind.instruction for _, kind in questions.items()} | {"lines"}))
def test_the_task_instruction_is_the_same_bytes_in_every_arm(kind: str, paraphrase: str) -> None:
    instruction = Template(f"{VERSION}{paraphrase}").instruction(kind)
    by_arm = {case.setup.arm.id: case for case in CASES.values()}
    assert by_arm.keys() == ARMS.keys()
    for case in by_arm.values():
        if case.setup.arm.is_probe:
            continue  # it asks for another thing
        posed = replace(case, paraphrase=paraphrase, question=replace(case.question, instruction=kind))
        assert posed.parts()[0] == ("system", instruction)


def test_instructions_differ_in_the_form_of_the_answer_alone() -> None:
    """Reasoning is requested in the same words, whatever the kind of task."""
    for paraphrase in PARAPHRASES:
        template = Template(f"{VERSION}{paraphrase}")
        kinds = {kind.instruction for _, kind in questions.items()} | {"lines"}
        answers = {kind: template.words.answers[kind or "line"] for kind in kinds}
        assert len({template.instruction(kind).replace(answers[kind], "") for kind in kinds}) == 1


def test_every_example_is_an_action_that_is_offered_and_can_be_read(case: Case) -> None:
    if case.setup.arm.is_free_text or case.setup.grammar.id != "json":
        assert not EXAMPLE.search(system_of(case))
        return
    examples = [json.loads(example) for example in EXAMPLE.findall(system_of(case))]
    conditions = case.setup.conditions(is_site=case.question.is_site)
    assert [example["type"] for example in examples] == actions_offered(conditions)
    for example in examples:
        turn = GRAMMARS["json"].parse(Completion(text=f"Thus.\nAction: {json.dumps(example)}"), conditions)
        assert (turn.parse_error, turn.action and turn.action.type) == (None, example["type"])


def test_every_call_belongs_to_an_action_that_is_offered(case: Case) -> None:
    if case.setup.arm.is_free_text or case.setup.grammar.id != "browsergym":
        assert not CALL.search(system_of(case))
        return
    offered = case.setup.conditions(is_site=case.question.is_site)
    types = {
        text: call.type for call in Template(f"{VERSION}a").words.calls for text in (call.call, call.values)
    }
    calls = CALL.findall(system_of(case))
    for call in calls:
        turn = GRAMMARS["browsergym"].parse(Completion(text=f"Thus.\nAction: {call}"), offered)
        assert (turn.parse_error, turn.action and turn.action.type) == (None, types[call])
    assert {types[call] for call in calls} == set(actions_offered(offered)) - {"sequence"}


def test_an_arm_without_a_page_hears_nothing_of_one(case: Case) -> None:
    if not case.setup.arm.has_page:
        assert not re.search(r"\b(page|browser|element|click|scroll|picture)", system_of(case), re.IGNORECASE)


def test_ids_and_pixels_are_named_only_where_they_are_shown(case: Case) -> None:
    if case.setup.arm.is_free_text:
        return
    text, observation = system_of(case), case.setup.observation
    has_page, is_by_position = case.setup.arm.has_page, case.setup.grammar.is_by_position
    is_shown = has_page and observation.has_ids and not is_by_position
    assert ('"e8"' in text) is is_shown
    assert ("pixels of the picture" in text) is (has_page and observation.has_screenshot)


def test_an_outline_of_the_viewport_is_never_called_the_whole_page(case: Case) -> None:
    if case.setup.scope == "viewport":
        assert "of the whole page" not in system_of(case)
        assert "part of the page that is in view" in system_of(case)


def test_a_grammar_of_tools_gets_no_lesson(case: Case) -> None:
    if case.setup.grammar.has_tools and not case.setup.arm.is_free_text:
        assert not re.search(r"JSON|Action:|backslash", system_of(case))
        assert "tools" in system_of(case)


def test_the_answer_is_submitted_where_it_is_taken(case: Case) -> None:
    if case.setup.arm.is_free_text:
        return
    is_by_api = case.setup.channel == "api"
    assert ("through the page" in system_of(case)) is not is_by_api
    assert ("answer" in actions_offered(case.setup.conditions(is_site=False))) is is_by_api


def test_the_prompt_states_which_pages_later_turns_keep(case: Case) -> None:
    history = case.setup.history
    if case.setup.arm.has_page and history.policy.id == "last_k":
        assert f"last {history.number} pages" in system_of(case)
