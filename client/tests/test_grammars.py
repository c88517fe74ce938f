"""Completions as models write them: each parsed as it was meant, or refused with what to write."""

from __future__ import annotations

import contextlib
import json
import random
import re
import time
from pathlib import Path
from typing import Any

import pytest

from everywhere import EVERYWHERE, ONE_A_TURN, turn_parse
from palaestra.completion import Completion, ToolCall
from palaestra.grammars import Turn, get_grammar
from palaestra.grammars.lenient_json import Unreadable, string_decode
from palaestra.protocol.offers import conditions_of

COMPLETIONS = [
    {"grammar": file.parent.name, **json.loads(line)}
    for file in sorted(Path(__file__).with_name("completions").glob("*/*.jsonl"))
    for line in file.read_text(encoding="utf-8").splitlines()
]
TEX = [
    r"\frac{1}{2}",
    r"\right)",
    r"\neq",
    r"\times",
    r"\text{cm}",
    r"\begin{cases}",
    r"\\",
    r"\beta",
    r"\sqrt{x}",
    r"\nu",
    r"\theta",
    r"\rho",
    r"\tan",
]
CONTROLS = {chr(code) for code in range(32)} - {"\n", "\t"}
SIGNS = [" ", "3", "=", "$", '"', "'", "{", "}", "[", "]", "(", ")", ",", ":"]
LETTERS = ["\\", "\n  ", "\t2", "n", "r", "t", "b", "f", "u", "é", "∑", "😀"]


def _texts(parts: list[str]) -> list[str]:
    """Five hundred texts, the same each time."""
    draw = random.Random(7)
    return ["".join(draw.choices(parts, k=draw.randint(0, 12))) for _ in range(500)]


def _id(case: dict[str, Any]) -> str:
    calls = "".join(call["arguments"] for call in case.get("tool_calls", ()))
    return f"{case['grammar']}-{(case['completion'] + calls)[-60:]}"


def _parsed(case: dict[str, Any]) -> Turn:
    calls = tuple(ToolCall(**call) for call in case.get("tool_calls", ()))
    conditions = EVERYWHERE if case.get("several") else ONE_A_TURN
    return get_grammar(case["grammar"]).parse(
        Completion(text=case["completion"], tool_calls=calls), conditions
    )


@pytest.mark.parametrize("case", [c for c in COMPLETIONS if "action" in c], ids=_id)
def test_what_can_only_be_meant_in_one_way_is_parsed(case: dict[str, Any]) -> None:
    turn = _parsed(case)
    assert turn.parse_error is None
    assert turn.declared == case["action"]
    assert turn.action is not None


@pytest.mark.parametrize("case", [c for c in COMPLETIONS if "refused" in c], ids=_id)
def test_what_cannot_be_read_is_answered_with_what_to_write(case: dict[str, Any]) -> None:
    turn = _parsed(case)
    assert turn.action is None
    assert case["refused"] in (turn.parse_error or "")


@pytest.mark.parametrize(
    "call",
    [
        "click('e1')",
        "Action: click('e1')",
        "Action:\nclick('e1')",
        "**Action:**\n```python\nclick('e1')\n```",
        "<action>click('e1')</action>",
        "- `click('e1')`",
    ],
)
def test_the_thought_before_a_call_ends_where_the_call_is_announced(call: str) -> None:
    completion = Completion(text=f"First:\nwhy. {call}" if call.startswith("<") else f"First:\nwhy.\n{call}")
    assert get_grammar("browsergym").parse(completion, ONE_A_TURN).thought == "First:\nwhy."


@pytest.mark.parametrize(
    "completion", ["Why.\nAction: click(e1)", 'Why.\n```json\n{"type": "click", "target": "e1"}\n```']
)
def test_the_thought_is_what_stands_before_the_action(completion: str) -> None:
    assert turn_parse(completion).thought == "Why."


@pytest.mark.parametrize(
    ("completion", "thought"),
    [
        ('{"reasoning": "Why.", "action": {"type": "back"}}', "Why."),
        ('First.\n{"reasoning": "Why.", "action": {"type": "back"}}', "First.\n\nWhy."),
        ('{"reasoning": "Why \\nu?\u0001", "action": {"type": "back"}}', "Why \\nu?\u0001"),
        ('{"reasoning": "Why.", "action": {"type": "ba', "Why."),
        ('{\n  "reasoning": "Wh', "Wh"),
        ("Why.", "Why."),
    ],
)
def test_the_reasoning_of_a_turn_is_its_thought_however_it_ends(completion: str, thought: str) -> None:
    assert get_grammar("structured").parse(Completion(text=completion), ONE_A_TURN).thought == thought


@pytest.mark.parametrize(
    "written",
    [
        lambda text: json.dumps({"type": "answer", "text": text}),
        lambda text: json.dumps({"type": "answer", "text": text}, ensure_ascii=False, indent=2),
        lambda text: json.dumps({"name": "answer", "arguments": {"text": text}}),
        lambda text: f"answer({json.dumps(text)})",
        lambda text: repr({"type": "answer", "text": text}),
    ],
    ids=["ascii", "indented", "function", "call", "python"],
)
def test_a_text_that_was_escaped_arrives_as_it_is(written: Any) -> None:
    for text in _texts(TEX + SIGNS + LETTERS):
        assert turn_parse(f"So.\nAction: {written(text)}").declared == {"type": "answer", "text": text}


