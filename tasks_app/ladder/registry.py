"""Registry of rungs by id.

Each file in ``tasks_app/ladder`` is one rung, a kind of question for small models.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.draws import Draws
from core.registry import Registry
from core.text.toml import toml_load
from tasks_app import ladder

WORDS: tuple[str, ...] = tuple(
    toml_load(Path(__file__).with_name("words.toml"), dict[str, list[str]])["words"]
)
CHOICES = 4
TAG = "rung:"
"""Prefix of a rung's id in its tasks' tags."""
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")


@dataclass(frozen=True, kw_only=True)
class Item:
    """A question with its choices, the right one first; the choices are shuffled later.

    ``steps`` lead to the answer. Each is a sentence that follows from what is shown, and only the last
    contains the answer.
    """

    text: str
    choices: tuple[str, ...]
    passage: str = ""
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Rows:
    """Values by row name, and the name of the row that the question asks for."""

    values: Mapping[str, str]
    right: str


@dataclass(frozen=True, kw_only=True)
class Rung:
    """A rung. ``difficulty``, from 0 to 1, is its position on the ladder."""

    draw: Callable[[Draws], Item]
    difficulty: float
    rows: Callable[[Mapping[str, Any]], Rows] | None = None
    """Reads the rows of a payload that has the answer in one of several rows."""


RUNGS: Registry[Rung] = Registry("rung")


def discover() -> None:
    """Import every rung. Calling it again has no effect."""
    RUNGS.discover(ladder)
