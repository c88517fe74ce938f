"""A turn as one JSON object, ``{"reasoning": "...", "action": {...}}``, whose schema the endpoint enforces.

OpenAI calls this structured outputs; vLLM, SGLang and llama.cpp call it guided decoding. It makes even weak
models write readable actions. An endpoint that ignores the schema may surround the object with words, which
then belong to the thought, or write an ``Action:`` line instead.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from palaestra.completion import Completion
from palaestra.grammars.base import Grammar, Turn, check_turn, list_singles, split_singles
from palaestra.grammars.envelopes import envelope_open
from palaestra.grammars.examples import example_make
from palaestra.grammars.json import ACTION_MAX_CHARS, turn_parse
from palaestra.grammars.lenient_json import Unreadable, value_read
from palaestra.grammars.schemas import Schema, action_schemas, nulls_drop, object_schema
from palaestra.protocol.offers import Conditions

_ACTIONS = re.compile(r'(?<!\\)"actions?"\s*:\s*(?=[\[{])')
# The field may be incomplete because the completion was cut off.
_REASONING = re.compile(r'(?<!\\)"(?:reasoning|thought)"\s*:\s*(")((?:[^"\\]|\\.)*)', re.DOTALL)
_FENCE = re.compile(r"(?:`{3}|~{3})(?:json)?\s*\Z")


class Structured(Grammar):
    id = "structured"

    def parse(self, completion: Completion, conditions: Conditions, *, shown: str = "") -> Turn:
        text = completion.text
        try:
            thought, declared = _turn_read(text)
        except Unreadable as failure:
            # The endpoint may not enforce the schema, so whatever the grammar ``json`` can read is accepted
            # as well.
            plain = turn_parse(text, conditions, shown=shown)
            if plain.declared is not None:
                return plain
            example = _written("...", [example_make(text, conditions, shown=shown)], several=False)
            return Turn(
                thought=_reasoning(text) or text.strip(),
                parse_error=f"{failure} Write one JSON object, such as: {example}",
            )
        return check_turn(thought, declared, conditions)

    def render(self, declared: Mapping[str, Any], *, thought: str = "") -> list[Completion]:
        several = declared["type"] == "sequence"
        return [Completion(text=_written(thought, split_singles(declared), several=several))]

    def response_format(self, conditions: Conditions) -> dict[str, Any]:
        return {
            "type": "json_schema",
            "json_schema": {"name": "turn", "strict": True, "schema": turn_schema(conditions)},
        }


def turn_schema(conditions: Conditions) -> Schema:
    """Return the strict JSON schema of a turn, in which the reasoning comes before the action."""
    kinds = list_singles(conditions)
    action: Schema = {"anyOf": [schema for kind in kinds for schema in action_schemas(kind, conditions)]}
    if "sequence" in conditions:
        acts = {"actions": {"type": "array", "items": action, "minItems": 1}}
    else:
        acts = {"action": action}
    return object_schema({"reasoning": {"type": "string"}, **acts})


def _written(thought: str, actions: Sequence[Mapping[str, Any]], *, several: bool) -> str:
    acts = {"actions": actions} if several else {"action": actions[0]}
    return json.dumps({"reasoning": thought, **acts}, ensure_ascii=False)


def _turn_read(text: str) -> tuple[str, list[dict[str, Any]]]:
    """Return the thought and the actions of a completion. Raises ``Unreadable``.

    The two are parsed separately, so that an action is found even if the reasoning is unreadable.
    """
    if len(text) > ACTION_MAX_CHARS:
        raise Unreadable(f"The turn is longer than {ACTION_MAX_CHARS} characters.")
    key = _ACTIONS.search(text)
    if key is None:
        raise Unreadable('There is no object with an "action".')
    value, end = value_read(text, key.end())
    if _ACTIONS.search(text, end):
        raise Unreadable("There is more than one turn.")
    listed = value if isinstance(value, list) else [value]
    if not listed or not all(isinstance(action, dict) for action in listed):
        raise Unreadable("An action is a JSON object.")
    before = _FENCE.sub("", text[: text.find("{")]).strip()
    thought = "\n\n".join(filter(None, (before, _reasoning(text))))
    return thought, [nulls_drop(envelope_open(action)) for action in listed]


def _reasoning(text: str) -> str:
    string = _REASONING.search(text)
    if string is None:
        return ""
    for written, begin in ((text, string.start(1)), (f'"{string[2]}"', 0)):  # second: if its end is missing
        with suppress(Unreadable):
            return str(value_read(written, begin)[0]).strip()
    return string[2].strip()
