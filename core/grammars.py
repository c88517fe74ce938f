"""Grammars: how a model writes its actions. The client has the same table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from pathlib import Path

from core.tables import table_load


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


GRAMMARS: Mapping[str, Grammar] = {
    grammar.id: grammar for grammar in table_load(Path(__file__).with_name("grammars.toml"), Grammar)
}
DEFAULT = "json"
