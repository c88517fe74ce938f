"""The date a number of working days after another, not counting weekends and a region's holidays."""

from __future__ import annotations

from datetime import date, timedelta

from tasks_app.tools.data import LAST_YEAR, REGIONS, ToolData
from tasks_app.tools.readers import choice, day_field, whole
from tasks_app.tools.types import Arguments, Field, Tool, ToolError, tool_register

DAYS_MAX = 250


def run(values: Arguments, data: ToolData) -> str:
    """Return the date after the given number of working days.

    Raises ``ToolError`` past the known holidays.
    """
    day, left = date.fromisoformat(values["date"]), int(values["days"])
    while left:
        day += timedelta(days=1)
        left -= day.weekday() < 5 and day not in data.holidays[values["region"]]
    if day.year > LAST_YEAR:
        raise ToolError(f"Holidays are known until {LAST_YEAR}.")
    return day.isoformat()


tool_register(
    Tool(
        id="working_days",
        title="Working days",
        description=(
            "The date so many working days after a date, which does not count itself. Saturdays, Sundays and "
            f"the holidays of a region ({', '.join(REGIONS)}) are left out."
        ),
        button="Count working days",
        fields=(
            day_field("date", "Start"),
            Field(
                name="days", label="Working days", kind="number", read=whole(1, DAYS_MAX), hint="such as 10"
            ),
            choice("region", "Region", REGIONS),
        ),
        run=run,
    )
)
