"""The date a number of days before or after another, with its weekday."""

from __future__ import annotations

from datetime import date, timedelta

from tasks_app.tools.data import ToolData
from tasks_app.tools.readers import day_field, whole
from tasks_app.tools.types import Arguments, Field, Tool, tool_register

DAYS_MAX = 1_000
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def run(values: Arguments, _data: ToolData) -> str:
    day = date.fromisoformat(values["date"]) + timedelta(days=int(values["days"]))
    return f"{day.isoformat()}, a {WEEKDAYS[day.weekday()]}"


tool_register(
    Tool(
        id="calendar",
        title="Calendar",
        description="The date so many days after one, with its weekday. All days count; -7 is a week ago.",
        button="Count days",
        fields=(
            day_field("date", "First day"),
            Field(
                name="days",
                label="Days later",
                kind="number",
                read=whole(-DAYS_MAX, DAYS_MAX),
                hint="0 for the weekday of the date itself",
            ),
        ),
        run=run,
    )
)
