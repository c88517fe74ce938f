"""Actions written in every grammar, and read back: the same action, and the same text."""

from __future__ import annotations

from typing import Any

import pytest

from palaestra.actions import action_check
from palaestra.completion import Completion
from palaestra.grammars import GRAMMARS, Grammar, get_grammar
from palaestra.grammars.counterparts import ANTHROPIC, BROWSERGYM, OPENAI, Counterpart
from palaestra.grammars.tools import call_make
from palaestra.protocol.offers import Conditions, actions_offered, conditions_of, example_of, fields_offered

OUTLINE = conditions_of(has_page=True, has_ids=True, has_outline=True, is_site=True)
PICTURE = conditions_of(has_page=True, has_positions=True, is_site=True)
NO_PAGE = conditions_of(has_page=False)
SITUATIONS = [
    (grammar, conditions)
    for grammar in GRAMMARS.values()
    for conditions in (OUTLINE, PICTURE, NO_PAGE)
    if conditions is not OUTLINE or not grammar.facts.is_by_position
]
EXAMPLES = [
    pytest.param(grammar, conditions, kind, id=f"{grammar.id}-{kind}-{len(conditions)}")
    for grammar, conditions in SITUATIONS
    for kind in actions_offered(conditions)
]


def read_back(grammar: Grammar, declared: dict[str, Any], conditions: Conditions) -> list[Any]:
    turns = [grammar.parse(each, conditions) for each in grammar.render(declared, thought="Why.")]
    assert [turn.parse_error for turn in turns] == [None] * len(turns)
    assert turns[0].thought == "Why."
    return [turn.action for turn in turns]


@pytest.mark.parametrize(("grammar", "conditions", "kind"), EXAMPLES)
def test_every_action_that_is_offered_can_be_written(
    grammar: Grammar, conditions: Conditions, kind: str
) -> None:
    declared = example_of(kind, conditions)
    actions = read_back(grammar, declared, conditions)
    if len(actions) == 1:
        assert actions == [action_check(declared)]
    else:
        assert [action.type for action in actions] in (
            ["click", "press", "type"],  # by position: into the field, all of it, the new text
            ["type", "select", "fill"],  # field by field
        )


@pytest.mark.parametrize("grammar", GRAMMARS.values(), ids=lambda grammar: grammar.id)
def test_a_sequence_is_one_completion(grammar: Grammar) -> None:
    actions = [{"type": "click", "x": 640, "y": 360}, {"type": "type", "text": "162"}]
    declared = {"type": "sequence", "actions": actions}
    conditions = PICTURE | {"sequence"}
    assert read_back(grammar, declared, conditions) == [action_check(declared)]
    [completion] = grammar.render(declared)
    assert "more than one" in (grammar.parse(completion, PICTURE).parse_error or "") or grammar.id == "json"


@pytest.mark.parametrize(
    ("grammar", "row"),
    [
        pytest.param(grammar, row, id=f"{grammar}-{row.name}")
        for grammar, table in (("computer_openai", OPENAI), ("computer_anthropic", ANTHROPIC))
        for row in table
        if row.type
    ],
)
def test_every_action_of_a_computer_tool_is_one_that_is_offered(grammar: str, row: Counterpart) -> None:
    tool = (get_grammar(grammar).tools(PICTURE) or [])[0]["function"]
    key = tool["parameters"]["required"][0]
    assert row.name in tool["parameters"]["properties"][key]["enum"]
    assert set(row.fields) <= set(tool["parameters"]["properties"])


@pytest.mark.parametrize("row", [row for row in BROWSERGYM if not row.type], ids=lambda row: row.name)
def test_a_call_without_counterpart_is_answered_with_what_to_write(row: Counterpart) -> None:
    turn = get_grammar("browsergym").parse(Completion(text=f"{row.name}('e8', 1)"), OUTLINE)
    assert turn.parse_error == f'"{row.name}" is not available. {row.instead}'


@pytest.mark.parametrize(("grammar", "conditions"), [pair for pair in SITUATIONS if pair[0].facts.has_tools])
def test_a_schema_is_strict(grammar: Grammar, conditions: Conditions) -> None:
    """As OpenAI wants it: every property is required, and nothing else may be there."""
    tools = grammar.tools(conditions) or []
    assert tools
    for tool in tools:
        if tool["function"].get("strict"):
            _check_strict(tool["function"]["parameters"])


