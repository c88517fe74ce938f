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
