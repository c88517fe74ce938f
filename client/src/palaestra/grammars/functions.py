"""Actions as calls of functions, one for each action, through an endpoint's tools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from palaestra.actions import ACTIONS, ActionInvalid
from palaestra.completion import Completion
from palaestra.grammars.base import singles_of, singles_offered
from palaestra.grammars.tools import ToolGrammar, call_make, function_tool
from palaestra.protocol.offers import Conditions


class Functions(ToolGrammar):
    id = "functions"

    def declared(self, name: str, fields: dict[str, Any], conditions: Conditions) -> list[dict[str, Any]]:
        if name not in ACTIONS:
            known = ", ".join(singles_offered(conditions))
            raise ActionInvalid(f"There is no function {name!r:.40}. Known: {known}.")
        return [{**fields, "type": name}]

    def render(self, declared: Mapping[str, Any], *, thought: str = "") -> list[Completion]:
        calls = [
            call_make(action["type"], {name: value for name, value in action.items() if name != "type"})
            for action in singles_of(declared)
        ]
        return [Completion(text=thought, tool_calls=tuple(calls))]

    def tools(self, conditions: Conditions) -> list[dict[str, Any]]:
        return [function_tool(kind, conditions) for kind in singles_offered(conditions)]
