"""The scripted solution, which plays a graph with the actual tools."""

from __future__ import annotations

import re

from tasks_app.tool_tasks.types import Call, Graph, Item
from tasks_app.tools import calls
from tasks_app.tools.data import ToolData
from tasks_app.tools.types import Result

WORD = re.compile(r"\d{4}-\d\d-\d\d|\d\d:\d\d|-?\d+(?:\.\d+)?|[A-Za-z]+")


def list_calls(graph: Graph) -> list[Call]:
    """List the graph's calls in order, with the first acceptable value for every argument."""
    return [Call(node.tool, {name: values[0] for name, values in node.arguments.items()}) for node in graph]


def play(graph: Graph, data: ToolData) -> list[Result]:
    """Run the graph's calls and return their results."""
    return [calls.call(call.tool, call.arguments, data) for call in list_calls(graph)]


def read_answer(item: Item, data: ToolData) -> str:
    """Return the answer if the last call of the first graph shows it, otherwise an empty string."""
    results = play(item.graphs[0], data)
    if not results or not all(result.is_ok for result in results):
        return ""
    return item.answer if item.answer in WORD.findall(results[-1].text) else ""
