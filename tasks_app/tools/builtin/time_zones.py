"""Conversion of a time of day in one place to the time in another."""

from __future__ import annotations

from tasks_app.tools.data import ToolData
from tasks_app.tools.geography import find_place
from tasks_app.tools.readers import clock_field, place_field
from tasks_app.tools.types import Arguments, Tool, tool_register

DAY_MINUTES = 24 * 60
DAYS = {-1: "the day before", 0: "the same day", 1: "the next day"}


def run(values: Arguments, data: ToolData) -> str:
    hours, minutes = map(int, values["time"].split(":"))
    shift = find_place(data, values["to"]).zone - find_place(data, values["from"]).zone
    days, left = divmod((hours + shift) * 60 + minutes, DAY_MINUTES)
    return f"{left // 60:02}:{left % 60:02} in {values['to']}, {DAYS[days]}"


tool_register(
    Tool(
        id="time_zones",
        title="Time zones",
        description="The time in one place when it is a certain time of day in another.",
        button="Convert time",
        fields=(
            clock_field("time", "Time of day"),
            place_field("from", "In this place"),
            place_field("to", "Time for this place"),
        ),
        run=run,
    )
)
