"""What agents are told of their interface is true of their set-up."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from django.conf import settings

from palaestra.completion import Completion
from palaestra.grammars import GRAMMARS
from palaestra.protocol.arms import ARMS
from palaestra.protocol.offers import Conditions, actions_offered
from tasks_app.questions import questions
from tasks_app.tools.calls import get_tool
from trajectories.record.prompts import document
from trajectories.record.prompts.document import Case
from trajectories.record.prompts.templates import PARAPHRASES, VERSION, Template

CASES = list(document.cases())
EXAMPLE = re.compile(r"^- (\{.*?\}): [A-Z]", re.MULTILINE)
CALL = re.compile(r"^- (\w+\(.*?\)): [A-Z]", re.MULTILINE)


def system_of(case: Case) -> str:
    return "\n\n".join(text for role, text in case.parts() if role == "system")


def test_the_page_of_prompts_is_current() -> None:
    written = (Path(settings.BASE_DIR) / "docs" / "prompts.md").read_text(encoding="utf-8")
    assert written == document.page(), "run manage.py write_prompts"


@pytest.mark.parametrize("paraphrase", PARAPHRASES)
@pytest.mark.parametrize("kind", sorted({kind.instruction for _, kind in questions.items()} | {"lines"}))
def test_the_task_instruction_is_the_same_bytes_in_every_arm(kind: str, paraphrase: str) -> None:
    instruction = Template(f"{VERSION}{paraphrase}").instruction(kind)
    by_arm = {case.setup.arm.id: case for case in CASES}
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


def cases_of(*, is_free_text: bool) -> list[tuple[Case, str]]:
    """With what their system message says."""
    return [(case, system_of(case)) for case in CASES if case.setup.arm.is_free_text is is_free_text]


def conditions_of(case: Case) -> Conditions:
    return case.setup.conditions(is_site=case.question.is_site, has_tools=bool(case.question.tools))


def test_free_text_has_neither_examples_nor_calls() -> None:
    for case, text in cases_of(is_free_text=True):
        assert not EXAMPLE.search(text), case.title
        assert not CALL.search(text), case.title


def test_every_example_is_an_action_that_is_offered_and_can_be_read() -> None:
    for case, text in cases_of(is_free_text=False):
        examples = [json.loads(example) for example in EXAMPLE.findall(text)]
        conditions = conditions_of(case)
        grammar = case.setup.grammar.id
        offered = actions_offered(conditions) if grammar in ("json", "structured") else []
        if grammar == "structured":
            offered = [kind for kind in offered if kind != "sequence"]  # a list of actions
        assert [example["type"] for example in examples] == offered, case.title
        for example in examples:
            completion = Completion(text=f"Thus.\nAction: {json.dumps(example)}")
            turn = GRAMMARS["json"].parse(completion, conditions)
            assert (turn.parse_error, turn.action and turn.action.type) == (None, example["type"]), case.title


def test_every_call_belongs_to_an_action_that_is_offered() -> None:
    words = Template(f"{VERSION}a").words
    types = {text: call.type for call in words.calls for text in (call.call, call.values)}
    for case, text in cases_of(is_free_text=False):
        conditions, calls = conditions_of(case), CALL.findall(text)
        has_calls = case.setup.grammar.id == "browsergym"
        offered = {*actions_offered(conditions)} - {"sequence"} if has_calls else set()
        assert {types[call] for call in calls} == offered, case.title
        for call in calls:
            turn = GRAMMARS["browsergym"].parse(Completion(text=f"Thus.\nAction: {call}"), conditions)
            assert (turn.parse_error, turn.action and turn.action.type) == (None, types[call]), case.title


def test_an_arm_without_a_page_hears_nothing_of_one() -> None:
    of_pages = re.compile(r"\b(page|browser|element|click|scroll|picture)", re.IGNORECASE)
    without = [case for case in CASES if not case.setup.arm.has_page]
    assert without
    assert [case.title for case in without if of_pages.search(system_of(case))] == []


def test_ids_and_pixels_are_named_only_where_they_are_shown() -> None:
    for case, text in cases_of(is_free_text=False):
        observation, has_page = case.setup.observation, case.setup.arm.has_page
        is_shown = has_page and observation.has_ids and not case.setup.grammar.is_by_position
        assert ("Name an element by its id" in text) is is_shown, case.title
        assert ("pixels of the picture" in text) is (has_page and observation.has_screenshot), case.title


def test_an_outline_of_the_viewport_is_never_called_the_whole_page() -> None:
    texts = [system_of(case) for case in CASES if case.setup.scope == "viewport"]
    assert texts
    assert not [text for text in texts if "of the whole page" in text]
    assert all("part of the page that is in view" in text for text in texts)


def test_a_grammar_of_tools_gets_no_lesson() -> None:
    texts = [text for case, text in cases_of(is_free_text=False) if case.setup.grammar.has_tools]
    assert texts
    assert not [text for text in texts if re.search(r"JSON|Action:|backslash", text)]
    assert all("tools" in text for text in texts)


def test_the_answer_is_submitted_where_it_is_taken() -> None:
    for case, text in cases_of(is_free_text=False):
        is_by_api = case.setup.channel == "api"
        assert ("through the page" in text) is not is_by_api, case.title
        offered = actions_offered(case.setup.conditions(is_site=False))
        assert ("answer" in offered) is is_by_api, case.title


def test_the_prompt_states_which_pages_later_turns_keep() -> None:
    for case in CASES:
        history = case.setup.history
        if case.setup.arm.has_page and history.policy.id == "last_k":
            assert f"last {history.number} pages" in system_of(case), case.title


def test_no_id_of_an_element_stands_in_a_prompt() -> None:
    # A weak model aims at the id that an example names, whatever the page shows.
    assert [case.title for case in CASES if re.search(r"\be[0-9]+\b", system_of(case))] == []


def test_tools_are_listed_in_the_words_of_their_forms() -> None:
    listed = [(case, case.question.tools) for case in CASES if case.question.tools]
    assert listed
    for case, tools in listed:
        text = system_of(case)
        for tool in map(get_tool, tools):
            assert f"- {tool.id}: {tool.title}. {tool.description}" in text, case.title
            for field in tool.fields:
                assert f'"{field.name}" ({field.label[0].lower()}{field.label[1:]}, ' in text, case.title
                assert all(option in text for option in field.options), case.title
                assert field.hint in text, case.title


def test_a_prompt_lists_no_tools_that_a_page_shows() -> None:
    base = next(case for case in CASES if case.setup.arm.id == "gym")
    shown = replace(base, question=replace(base.question, tools=("calculator",)))
    assert system_of(shown) == system_of(base)
