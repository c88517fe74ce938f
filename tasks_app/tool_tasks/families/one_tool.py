"""Questions that need a single call to one of the tools, with the arguments that the question states."""

from __future__ import annotations

from core.draws import Draws
from tasks_app.tool_tasks import oracle, questions
from tasks_app.tool_tasks.registry import FAMILIES
from tasks_app.tool_tasks.types import Family, Item
from tasks_app.tools.data import ToolData


def draw(draws: Draws, data: ToolData) -> Item:
    return questions.ASKS[draws.pick(tuple(questions.ASKS))](draws, data).item()


FAMILIES.register("one_tool", Family(stage=1, difficulty=0.2, draw=draw, check=oracle.read_answer))
