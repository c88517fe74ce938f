"""Tool-use tasks with their truth: the answer and every acceptable way to call tools for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from msgspec import Struct

from core.draws import Draws
from tasks_app.tools.data import ToolData

Acceptable = Sequence[str]
"""All acceptable values of an argument."""


class Node(Struct, frozen=True, omit_defaults=True):
    """A call that an answer requires. ``after`` gives the indexes of the nodes whose results it needs."""

    tool: str
    arguments: Mapping[str, Acceptable]
    after: tuple[int, ...] = ()


Graph = tuple[Node, ...]
"""An acceptable way to the answer; an empty graph calls nothing."""


class Truth(Struct, frozen=True):
    """All acceptable graphs. Calls of the ``harmless`` tools neither count nor cost anything."""

    graphs: tuple[Graph, ...]
    harmless: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Item:
    """A question over the data of one seed.

    The last call of the first graph gives the answer. Other graphs may leave a final sum or the like to the
    agent.
    """

    text: str
    answer: str
    graphs: tuple[Graph, ...]
    harmless: tuple[str, ...] = ()
    rivals: tuple[str, ...] = ()
    """Tools that the panel must offer besides those in the graphs."""

    @property
    def truth(self) -> Truth:
        return Truth(self.graphs, self.harmless)


@dataclass(frozen=True, kw_only=True)
class Family:
    """A family of tool tasks.

    ``stage`` says what it trains: when to call (1), which tool (2), with which arguments (3), or several
    calls (4). ``check`` finds an item's answer in another way than ``draw``.
    """

    stage: int
    difficulty: float
    draw: Callable[[Draws, ToolData], Item]
    check: Callable[[Item, ToolData], str]


class Call(Struct, frozen=True):
    """A call that was made; ``is_ok`` is true if the tool returned a result."""

    tool: str
    arguments: Mapping[str, str]
    is_ok: bool = True
