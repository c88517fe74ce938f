"""The words and signs listed in ``vocabulary.toml``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from core.text.toml import toml_load

_TABLES = toml_load(Path(__file__).with_name("vocabulary.toml"), dict[str, Any])

FUNCTIONS = frozenset(_TABLES["functions"].split())
CONSTANTS = {"pi": "pi", "infty": "oo", "infinity": "oo", "inf": "oo"}
GREEK = frozenset(_TABLES["greek"].split())
NOT_PRODUCTS = frozenset(_TABLES["not_products"].split())
CHARACTERS: dict[int, str] = str.maketrans(_TABLES["characters"])
ALIASES = {name: alias for alias, names in _TABLES["aliases"].items() for name in names.split()}
SPACES = frozenset(_TABLES["spaces"].split()) | {"\\ "}
UNITS = {name: family.split()[0] for family in _TABLES["units"] for name in family.split()}
SMALL_NUMBERS = {name: value for value, name in enumerate(_TABLES["small_numbers"].split())} | {
    name: value for value, name in zip(range(20, 100, 10), _TABLES["tens"].split(), strict=True)
}
THOUSANDS = {name: 1000**power for power, name in enumerate(_TABLES["thousands"].split(), start=1)}
VERBS = frozenset(_TABLES["verbs"].split())
NAMELESS = frozenset(_TABLES["nameless"].split())
DOUBTS = frozenset(_TABLES["doubts"].split())
HEDGES = DOUBTS | frozenset(_TABLES["hedges"].split())
NOT_UNITS = frozenset(_TABLES["not_units"].split())
