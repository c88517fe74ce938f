from __future__ import annotations

from typing import Any

import pytest

from everywhere import turn_parse
from palaestra.observation import Observation
from palaestra.policies import EpisodeInfo, Solution, Solver
from palaestra.policies.submission import PlannedAnswer, write_completion
from palaestra.records import Task

CHOICES = """heading 1 "Question"
text: Which colour?
group "Your answer"
  [e1] radio "A. green" unchecked
  [e2] radio "B. red" unchecked
[e3] button "Submit answer"
"""
FIELDS = """heading 1 "Question"
[e1] textbox "Your answer 1" value="{first}"
[e2] button "Add another answer"
[e3] button "Submit answer"
"""
TWO_FIELDS = """[e1] textbox "Your answer 1" value="Oslo"
[e4] textbox "Your answer 2" value=""
[e2] button "Add another answer"
[e3] button "Submit answer"
"""
IN_DIALOG = """main
  heading 1 "Question"
  text: [e1] textbox "is what the program printed" value=""
  [e3] button "Answer"
"""
DIALOG = """dialog "Answer"
  heading 2 "Answer"
  [e4] button "Close"
  [e5] textbox "Your answer" value="" focused
  [e6] button "Submit answer"
"""
POP_UP = """dialog "Our newsletter"
  [e8] button "Sign me up"
  [e9] button "Not now"
"""
ABOVE = """[e1] textbox "Your answer 1" value=""
[e2] button "Add another answer"
[e3] button "Submit answer"
text: Which town is meant?
search
  [e4] searchbox "Find rows with" value=""
  [e5] button "Find"
"""


def info(**fields: Any) -> EpisodeInfo:
    values = {"id": 1, "task": 5, "arm": "gym", "step": 1, "max_steps": 9, "sample_index": 0, "memory": {}}
    return EpisodeInfo(**{**values, **fields})


def act(text: str, answer: PlannedAnswer, episode: EpisodeInfo) -> dict[str, Any]:
    completion = write_completion(
        Observation(kind="axtree-v2", text=text), episode, answer=answer, reasoning="a", closing="b"
    )
    declared = turn_parse(completion or "").declared
    assert declared is not None
    return declared


def test_a_choice_is_clicked_by_its_label_and_then_submitted() -> None:
    episode = info()
    assert act(CHOICES, PlannedAnswer(values=("B",)), episode) == {"type": "click", "target": "e2"}
    chosen = CHOICES.replace('red" unchecked', 'red" checked focused')
    assert act(chosen, PlannedAnswer(values=("B",)), episode) == {"type": "click", "target": "e3"}


def test_a_choice_whose_label_moved_is_identified_by_its_text() -> None:
    assert act(CHOICES, PlannedAnswer(values=("B",), choice="green"), info())["target"] == "e1"


def test_several_values_are_typed_into_as_many_fields() -> None:
    episode, answer = info(), PlannedAnswer(values=("Oslo", "Bergen"))
    assert act(FIELDS.format(first=""), answer, episode)["text"] == "Oslo"
    assert act(FIELDS.format(first="Oslo"), answer, episode)["target"] == "e2"
    assert act(TWO_FIELDS, answer, episode) == {
        "type": "type",
        "target": "e4",
        "text": "Bergen",
        "clear": True,
    }
    assert act(TWO_FIELDS, answer, episode)["target"] == "e3"


def test_a_form_behind_a_button_is_opened_and_filled_in() -> None:
    episode, answer = info(), PlannedAnswer(values=("42",))
    assert act(IN_DIALOG, answer, episode) == {"type": "click", "target": "e3"}
    assert act(IN_DIALOG + DIALOG, answer, episode)["target"] == "e5"
    assert act(IN_DIALOG + DIALOG, answer, episode) == {"type": "click", "target": "e6"}


def test_a_button_that_opens_no_form_is_given_up() -> None:
    episode, answer = info(), PlannedAnswer(values=("42",))
    for _ in range(2):
        assert act(IN_DIALOG, answer, episode)["target"] == "e3"
    shown = Observation(kind="axtree-v2", text=IN_DIALOG)
    assert write_completion(shown, episode, answer=answer, reasoning="a", closing="b") is None


@pytest.mark.parametrize("page", [CHOICES, DIALOG, IN_DIALOG])
def test_a_dialog_over_the_page_is_closed_first(page: str) -> None:
    assert act(POP_UP + page, PlannedAnswer(values=("B",)), info()) == {"type": "click", "target": "e9"}


def test_a_dialog_that_does_not_close_is_eventually_ignored() -> None:
    episode, answer = info(), PlannedAnswer(values=("B",))
    acts = [act(POP_UP + CHOICES, answer, episode)["target"] for _ in range(5)]
    assert acts == ["e9", "e9", "e9", "e9", "e2"]


def test_the_submit_button_is_the_one_after_the_field() -> None:
    episode, answer = info(), PlannedAnswer(values=("Oslo",))
    assert act(ABOVE, answer, episode)["target"] == "e1"
    assert act(ABOVE, answer, episode) == {"type": "click", "target": "e3"}


@pytest.mark.parametrize(
    ("form", "values", "expected"),
    [
        ("line", ("42",), "Answer: 42"),
        ("values", ("a|b", "c"), "Answer: a\\|b | c"),
        ("program", ("x = 1",), "Answer:\n```\nx = 1\n```"),
        ("block", ("_ Q\nQ _",), "Answer:\n```\n_ Q\nQ _\n```"),
    ],
)
def test_free_text_carries_every_form_of_answer(form: Any, values: tuple[str, ...], expected: str) -> None:
    episode = info(arm="text_zero_shot", answer_form=form)
    answer = PlannedAnswer(values=values)
    completion = write_completion(
        Observation(kind="text"), episode, answer=answer, reasoning="Thought.", closing=""
    )
    assert completion == f"Thought.\n\n{expected}"


def test_an_agent_without_a_page_answers_several_fields_with_a_list() -> None:
    declared = act("", PlannedAnswer(values=("a", "b")), info(arm="text_agent", answer_form="values"))
    assert declared == {"type": "answer", "text": ["a", "b"]}


async def test_the_solver_uses_the_label_that_the_prompt_shows() -> None:
    task = Task(
        id=5,
        benchmark="arc",
        key="1",
        payload={
            "order": "free",
            "choices": [{"label": "A", "text": "red"}, {"label": "B", "text": "green"}],
        },
    )
    solver = Solver({5: Solution(task=5, answer="A")}, [task])
    prompt = {"role": "user", "content": "Which colour?\n\nA. green\nB. red"}
    shown = Observation(kind="text", messages=[{"role": "system", "content": "A. red"}, prompt])
    completion = await solver.act(shown, info(arm="text_zero_shot"))
    assert completion is not None
    assert completion.endswith("Answer: B")


async def test_the_solver_unescapes_the_values_of_a_list() -> None:
    solver = Solver({5: Solution(task=5, answer="a\\pb|c\\\\d")})
    completion = await solver.act(Observation(kind="text"), info(arm="text_agent", answer_form="values"))
    assert turn_parse(completion or "").declared == {"type": "answer", "text": ["a|b", "c\\d"]}
