"""Calls in the markup of model families, left in the text by endpoints without a parser for it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from everywhere import EVERYWHERE
from palaestra import Completion
from palaestra.completion import ToolCall
from palaestra.grammars import Turn, get_grammar

CLICK: dict[str, Any] = {"type": "click", "target": "e8", "double": True}
TYPE: dict[str, Any] = {"type": "type", "target": "e3", "text": "a < b\n{1}"}
TEXT, JSON_CLICK = TYPE["text"], '{"target": "e8", "double": true}'
JSON_TYPE = json.dumps({"target": "e3", "text": TEXT})


def xml(
    begin: str, end: str, *, key: str = "parameter", prefix: str = "", equals: bool = False
) -> tuple[str, str]:
    """The two calls as tags with parameters."""

    def name(value: str) -> str:
        return f"={value}" if equals else f' name="{value}"'

    def call(function: str, fields: dict[str, str]) -> str:
        inner = "\n".join(
            f"<{prefix}{key}{name(field)}>{value}</{prefix}{key}>" for field, value in fields.items()
        )
        tag = "function" if equals else "invoke"
        return f"<{prefix}{tag}{name(function)}>\n{inner}\n</{prefix}{tag}>"

    click = call("click", {"target": "e8", "double": "true"})
    typed = call("type", {"target": "e3", "text": TEXT})
    return f"{begin}{click}{end}", f"{begin}{click}{end}\n{begin}{typed}{end}"


def glm(space: str) -> tuple[str, str]:
    def call(function: str, fields: dict[str, str]) -> str:
        pairs = (
            f"<arg_key>{key}</arg_key>{space}<arg_value>{value}</arg_value>" for key, value in fields.items()
        )
        return f"<tool_call>{space.join((function, *pairs))}{space}</tool_call>"

    click = call("click", {"target": "e8", "double": "true"})
    return click, f"{click}\n{call('type', {'target': 'e3', 'text': TEXT})}"


def named(key: str, name: str = "name") -> tuple[str, str]:
    return (f'{{"{name}": "click", "{key}": {JSON_CLICK}}}', f'{{"{name}": "type", "{key}": {JSON_TYPE}}}')


def each(begin: str, end: str, calls: tuple[str, str], between: str = "\n") -> tuple[str, str]:
    one, two = (f"{begin}{call}{end}" for call in calls)
    return one, f"{one}{between}{two}"


def listed(begin: str, end: str, calls: tuple[str, str]) -> tuple[str, str]:
    return f"{begin}[{calls[0]}]{end}", f"{begin}[{calls[0]}, {calls[1]}]{end}"


def within(begin: str, end: str, texts: tuple[str, str]) -> tuple[str, str]:
    return f"{begin}{texts[0]}{end}", f"{begin}{texts[1]}{end}"


ARGUMENTS, PARAMETERS = named("arguments"), named("parameters")
PYTHON = ("click(target='e8', double=True)", f"type(target='e3', text={TEXT!r})")
GEMMA = (
    'call:click{target:<|"|>e8<|"|>,double:true}',
    f'call:type{{target:<|"|>e3<|"|>,text:<|"|>{TEXT}<|"|>}}',
)


def bare(between: str) -> tuple[str, str]:
    return f"click{between}{JSON_CLICK}", f"type{between}{JSON_TYPE}"


FAMILIES: dict[str, tuple[str, str]] = {
    "Hermes, Qwen": each("<tool_call>\n", "\n</tool_call>", ARGUMENTS),
    "Qwen3-Coder": xml("<tool_call>\n", "\n</tool_call>", equals=True),
    "Qwen3-Coder without the outer tag": xml("", "", equals=True),
    "GLM 4.5": glm("\n"),
    "GLM 4.7": glm(""),
    "Kimi K2": within(
        "<|tool_calls_section_begin|>",
        "<|tool_calls_section_end|>",
        each(
            "<|tool_call_begin|>functions.", "<|tool_call_end|>", bare(":0<|tool_call_argument_begin|>"), ""
        ),
    ),
    "DeepSeek V3": within(
        "<｜tool▁calls▁begin｜>",
        "<｜tool▁calls▁end｜>",
        each("<｜tool▁call▁begin｜>function<｜tool▁sep｜>", "\n```<｜tool▁call▁end｜>", bare("\n```json\n")),
    ),
    "DeepSeek V3.1": within(
        "<｜tool▁calls▁begin｜>",
        "<｜tool▁calls▁end｜>",
        each("<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>", bare("<｜tool▁sep｜>"), ""),
    ),
    "DeepSeek V3.2": xml("<｜DSML｜function_calls>\n", "\n</｜DSML｜function_calls>", prefix="｜DSML｜"),
    "Anthropic": xml("<function_calls>\n", "\n</function_calls>"),
    "MiniMax M1": each("<tool_calls>\n", "\n</tool_calls>", ARGUMENTS),
    "MiniMax M2": xml("<minimax:tool_call>\n", "\n</minimax:tool_call>"),
    "Seed": xml("<seed:tool_call>\n", "\n</seed:tool_call>", equals=True),
    "Step": within(
        "<｜tool_calls_begin｜>",
        "<｜tool_calls_end｜>",
        xml("<｜tool_call_begin｜>function<｜tool_sep｜>", "<｜tool_call_end｜>", prefix="steptml:"),
    ),
    "Mistral, older": listed("[TOOL_CALLS]", "", ARGUMENTS),
    "Mistral, older, with a space": listed("[TOOL_CALLS] ", "", ARGUMENTS),
    "Mistral": each("[TOOL_CALLS]", "", bare("[ARGS]"), ""),
    "Mistral with ids": each("[TOOL_CALLS]", "", bare("[CALL_ID]a1B2[ARGS]"), ""),
    "Mistral without marks": each("[TOOL_CALLS]", "", bare("")),
    "Llama 3": each("<|python_tag|>", "", PARAMETERS, "; "),
    "Llama 3, one mark": within("<|python_tag|>", "", (PARAMETERS[0], "; ".join(PARAMETERS))),
    "Llama 3 in Python": each("<|python_tag|>", "", PYTHON, "\n"),
    "Llama 3.2": (PARAMETERS[0], "; ".join(PARAMETERS)),
    "Llama 3 with a tag": (
        f"<function=click>{JSON_CLICK}</function>",
        f"<function=click>{JSON_CLICK}</function><function=type>{JSON_TYPE}</function>",
    ),
    "Llama 4": listed("", "", PYTHON),
    "Llama 4 with marks": listed("<|python_start|>", "<|python_end|>", PYTHON),
    "DeepSeek, in ASCII": within(
        "<|tool_calls_begin|>",
        "<|tool_calls_end|>",
        each("<|tool_call_begin|>function<|tool_sep|>", "\n```<|tool_call_end|>", bare("\n```json\n")),
    ),
    "Nemotron": listed("<TOOLCALL>", "</TOOLCALL>", ARGUMENTS),
    "Granite 3": listed("<|tool_call|>", "", ARGUMENTS),
    "Granite 3.1": listed("<tool_call>", "", ARGUMENTS),
    "Granite 20B": each("<function_call> ", "", ARGUMENTS),
    "Phi-4": listed("functools", "", ARGUMENTS),
    "Phi-4 with marks": listed("<|tool_call|>", "<|/tool_call|>", ARGUMENTS),
    "InternLM": each("<|action_start|><|plugin|>\n", "<|action_end|>", PARAMETERS),
    "Jamba, Hunyuan": listed("<tool_calls>", "</tool_calls>", ARGUMENTS),
    "xLAM": listed("", "", ARGUMENTS),
    "xLAM in a block": listed("```json\n", "\n```", ARGUMENTS),
    "LongCat": each("<longcat_tool_call>\n", "\n</longcat_tool_call>", ARGUMENTS),
    "LFM2": listed("<|tool_call_start|>", "<|tool_call_end|>", PYTHON),
    "Command R": listed("<|START_ACTION|>", "<|END_ACTION|>", named("parameters", "tool_name")),
    "Olmo 3": within("<function_calls>", "</function_calls>", (PYTHON[0], "\n".join(PYTHON))),
    "Gemma 3": within("```tool_code\n", "\n```", (PYTHON[0], "\n".join(PYTHON))),
    "Gemma 4": each("<|tool_call>", "<tool_call|>", GEMMA, ""),
    "Apertus": (
        f'<|tools_prefix|>[{{"click": {JSON_CLICK}}}]<|tools_suffix|>',
        f'<|tools_prefix|>[{{"click": {JSON_CLICK}}}, {{"type": {JSON_TYPE}}}]<|tools_suffix|>',
    ),
    "gpt-oss": each(
        "<|channel|>commentary to=functions.", "<|call|>", bare(" <|constrain|>json<|message|>"), ""
    ),
    "gpt-oss, to first": each(
        "<|start|>assistant to=functions.", "<|call|>", bare("<|channel|>commentary json<|message|>"), ""
    ),
    "GLM 4": (bare("\n")[0], "\n".join(bare("\n"))),
}


def turn_of(text: str) -> Turn:
    return get_grammar("functions").parse(Completion(text=text), EVERYWHERE)


@pytest.mark.parametrize("texts", FAMILIES.values(), ids=FAMILIES)
def test_one_call_is_read(texts: tuple[str, str]) -> None:
    turn = turn_of(texts[0])
    assert (turn.declared, turn.parse_error, turn.thought) == (CLICK, None, "")


@pytest.mark.parametrize("texts", FAMILIES.values(), ids=FAMILIES)
def test_what_stands_before_a_call_is_its_thought(texts: tuple[str, str]) -> None:
    turn = turn_of(f"It is (b), so I click e8.\n\n{texts[0]}")
    assert (turn.declared, turn.thought) == (CLICK, "It is (b), so I click e8.")


@pytest.mark.parametrize("texts", FAMILIES.values(), ids=FAMILIES)
def test_two_calls_are_read_in_turn(texts: tuple[str, str]) -> None:
    turn = turn_of(texts[1])
    assert turn.declared == {"type": "sequence", "actions": [CLICK, TYPE]}


@pytest.mark.parametrize("end", ["<|im_end|>", "</s>", "<|eot_id|>", "<｜end▁of▁sentence｜>", "\n\n"])
@pytest.mark.parametrize("texts", FAMILIES.values(), ids=FAMILIES)
def test_a_token_at_the_end_changes_nothing(texts: tuple[str, str], end: str) -> None:
    assert turn_of(texts[0] + end).declared == CLICK


@pytest.mark.parametrize(
    "id_", ["Hermes, Qwen", "Qwen3-Coder", "GLM 4.5", "Kimi K2", "DeepSeek V3.1", "Mistral"]
)
def test_markup_in_place_of_the_action_line_is_read_too(id_: str) -> None:
    turn = get_grammar("json").parse(Completion(text=f"So.\n{FAMILIES[id_][0]}"), EVERYWHERE)
    assert (turn.declared, turn.thought) == (CLICK, "So.")


@pytest.mark.parametrize(
    "text",
    [
        "<tool_call>back</tool_call>",
        "<tool_call>\nback\n</tool_call>",
        "<tool_call>\n<function=back>\n</function>\n</tool_call>",
        '<function_calls><invoke name="back"></invoke></function_calls>',
        '<tool_call>{"name": "back", "arguments": {}}</tool_call>',
        '<tool_call>{"name": "back", "arguments": null}</tool_call>',
        "[TOOL_CALLS]back[ARGS]{}",
        "<|python_tag|>back()",
        "<|python_tag|>back.call()",
        "[back()]",
        "<|tool_call_begin|>functions.back:2<|tool_call_argument_begin|>{}<|tool_call_end|>",
    ],
)
def test_a_call_without_arguments_is_read(text: str) -> None:
    assert turn_of(text).declared == {"type": "back"}


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ('<tool_call>\n{"name": "click", "arguments": {"target": "e8"}}', "e8"),
        ("<tool_call>\n<function=click>\n<parameter=target>\ne8", "e8"),
        ("<tool_call>click\n<arg_key>target</arg_key>\n<arg_value>e8", "e8"),
        ("<function=click><parameter=target>e8<parameter=double>false</function>", "e8"),
        ('<tool_call>{"name": "click", "arguments": "{\\"target\\": \\"e8\\"}"}</tool_call>', "e8"),
        ('<tool_call>{"function": {"name": "click", "arguments": {"target": "e8"}}}</tool_call>', "e8"),
        ('<tool_call>{"function": "click", "parameters": {"target": "e8"}, "id": "x"}</tool_call>', "e8"),
    ],
)
def test_markup_that_is_not_closed_or_differs_is_read(text: str, target: str) -> None:
    assert (turn_of(text).declared or {})["target"] == target


@pytest.mark.parametrize(
    ("field", "written", "value"),
    [
        ("text", "42", "42"),
        ("text", "true", "true"),
        ("text", " two\nlines ", " two\nlines "),
        ("clear", "true", True),
        ("clear", "null", None),
        ("x", "640", 640),
    ],
)
def test_an_argument_without_quotation_marks_has_the_type_of_its_schema(
    field: str, written: str, value: Any
) -> None:
    text = (
        f"<function=type><parameter=target>e3</parameter><parameter={field}>{written}</parameter></function>"
    )
    declared = turn_of(text).declared or {}
    assert declared.get(field) == value


def test_calls_after_the_result_that_a_model_made_up_count_for_nothing() -> None:
    call, other = (
        f'<tool_call>\n{{"name": "{name}", "arguments": {{}}}}\n</tool_call>' for name in ("back", "wait")
    )
    assert turn_of(f"{call}\n<tool_response>\nok\n</tool_response>\n{other}").declared == {"type": "back"}


@pytest.mark.parametrize(
    "text",
    [
        "I could call click(e8), or back.",
        'The list [{"name": "Ann"}] has one entry.',
        "{1, 2}",
        "click\nThen I wait.",
        "Between <tool_call> and </tool_call> a call would stand.",
        "A function f(x) = [x, 2].",
        "```python\nprint(1)\n```",
    ],
)
def test_words_about_calls_are_none(text: str) -> None:
    turn = turn_of(text)
    assert turn.action is None
    assert turn.parse_error


@pytest.mark.parametrize(
    "name",
    [
        "click",
        " click\n",
        "functions.click",
        "functions.click:0",
        "default_api.click",
        "click<|channel|>commentary",
    ],
)
@pytest.mark.parametrize("after", ["", "<|call|>", "\n</tool_call>", "</tool_call><|im_end|>"])
def test_a_call_that_an_endpoint_read_may_keep_some_of_its_markup(name: str, after: str) -> None:
    completion = Completion(text="", tool_calls=(ToolCall(name=name, arguments=JSON_CLICK + after),))
    assert get_grammar("functions").parse(completion, EVERYWHERE).declared == CLICK
    functions = get_grammar("functions")
    [call] = functions.completion_message(functions.raw(completion))["tool_calls"]
    assert call["function"] == {"name": "click", "arguments": JSON_CLICK}, "as endpoints take it back"


@pytest.mark.parametrize("arguments", ["", " ", "null", "[]", "{}"])
def test_no_arguments_are_written_in_many_ways(arguments: str) -> None:
    completion = Completion(text="", tool_calls=(ToolCall(name="back", arguments=arguments),))
    assert get_grammar("functions").parse(completion, EVERYWHERE).declared == {"type": "back"}


def test_an_unknown_function_is_named_to_the_model() -> None:
    turn = turn_of("<tool_call>\n<function=open_tab>\n</function>\n</tool_call>")
    assert "open_tab" in (turn.parse_error or "")


def test_no_text_ends_in_a_traceback() -> None:
    texts = [text for pair in FAMILIES.values() for text in pair]
    for text in texts:
        for first in range(0, len(text), 3):
            for last in range(first, len(text), 7):
                turn_of(text[first:last])
