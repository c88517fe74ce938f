"""Scores of calls against the acceptable graphs: when to call, which tool, and how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from tasks_app.tool_tasks.distances import Fault, argument_distances, argument_faults
from tasks_app.tool_tasks.types import Call, Graph, Node, Truth
from tasks_app.tools import calls as tool_calls
from tasks_app.tools.data import ToolData
from tasks_app.tools.types import TOOLS

NOTHING, UNKNOWN = "no tool", "an unknown tool"
"""Placeholders for a tool: none was needed or called, or the tool that was called does not exist."""


@dataclass(frozen=True, kw_only=True)
class Score:
    """The score of an episode's calls, against the graph that fits them best.

    ``matched`` counts the nodes whose tool was called after the nodes that they need. ``surplus`` counts
    calls that match no node and are not harmless. ``distances`` gives the distances of the matched nodes by
    tool and field, and ``faults`` the kinds of difference. ``confusions`` pairs missing with surplus calls in
    order, as needed tool and called tool, with ``NOTHING`` where one of them is absent. If both are the same
    tool, it was called before the calls that it needs.
    """

    is_needed: bool
    is_optional: bool
    nodes: int
    matched: int
    surplus: int
    harmless: int
    failed: int
    repeated: int
    distances: tuple[tuple[str, Mapping[str, float]], ...] = ()
    faults: tuple[tuple[str, Mapping[str, Fault]], ...] = ()
    confusions: tuple[tuple[str, str], ...] = ()

    @property
    def called(self) -> int:
        """Number of calls that count."""
        return self.matched + self.surplus

    @property
    def calls(self) -> int:
        """Number of all calls."""
        return self.called + self.harmless

    @property
    def needed(self) -> float:
        """Score of *when*: 1 if tools were called exactly when needed, or if calls are optional; else 0."""
        return float(self.is_optional or self.is_needed == bool(self.called))

    @property
    def selection(self) -> float | None:
        """Score of *which*: share of right tools among calls made or missing, or None without any."""
        if not self.is_needed or not self.called:
            return None
        return self.matched / (self.nodes + self.surplus)

    @property
    def arguments(self) -> float | None:
        """Score of *how*: mean nearness of arguments in calls to the right tools; None without any."""
        if not self.distances:
            return None
        means = [sum(fields.values()) / len(fields) for _, fields in self.distances]
        return 1.0 - sum(means) / len(means)


@dataclass(frozen=True)
class _Match:
    """An assignment of calls to nodes, with the nearness of their arguments."""

    calls: tuple[tuple[int, int], ...] = ()
    nearness: float = 0.0

    @property
    def rank(self) -> tuple[int, float]:
        return len(self.calls), self.nearness


class _Distances:
    """Distances of calls from nodes, each computed once because graphs share most of their nodes."""

    def __init__(self, calls: Sequence[Call], data: ToolData) -> None:
        self._calls = calls
        self._data = data
        self._known: dict[tuple[str, str, int], Mapping[str, float]] = {}

    def of(self, node: Node, place: int) -> Mapping[str, float]:
        key = (node.tool, str(node.arguments), place)
        if key not in self._known:
            self._known[key] = argument_distances(node, self._calls[place], self._data)
        return self._known[key]

    def nearness(self, node: Node, place: int) -> float:
        fields = self.of(node, place)
        return 1.0 - sum(fields.values()) / len(fields)


def score_calls(calls: Sequence[Call], truth: Truth, data: ToolData) -> Score:
    """Score the calls against the graph that gives the best ``selection``, then the nearest arguments."""
    distances = _Distances(calls, data)
    scores = [_by_graph(calls, graph, truth, distances) for graph in truth.graphs]
    return max(
        scores, key=lambda score: (score.matched / max(1, score.nodes + score.surplus), _nearness(score))
    )


def _nearness(score: Score) -> float:
    return score.arguments if score.arguments is not None else -score.surplus


def _by_graph(calls: Sequence[Call], graph: Graph, truth: Truth, distances: _Distances) -> Score:
    match = _best_match(calls, graph, distances)
    of_node = dict(match.calls)
    rest = [index for index in range(len(calls)) if index not in of_node.values()]
    surplus = [calls[index] for index in rest if calls[index].tool not in truth.harmless]
    missing = [node.tool for number, node in enumerate(graph) if number not in of_node]
    own = {node.tool for node in graph}
    matched = [(graph[number], index) for number, index in sorted(of_node.items())]
    return Score(
        is_needed=all(truth.graphs),
        is_optional=any(truth.graphs) and not all(truth.graphs),
        nodes=len(graph),
        matched=len(of_node),
        surplus=len(surplus),
        harmless=len(rest) - len(surplus),
        failed=sum(not call.is_ok for call in calls),
        repeated=sum(call.tool in own for call in surplus),
        distances=tuple((node.tool, distances.of(node, index)) for node, index in matched),
        faults=tuple(
            (node.tool, argument_faults(calls[index], distances.of(node, index))) for node, index in matched
        ),
        confusions=tuple(zip_longest(missing, map(_find_tool, surplus), fillvalue=NOTHING)),
    )


def _find_tool(call: Call) -> str:
    """Return the tool of a call, or ``UNKNOWN``, since a policy may name any tool."""
    tool_calls.discover()
    return call.tool if call.tool in TOOLS else UNKNOWN


def _best_match(calls: Sequence[Call], graph: Graph, distances: _Distances) -> _Match:
    """Assign calls to nodes with the same tool: as many calls as possible, then the nearest.

    A call must come after the calls that its node needs. The search runs over sets of nodes that have a call;
    a graph with four nodes has sixteen.
    """
    best: dict[frozenset[int], _Match] = {frozenset(): _Match()}
    for place, call in enumerate(calls):
        for done, match in list(best.items()):
            for number, node in enumerate(graph):
                if number in done or node.tool != call.tool or not done.issuperset(node.after):
                    continue
                longer = _Match(
                    (*match.calls, (number, place)), match.nearness + distances.nearness(node, place)
                )
                now = done | {number}
                if now not in best or longer.rank > best[now].rank:
                    best[now] = longer
    return max(best.values(), key=lambda match: match.rank)
