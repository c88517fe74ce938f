"""Descriptions of a task's tools, if they are called by an action: the words of their forms on pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tasks_app.tools import calls
from tasks_app.tools.types import Field, Tool
from trajectories.record.prompts.templates import Words


def tools_block(words: Words, tools: Sequence[str]) -> str:
    """The paragraph that lists tools, by id in their order, each with its arguments."""
    return "\n".join([words.tools["head"], *(_line(words, calls.get_tool(tool)) for tool in tools)])


def _line(words: Words, tool: Tool) -> str:
    arguments = "; ".join(_argument(words, field) for field in tool.fields)
    return words.tools["tool"].format(
        id=tool.id, title=tool.title, description=tool.description, arguments=arguments
    )


def _argument(words: Words, field: Field) -> str:
    return words.tools["argument"].format(name=field.name, described=", ".join(_described(words, field)))


def _described(words: Words, field: Field) -> Iterator[str]:
    yield field.label[0].lower() + field.label[1:]
    if field.options:
        yield words.tools["options"].format(options=", ".join(field.options))
    elif field.hint:
        yield field.hint
