"""Rungs by id: one file of ``tasks_app/ladder`` is one rung, a kind of question for small models."""

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
"""Prefix of a rung's id in the tags of its tasks."""
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")


@dataclass(frozen=True, kw_only=True)
class Item:
    """A question with its choices, in no particular order; the first one is right.

    ``steps`` lead to it: sentences, each true by what is shown, of which the last alone has the answer.
    """

    text: str
    choices: tuple[str, ...]
    passage: str = ""
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Rows:
    """A value by the name of its row, and the row that is asked for."""

    values: Mapping[str, str]
    right: str


@dataclass(frozen=True, kw_only=True)
class Rung:
    """``difficulty``, from 0 to 1, is the rung's place on the ladder."""

    draw: Callable[[Draws], Item]
    difficulty: float
    rows: Callable[[Mapping[str, Any]], Rows] | None = None
    """Reads the rows of a payload whose answer stands in one of several."""


RUNGS: Registry[Rung] = Registry("rung")


def discover() -> None:
    """Import every rung. Idempotent."""
    RUNGS.discover(ladder)
