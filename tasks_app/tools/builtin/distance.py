"""The distance between two places."""

from __future__ import annotations

from tasks_app.tools.data import ToolData
from tasks_app.tools.geography import kilometres
from tasks_app.tools.readers import place_field
from tasks_app.tools.types import Arguments, Tool, tool_register


def run(values: Arguments, data: ToolData) -> str:
    start, end = values["from"], values["to"]
    return f"From {start} to {end}: {kilometres(data, start, end)} km"


tool_register(
    Tool(
        id="distance",
        title="Distance",
        description="The distance between two places in kilometres.",
        button="Measure distance",
        fields=(place_field("from", "Start of the line"), place_field("to", "End of the line")),
        run=run,
    )
)
