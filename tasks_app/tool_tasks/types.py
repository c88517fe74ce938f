"""A task of tool use with its truth: the answer, and every acceptable way to call tools for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from msgspec import Struct

from core.draws import Draws
from tasks_app.tools.data import ToolData

Acceptable = Sequence[str]
"""All values that an argument may have."""


class Node(Struct, frozen=True, omit_defaults=True):
    """A call that an answer takes; ``after`` are the places in its graph of those whose results it needs."""

    tool: str
    arguments: Mapping[str, Acceptable]
    after: tuple[int, ...] = ()


Graph = tuple[Node, ...]
"""An acceptable way; an empty one calls nothing."""


class Truth(Struct, frozen=True):
    """All acceptable graphs; ``harmless`` names tools of which any call neither counts nor costs anything."""

    graphs: tuple[Graph, ...]
    harmless: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Item:
    """A question over the data of a seed. The last call of the first graph tells the answer; other graphs may
    leave a sum or the like to the head.
    """

    text: str
    answer: str
    graphs: tuple[Graph, ...]
    harmless: tuple[str, ...] = ()
    rivals: tuple[str, ...] = ()
    """Tools that the panel must offer besides those of the graphs."""

    @property
    def truth(self) -> Truth:
        return Truth(self.graphs, self.harmless)


@dataclass(frozen=True, kw_only=True)
class Family:
    """``stage`` is that of a course from when (1) over which (2) and how (3) to several calls (4).

    ``check`` finds the answer of an item in another way than ``draw``.
    """

    stage: int
    difficulty: float
    draw: Callable[[Draws, ToolData], Item]
    check: Callable[[Item, ToolData], str]


class Call(Struct, frozen=True):
    """A call that was made; ``is_ok`` if the tool had a result."""

    tool: str
    arguments: Mapping[str, str]
    is_ok: bool = True
