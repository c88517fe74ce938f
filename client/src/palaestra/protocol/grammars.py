"""Grammars: the ways in which models write actions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass


@dataclass(frozen=True)
class Grammar:
    """The facts about a grammar.

    ``has_tools``: tools are sent to the endpoint, and completions call them. ``is_by_position``: elements are
    named only by their position in a picture.
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
