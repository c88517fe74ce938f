from __future__ import annotations

from typing import Any

import pytest

from palaestra.actions import turn_parse
from palaestra.observation import Observation
from palaestra.policies import EpisodeInfo, Solution, Solver
from palaestra.policies.reply import Reply, hand_in
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
  text: Our newsletter
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


def act(text: str, reply: Reply, episode: EpisodeInfo) -> dict[str, Any]:
    said = hand_in(Observation(kind="axtree-v1", text=text), episode, reply=reply, first="a", then="b")
    stated = turn_parse(said or "").stated
    assert stated is not None
    return stated


def test_a_choice_is_clicked_by_its_label_and_then_handed_in() -> None:
    episode = info()
    assert act(CHOICES, Reply(values=("B",)), episode) == {"type": "click", "target": "e2"}
    chosen = CHOICES.replace('red" unchecked', 'red" checked focused')
    assert act(chosen, Reply(values=("B",)), episode) == {"type": "click", "target": "e3"}


def test_a_choice_that_moved_is_found_by_its_text() -> None:
    assert act(CHOICES, Reply(values=("B",), choice="green"), info())["target"] == "e1"


def test_several_values_are_typed_into_as_many_fields() -> None:
    episode, reply = info(), Reply(values=("Oslo", "Bergen"))
    assert act(FIELDS.format(first=""), reply, episode)["text"] == "Oslo"
    assert act(FIELDS.format(first="Oslo"), reply, episode)["target"] == "e2"
    assert act(TWO_FIELDS, reply, episode) == {
        "type": "type",
        "target": "e4",
        "text": "Bergen",
        "clear": True,
    }
    assert act(TWO_FIELDS, reply, episode)["target"] == "e3"


def test_a_form_behind_a_button_is_opened_and_filled_in() -> None:
    episode, reply = info(), Reply(values=("42",))
    assert act(IN_DIALOG, reply, episode) == {"type": "click", "target": "e3"}
    assert act(IN_DIALOG + DIALOG, reply, episode)["target"] == "e5"
    assert act(IN_DIALOG + DIALOG, reply, episode) == {"type": "click", "target": "e6"}


def test_a_button_behind_which_there_is_no_form_is_given_up() -> None:
    episode, reply = info(), Reply(values=("42",))
    for _ in range(2):
        assert act(IN_DIALOG, reply, episode)["target"] == "e3"
    shown = Observation(kind="axtree-v1", text=IN_DIALOG)
    assert hand_in(shown, episode, reply=reply, first="a", then="b") is None


@pytest.mark.parametrize("page", [CHOICES, DIALOG, IN_DIALOG])
def test_what_lies_over_the_page_is_closed_first(page: str) -> None:
    assert act(POP_UP + page, Reply(values=("B",)), info()) == {"type": "click", "target": "e9"}


def test_what_does_not_close_is_left_where_it_is() -> None:
    episode, reply = info(), Reply(values=("B",))
    acts = [act(POP_UP + CHOICES, reply, episode)["target"] for _ in range(5)]
    assert acts == ["e9", "e9", "e9", "e9", "e2"]


def test_the_button_that_hands_in_is_the_one_after_the_field() -> None:
    episode, reply = info(), Reply(values=("Oslo",))
    assert act(ABOVE, reply, episode)["target"] == "e1"
    assert act(ABOVE, reply, episode) == {"type": "click", "target": "e3"}


@pytest.mark.parametrize(
    ("form", "values", "said"),
    [
        ("line", ("42",), "Answer: 42"),
        ("values", ("a|b", "c"), "Answer: a\\|b | c"),
        ("program", ("x = 1",), "Answer:\n```\nx = 1\n```"),
        ("block", ("_ Q\nQ _",), "Answer:\n```\n_ Q\nQ _\n```"),
    ],
)
def test_words_carry_every_form_of_answer(form: Any, values: tuple[str, ...], said: str) -> None:
    episode = info(arm="text_zero_shot", answer_form=form)
    reply = Reply(values=values)
    got = hand_in(Observation(kind="text"), episode, reply=reply, first="Thought.", then="")
    assert got == f"Thought.\n\n{said}"


def test_an_agent_without_a_page_answers_with_a_list() -> None:
    stated = act("", Reply(values=("a", "b")), info(arm="text_agent", answer_form="values"))
    assert stated == {"type": "answer", "text": ["a", "b"]}


async def test_the_solver_finds_the_label_that_the_prompt_shows() -> None:
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
    said = await solver.act(shown, info(arm="text_zero_shot"))
    assert said is not None
    assert said.endswith("Answer: B")


async def test_the_solver_reads_a_list_of_values_as_its_file_writes_them() -> None:
    solver = Solver({5: Solution(task=5, answer="a\\pb|c\\\\d")})
    said = await solver.act(Observation(kind="text"), info(arm="text_agent", answer_form="values"))
    assert turn_parse(said or "").stated == {"type": "answer", "text": ["a|b", "c\\d"]}
