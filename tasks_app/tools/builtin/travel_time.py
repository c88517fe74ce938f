"""The travel time between two places."""

from __future__ import annotations

from tasks_app.tools.data import MEANS, ToolData
from tasks_app.tools.geography import kilometres
from tasks_app.tools.readers import choice, place_field
from tasks_app.tools.types import Arguments, Tool, tool_register


def minutes(data: ToolData, start: str, end: str, means: str) -> int:
    """Return the travel time in minutes, rounded up."""
    return -(-kilometres(data, start, end) * 60 // data.speeds[means])


def run(values: Arguments, data: ToolData) -> str:
    start, end, means = values["from"], values["to"], values["by"]
    return f"From {start} to {end} by {means}: {minutes(data, start, end, means)} minutes"


tool_register(
    Tool(
        id="travel_time",
        title="Travel time",
        description=f"How many minutes it takes between two places by one means: {', '.join(MEANS)}.",
        button="Plan journey",
        fields=(
            place_field("from", "Departure from"),
            place_field("to", "Arrival in"),
            choice("by", "Means", tuple(MEANS)),
        ),
        run=run,
    )
)