@pytest.mark.parametrize("conditions", [OUTLINE, PICTURE, NO_PAGE, OUTLINE | {"sequence"}])
def test_the_schema_of_a_turn_is_strict_and_offers_what_its_situation_has(conditions: Conditions) -> None:
    schema = get_grammar("structured").response_format(conditions)["json_schema"]["schema"]  # type: ignore[index]
    _check_strict(schema)
    reasoning, acts = schema["properties"]
    assert (reasoning, acts) == ("reasoning", "actions" if "sequence" in conditions else "action")
    action = schema["properties"][acts]
    variants: dict[str, list[list[str]]] = {}
    for one in (action.get("items") or action)["anyOf"]:
        [kind] = one["properties"]["type"]["enum"]
        variants.setdefault(kind, []).append(list(one["properties"]))
    assert list(variants) == [kind for kind in actions_offered(conditions) if kind != "sequence"]
    for kind, fields in variants.items():
        # As in its example, or with every field that it may have.
        assert fields[0] == list(example_of(kind, conditions))
        assert fields[-1] == ["type", *(spec.name for spec in fields_offered(kind, conditions))]


def _check_strict(schema: dict[str, Any]) -> None:
    items = [schema["items"]] if "items" in schema else []
    for inner in (*schema.get("properties", {}).values(), *schema.get("anyOf", ()), *items):
        _check_strict(inner)
    if "properties" in schema:
        assert schema["required"] == list(schema["properties"])
        assert schema["additionalProperties"] is False


def test_a_function_takes_what_its_situation_has() -> None:
    def fields(conditions: Conditions) -> dict[str, Any]:
        tools = get_grammar("functions").tools(conditions) or []
        [click] = [tool["function"] for tool in tools if tool["function"]["name"] == "click"]
        return {name: schema["type"] for name, schema in click["parameters"]["properties"].items()}

    assert fields(OUTLINE)["target"] == "string"
    assert "x" not in fields(OUTLINE)
    assert fields(PICTURE)["x"] == "integer"
    assert "target" not in fields(PICTURE)
    assert fields(OUTLINE | PICTURE)["x"] == ["integer", "null"]


# ---- the conversation of grammars with tools
def test_each_call_is_sent_back_with_its_result_and_a_picture_after_them() -> None:
    functions = get_grammar("functions")
    calls = (call_make("type", {"target": "e3", "text": "½ \\frac"}), call_make("click", {"target": "e8"}))
    raw = functions.raw(Completion(text="Both.", tool_calls=calls))
    spoken = functions.completion_message(raw)
    assert spoken["content"] == "Both."
    assert [call["function"]["arguments"] for call in spoken["tool_calls"]] == [c.arguments for c in calls]
    picture = {"type": "image_url", "image_url": {"url": "data:..."}}
    shown = {"role": "user", "content": [{"type": "text", "text": "Result: ok."}, picture]}
    first, second, after = functions.result_messages(raw, shown)
    assert [first["tool_call_id"], second["tool_call_id"]] == [call["id"] for call in spoken["tool_calls"]]
    assert (second["role"], second["content"]) == ("tool", "Result: ok.")
    assert after == {"role": "user", "content": [picture]}


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ('{"target":  "e8"}', '{"target":  "e8"}'),
        ("{'target': 'e8'}", '{"target": "e8"}'),
        (r'{"text": "\frac12"}', r'{"text": "\\frac12"}'),
        ('{"target": "e8"', "{}"),
        ('["e8"]', "{}"),
        ("null", "{}"),
        ("", "{}"),
    ],
)
def test_arguments_are_sent_back_as_an_object_whatever_was_written(written: str, sent: str) -> None:
    """An endpoint refuses the whole conversation for arguments that are no JSON object."""
    functions = get_grammar("functions")
    call = call_make("click", {})
    raw = functions.raw(Completion(text="", tool_calls=(type(call)(name="click", arguments=written),)))
    [back] = functions.completion_message(raw)["tool_calls"]
    assert back["function"]["arguments"] == sent


@pytest.mark.parametrize(
    "text", ["The answer is 42.", '{"content": "x", "tool_calls": []}', '{"content": 1}']
)
def test_a_completion_without_calls_is_sent_back_as_it_was(text: str) -> None:
    functions = get_grammar("functions")
    raw = functions.raw(Completion(text=text))
    assert functions.completion_message(raw) == {"role": "assistant", "content": text}
    shown = {"role": "user", "content": "Result: invalid."}
    assert functions.result_messages(raw, shown) == [shown]


def test_a_record_that_was_cut_is_text() -> None:
    functions = get_grammar("functions")
    raw = (
        functions.raw(Completion(text="", tool_calls=(call_make("answer", {"text": "42"}),)))[:-9] + " (cut)"
    )
    assert functions.completion_message(raw) == {"role": "assistant", "content": raw}