def test_tex_that_was_not_escaped_arrives_as_it_is_or_is_refused() -> None:
    arrived = 0
    for text in _texts(TEX + SIGNS):
        written = text.replace('"', '\\"')
        turn = turn_parse(f'Action: {{"type": "answer", "text": "{written}"}}')
        if turn.declared is not None:
            # A pair of backslashes without TeX around it is what JSON makes of it.
            assert turn.declared["text"] in (text, text.replace("\\\\", "\\"))
            arrived += 1
    assert arrived > 400


def test_no_control_character_comes_out_of_a_string() -> None:
    for body in _texts(["\\", "n", "r", "t", "b", "f", "u", "0", "0001", "e", " "]):
        with contextlib.suppress(Unreadable):
            assert not set(string_decode(body)) & CONTROLS


@pytest.mark.parametrize(
    "text", ['"' * 100_000, "\\" * 100_000, "{" * 100_000, '{"a":' * 30_000, "\\n" * 60_000]
)
def test_a_hostile_completion_is_parsed_in_no_time(text: str) -> None:
    started = time.perf_counter()
    turn_parse(f'Action: {{"type": "answer", "text": "{text}"}}')
    turn_parse(f"{text}\n{text}")
    assert time.perf_counter() - started < 5


# ---- examples in messages
PAGE = '''page "Rooms" https://gym/
main
  [e31] button "Send" disabled
  [e32] radio "A" unchecked
  [e33] textbox "Your answer" value=""
  [e34] combobox "Guests" value="2" options: "1" | "2"'''
SETUPS = {
    "outline": (ONE_A_TURN - {"positions"}, PAGE),
    "outline and picture": (ONE_A_TURN, PAGE),
    "marks": (ONE_A_TURN - {"outline"}, 'Picture: 1280 x 720 pixels.\n[e32] radio "A" unchecked'),
    "picture": (ONE_A_TURN - {"outline", "ids"}, "Picture: 1280 x 720 pixels."),
    "no page": (conditions_of(has_page=False), ""),
}
ID = re.compile(r"\be\d+\b")


@pytest.mark.parametrize("setup", SETUPS)
@pytest.mark.parametrize("case", [c for c in COMPLETIONS if "refused" in c], ids=_id)
def test_a_refusal_names_no_element_that_the_page_lacks(case: dict[str, Any], setup: str) -> None:
    conditions, shown = SETUPS[setup]
    calls = tuple(ToolCall(**call) for call in case.get("tool_calls", ()))
    completion = Completion(text=case["completion"], tool_calls=calls)
    error = get_grammar(case["grammar"]).parse(completion, conditions, shown=shown).parse_error or ""
    quoted = ID.findall(case["completion"] + "".join(call.arguments for call in calls))
    assert {*ID.findall(error)} <= {*ID.findall(shown), *quoted}


@pytest.mark.parametrize(
    ("grammar", "completion", "setup", "example"),
    [
        ("json", "I send it.", "outline", {"type": "click", "target": "e33"}),
        ("json", "I choose e32.", "outline", {"type": "click", "target": "e32"}),
        ("json", "I click e31, then e99.", "outline", {"type": "click", "target": "e33"}),
        ("json", "Action: type(e32, 'x", "outline", {"type": "type", "target": "e33"}),
        ("json", "Action: select(e34, 2 guests)", "outline", {"type": "select", "target": "e34"}),
        ("json", "I send it.", "outline and picture", {"type": "click", "target": "e33"}),
        ("json", "I send it.", "marks", {"type": "click", "target": "<id>"}),
        ("json", "Action: drag(e32, e33", "outline", {"type": "click", "target": "e33"}),
        ("json", "I send it.", "picture", {"type": "click", "x": 640, "y": 360}),
        ("json", "I send it.", "no page", {"type": "answer"}),
        ("browsergym", "I send it.", "outline", {"type": "click", "target": "e33"}),
        ("browsergym", "I choose e32.", "marks", {"type": "click", "target": "e32"}),
        ("browsergym", "I send it.", "picture", {"type": "click", "x": 640, "y": 360}),
        ("browsergym", "I send it.", "no page", {"type": "answer"}),
    ],
)
def test_the_example_in_a_refusal_fits_the_page(
    grammar: str, completion: str, setup: str, example: dict[str, Any]
) -> None:
    conditions, shown = SETUPS[setup]
    error = get_grammar(grammar).parse(Completion(text=completion), conditions, shown=shown).parse_error or ""
    [written] = re.findall(r"(?:Action: \{.*?\}|(?<=such as )\w+\(.*?\)(?=\. ))", error)
    read = get_grammar(grammar).parse(Completion(text=written), conditions).declared or {}
    assert read.items() >= example.items()


def test_an_example_never_names_a_choice_by_itself() -> None:
    choices = '  [e1] radio "A" unchecked\n  [e2] radio "B" unchecked\n  [e3] button "Submit"'
    error = turn_parse("The first.", shown=choices).parse_error or ""
    assert error.endswith('Action: {"type": "click", "target": "<id>"}')
