"""Grammars: how a model writes its actions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass


@dataclass(frozen=True)
class Grammar:
    """``has_tools``: the endpoint is sent tools, and a completion calls them. ``is_by_position``: elements
    are named by their position in a picture alone.
    """

    id: str
    label: str
    description: str
    _: KW_ONLY
    has_tools: bool = False
    is_by_position: bool = False


_GRAMMARS = (
    Grammar("json", "JSON", 'A last line "Action:" with one JSON object.'),
    Grammar(
        "functions",
        "Function calls",
        "Calls of functions, one for each action, through the endpoint's tools.",
        has_tools=True,
    ),
    Grammar(
        "computer_openai",
        "OpenAI computer use",
        "The actions of OpenAI's computer-use tool, by position.",
        has_tools=True,
        is_by_position=True,
    ),
    Grammar(
        "computer_anthropic",
        "Anthropic computer use",
        "The actions of Anthropic's computer-use tool, by position.",
        has_tools=True,
        is_by_position=True,
    ),
    Grammar("browsergym", "BrowserGym calls", "Calls in BrowserGym's syntax, such as click('e8')."),
    Grammar(
        "structured",
        "Structured outputs",
        "One JSON object with reasoning and action, whose schema the endpoint enforces.",
    ),
)
GRAMMARS: Mapping[str, Grammar] = {grammar.id: grammar for grammar in _GRAMMARS}
DEFAULT = "json"
